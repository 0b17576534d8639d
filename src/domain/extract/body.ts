import type { Hints } from "../reading.ts"
import type { Block, Sheet } from "./blocks.ts"
import { type Element, inlineText } from "./element.ts"
import { textOf } from "./json.ts"
import type { Linked } from "./linked.ts"
import { boilerplate, winner } from "./main.ts"
import { type Meta, metaOf } from "./meta.ts"
import { prune } from "./prune.ts"
import { plain } from "./title.ts"

/** The text of an article and where it was found. */
export interface Body {
  readonly element: Element
  readonly blocks: ReadonlyArray<Block>
  readonly text: string
  /** Share of the winner's text that was kept, 0..1. */
  readonly purity: number
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

const rangeOf = (sheet: Sheet, element: Element): readonly [number, number] => [
  sheet.first[element.order] ?? 0,
  sheet.end[element.order] ?? 0
]

const finish = (element: Element, all: ReadonlyArray<Block>, blocks: ReadonlyArray<Block>): Body => {
  const sum = (list: ReadonlyArray<Block>): number => list.reduce((total, it) => total + it.chars, 0)
  return { element, blocks, text: render(blocks), purity: sum(blocks) / Math.max(1, sum(all)) }
}

/** Everything the page calls its title, made comparable. */
const titlesOf = ({ linked, meta }: Source): ReadonlySet<string> => {
  const stated = [metaOf(meta, "og:title"), metaOf(meta, "twitter:title"), textOf(linked.article?.headline)]
  const shown = [...meta.headings, ...(meta.title === null ? [] : [meta.title])].map(inlineText)
  return new Set(
    [...stated, ...shown]
      .filter((it) => it !== null)
      .map(plain)
      .filter((it) => it.length > 3)
  )
}

/** What the body is looked for in. */
export interface Source {
  readonly sheet: Sheet
  readonly meta: Meta
  readonly linked: Linked
}

/** The article's own text: what a rule names, else the best element, without the boilerplate inside it. */
export const bodyOf = (page: Source, _hints: Hints, ruled: ReadonlyArray<Element>): Body => {
  const { sheet } = page
  const removed = boilerplate(sheet)
  const [named] = ruled
  if (named !== undefined) {
    const all = ruled.flatMap((it) => sheet.blocks.slice(...rangeOf(sheet, it)))
    return finish(named, all, all)
  }
  const { element } = winner(sheet, removed)
  const [from, to] = rangeOf(sheet, element)
  const all = sheet.blocks.slice(from, to)
  const left = all.filter((_, i) => removed[from + i] === null)
  return finish(element, all, prune(left, titlesOf(page)))
}
