import { type Block, type Sheet, weigh } from "./blocks.ts"
import type { Element } from "./element.ts"
import type { Linked } from "./linked.ts"
import type { Meta } from "./meta.ts"

/** What the body is looked for in. */
export interface Source {
  readonly sheet: Sheet
  readonly meta: Meta
  readonly linked: Linked
  /** Whether tabs, folds and slides may be turned over: on pages that are no articles. */
  readonly opens?: boolean
}

/** The text of an article and where it was found. */
export interface Body {
  readonly element: Element
  readonly blocks: ReadonlyArray<Block>
  readonly text: string
  /** Share of the winner's text that was kept, 0..1. */
  readonly purity: number
}

/** The text of a page, and the plainer reading by which its kind is judged and its headline is looked for. */
export interface Texts {
  readonly body: Body
  readonly judged: Body
}

const lineOf = (block: Block): string => (block.item && block.heading === 0 ? `- ${block.text}` : block.text)

/** List items follow each other line by line; everything else is a paragraph. */
export const render = (blocks: ReadonlyArray<Block>): string => {
  const parts: Array<string> = []
  blocks.forEach((block, i) => {
    const before = blocks[i - 1]
    if (before !== undefined) parts.push(before.item && block.item ? "\n" : "\n\n")
    parts.push(lineOf(block))
  })
  return parts.join("")
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>")

/** The same blocks as markup that holds nothing but text. */
export const html = (blocks: ReadonlyArray<Block>): string =>
  blocks
    .map((block) => {
      if (block.pre) return `<pre>${escaped(block.text).replaceAll("<br>", "\n")}</pre>`
      if (block.heading > 0) return `<h${block.heading}>${escaped(block.text)}</h${block.heading}>`
      if (block.item) return `<ul><li>${escaped(block.text)}</li></ul>`
      return block.quote ? `<blockquote><p>${escaped(block.text)}</p></blockquote>` : `<p>${escaped(block.text)}</p>`
    })
    .join("\n")
    .replaceAll("</li></ul>\n<ul><li>", "</li>\n<li>")

/** The blocks of an element: from, and up to (not with). */
export const rangeOf = (sheet: Sheet, element: Element): readonly [number, number] => [
  sheet.first[element.order] ?? 0,
  sheet.end[element.order] ?? 0
]

/** Blocks as a body; `all` is what they were chosen from. */
export const finish = (element: Element, all: ReadonlyArray<Block>, blocks: ReadonlyArray<Block>): Body => {
  const sum = (list: ReadonlyArray<Block>): number => list.reduce((total, it) => total + it.chars, 0)
  return { element, blocks, text: render(blocks), purity: sum(blocks) / Math.max(1, sum(all)) }
}

/** Lines that are stated and not shown, as blocks of an element. */
export const linesOf = (element: Element, lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const place = { linkChars: 0, element, heading: 0, item: false, cell: false, quote: false, pre: false }
  return lines.map((text) => ({ text, chars: text.length, worth: weigh(text, 0, place), ...place }))
}
