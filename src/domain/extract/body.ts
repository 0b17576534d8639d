import type { Hints } from "../reading.ts"
import type { Block, Sheet } from "./blocks.ts"
import { attribute, contains, type Element, inlineText, words } from "./element.ts"
import { textOf } from "./json.ts"
import { leadOf } from "./lead.ts"
import { type Linked, typesOf } from "./linked.ts"
import { boilerplate, winner } from "./main.ts"
import { type Meta, metaOf } from "./meta.ts"
import { prune } from "./prune.ts"
import { plain, unescaped } from "./title.ts"

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

/** A page that calls itself an article is believed from this many characters on. */
const declaredMin = 250
/** A text that is less than this share of what the page shows may not be all of it. */
const coverMin = 0.2

const forumAddress =
  /^https?:\/\/(?:www\.)?(?:forums?|community|discuss|boards?|discourse|talk)\.|\/(?:forums?|threads?|topics?|viewtopic|showthread|discussions?|questions)(?:[/.?-]|$)|\/t\/[\w-]+\/\d+/iu

/** Whether a page is a discussion: it says so, its software does, or its address. */
const isForum = ({ linked, meta }: Source, { url }: Hints): boolean =>
  linked.nodes.some((it) => typesOf(it).some((type) => type === "DiscussionForumPosting" || type === "QAPage")) ||
  /phpbb|vbulletin|xenforo|discourse|discuz|mybb|invision|vanilla|nodebb|flarum/iu.test(
    metaOf(meta, "generator") ?? ""
  ) ||
  forumAddress.test(url)

const declaresArticle = ({ linked, meta }: Source): boolean =>
  (linked.article !== null && typesOf(linked.article).some((it) => /Article|BlogPosting|Report/u.test(it))) ||
  /article/iu.test(metaOf(meta, "og:type") ?? "") ||
  meta.props.has("articlebody")

/** A stated text counts where it is this many characters long and the page shows less than half of it. */
const statedMin = 300

/** The text a page states for machines, where it does not show it (yet): pages that scripts fill. */
const stated = ({ linked }: Source, found: Body): Body => {
  const body = linked.article?.articleBody
  if (typeof body !== "string" || body.length < statedMin || found.text.length > body.length * 0.5) return found
  const lines = unescaped(body.replace(/<\/?(?:p|br|div|h\d|li)\b[^>]{0,200}>/giu, "\n")).split(/\s*\n\s*/u)
  const blocks = lines.map(words).filter((it) => it !== "")
  if (blocks.length === 0) return found
  const place = { linkChars: 0, element: found.element, heading: 0, item: false, cell: false, quote: false, pre: false }
  return finish(
    found.element,
    [],
    blocks.map((text) => ({ text, chars: text.length, ...place }))
  )
}

/** What a page that is no article shows: its main part with cards and links, without menus and footers. */
const wider = (sheet: Sheet, found: Body): Body => {
  const removed = boilerplate(sheet, "page")
  const main = sheet.tree.elements.find(
    (it) => it.tag === "main" || attribute(it, "role") === "main" || attribute(it, "id") === "main"
  )
  const element = main !== undefined && contains(main, found.element) ? main : sheet.tree.root
  const [from, to] = rangeOf(sheet, element)
  const all = sheet.blocks.slice(from, to)
  const blocks = all.filter((_, i) => removed[from + i] === null)
  const body = finish(element, all, blocks)
  return found.text.length < body.text.length * coverMin ? body : found
}

/** The article's own text: what a rule names, else the best element, without the boilerplate inside it. */
export const bodyOf = (page: Source, hints: Hints, ruled: ReadonlyArray<Element>): Body => {
  const { sheet } = page
  const mode = isForum(page, hints) ? "forum" : "article"
  const removed = boilerplate(sheet, mode)
  const [named] = ruled
  if (named !== undefined) {
    const all = ruled.flatMap((it) => sheet.blocks.slice(...rangeOf(sheet, it)))
    return finish(named, all, all)
  }
  const { element } = winner(sheet, removed)
  const [from, to] = rangeOf(sheet, element)
  const all = sheet.blocks.slice(from, to)
  const left = all.filter((_, i) => removed[from + i] === null)
  const titles = titlesOf(page)
  const own = prune(left, titles)
  const lead = leadOf(sheet, page.meta, removed, from, titles).filter(
    (it) => !own.some((other) => other.text.startsWith(it.text))
  )
  const found = stated(page, finish(element, all, [...lead, ...own]))
  return declaresArticle(page) && found.text.length >= declaredMin ? found : wider(sheet, found)
}
