import type { Hints } from "../reading.ts"
import type { Block, Sheet } from "./blocks.ts"
import { attribute, closest, contains, type Element, inlineText, words } from "./element.ts"
import {
  isDiscussion,
  isForumAddress,
  isFurniture,
  isMarkedArticle,
  isOneProduct,
  isPostPage,
  isProduct,
  placeOf
} from "./genre.ts"
import { ofGoods, unshown } from "./goods.ts"
import { textOf } from "./json.ts"
import { leadOf } from "./lead.ts"
import { type Linked, typesOf } from "./linked.ts"
import { boilerplate, winner, worth } from "./main.ts"
import { type Meta, metaOf } from "./meta.ts"
import { isProse, prune } from "./prune.ts"
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

/** Whether a page is a discussion: it says so, its software does, or its address. */
const isForum = (source: Source, { url }: Hints): boolean => isDiscussion(source) || isForumAddress(url)

/** A stated text counts where it is this many characters long and the page shows less than half of it. */
const statedMin = 300

/** The text a page states for machines, where it does not show it (yet): pages that scripts fill. */
const stated = ({ linked }: Source, found: Body): Body => {
  const body = linked.article?.articleBody
  if (typeof body !== "string" || body.length < statedMin || found.text.length > body.length * 0.5) return found
  const lines = unescaped(body.replace(/<\/?(?:p|br|div|h\d|li)\b[^>]{0,200}>/giu, "\n")).split(/\s*\n\s*/u)
  const blocks = lines.map(words).filter((it) => it !== "")
  if (blocks.length === 0) return found
  return finish(found.element, [], linesOf(found.element, blocks))
}

/** Lines that are stated and not shown, as blocks of an element. */
const linesOf = (element: Element, lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const place = { linkChars: 0, element, heading: 0, item: false, cell: false, quote: false, pre: false }
  return lines.map((text) => ({ text, chars: text.length, ...place }))
}

/** How much a page says that it is an article: by structured data, by a looser word, or not at all. */
const declared = ({ linked, meta }: Source): "surely" | "loosely" | "no" => {
  const types = linked.article === null ? [] : typesOf(linked.article)
  if (types.some((it) => /Article|BlogPosting|Report/u.test(it)) || meta.props.has("articlebody")) return "surely"
  return /article/iu.test(metaOf(meta, "og:type") ?? "") ? "loosely" : "no"
}

/** A page that calls itself an article is believed from this many characters on. */
const declaredMin = 250

/**
 * The share of what a page shows that its text must have to be taken for all of it. A page with next to no prose is a
 * list or a shop window, whatever it calls itself; one with paragraphs is believed.
 */
const coverOf = (page: Source, found: Body): number => {
  const prose = found.blocks.filter(isProse).length
  const says = declared(page)
  if (says === "surely") return found.text.length < declaredMin ? 0.1 : 0
  if (says === "loosely") return prose <= 1 ? 0.1 : 0
  if (isProduct(page)) return 0.8
  return prose <= 1 ? 0.4 : 0.12
}

/** What is sold is described first where the page states it and does not show it (yet). */
const described = ({ linked }: Source, { blocks, element, purity }: Body): Body => {
  const own = finish(element, [], ofGoods(blocks))
  const lines = linesOf(element, unshown(linked, own.text))
  return { ...finish(element, [], [...lines, ...own.blocks]), purity }
}

/** The page's main part: what it marks so, where that holds most of what it shows, else all of it. */
const mainOf = ({ sheet }: Source, removed: ReadonlyArray<string | null>): Element => {
  const { end, first, tree } = sheet
  const isMain = (it: Element): boolean =>
    it.tag === "main" || attribute(it, "role") === "main" || attribute(it, "id") === "main"
  const charsOf = (it: Element): number =>
    sheet.blocks
      .slice(first[it.order], end[it.order])
      .reduce((sum, block, i) => sum + (removed[(first[it.order] ?? 0) + i] === null ? Math.max(0, worth(block)) : 0), 0)
  const [main] = tree.elements
    .filter(isMain)
    .map((element) => ({ element, chars: charsOf(element) }))
    .toSorted((x, y) => y.chars - x.chars)
  return main === undefined || main.chars < charsOf(tree.root) * mainShare ? tree.root : main.element
}
/** An element that calls itself the main part holds this share of what the page shows, or it is not. */
const mainShare = 0.5

/** What a page that is no article shows: its main part with cards and links, without menus and footers. */
const wholeOf = (page: Source): Body => {
  const { sheet } = page
  const removed = boilerplate(sheet, "page")
  const element = mainOf(page, removed)
  const [from, to] = rangeOf(sheet, element)
  const all = sheet.blocks.slice(from, to)
  const left = all.filter((_, i) => removed[from + i] === null)
  return { ...finish(element, all, isOneProduct(page) ? ofGoods(left) : left), purity: wholePurity }
}
/** A page that was taken whole is no clean article. */
const wholePurity = 0.2

const proseOf = ({ blocks }: Body): number => blocks.reduce((sum, it) => sum + (isProse(it) ? it.chars : 0), 0)
const linksOf = ({ blocks }: Body): number =>
  blocks.reduce((sum, it) => sum + it.linkChars, 0) / Math.max(1, blocks.reduce((sum, it) => sum + it.chars, 0))

/** Whether the page is made of parts of which the best one is not enough: much prose stands outside of it. */
const isOfParts = (page: Source, hints: Hints, found: Body, whole: Body): boolean => {
  if (proseOf(found) >= proseOf(whole) * partsShare) return false
  if (!isSurely(page, hints)) return linksOf(whole) < 0.3
  const [own, all] = [found, whole].map(({ blocks }) => blocks.filter((it) => it.heading > 0).length)
  return linksOf(whole) < 0.06 && own >= 3 && all >= own * 2
}
const partsShare = 0.7

const isSurely = (page: Source, { url }: Hints): boolean =>
  declared(page) === "surely" || isMarkedArticle(page) || isDated(page) || isPostPage(page) || placeOf(url).sure
const isDated = ({ linked, meta }: Source): boolean =>
  metaOf(meta, "article:published_time", "date", "datepublished") !== null || linked.article?.datePublished !== undefined

const wider = (page: Source, hints: Hints, found: Body): Body => {
  const whole = wholeOf(page)
  const isWhole =
    found.text.length < whole.text.length * coverOf(page, found) ||
    (!isForum(page, hints) && isOfParts(page, hints, found, whole))
  const best = isWhole ? whole : found
  return isOneProduct(page) ? described(page, best) : best
}

/** Paragraphs that must stand before another article's headline for the page to be cut there. */
const paragraphsMin = 2

/** The blocks up to where another article begins: its own `<article>`, beside the first, with a headline of its own. */
const firstArticle = ({ linked }: Source, blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const begin = blocks.find(isProse)
  const home = begin === undefined ? null : closest(begin.element, "article")
  if (home === null || linked.nodes.some((it) => typesOf(it).includes("LiveBlogPosting"))) return blocks
  const isOther = (it: Block): boolean => {
    if (it.heading === 0 || it.heading > 2 || contains(home, it.element)) return false
    const article = closest(it.element, "article")
    return article !== null && !contains(article, home)
  }
  const cut = blocks.findIndex(isOther)
  return cut > 0 && blocks.slice(0, cut).filter(isProse).length >= paragraphsMin ? blocks.slice(0, cut) : blocks
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
  const { element } = winner(sheet, removed, mode)
  const [from, to] = rangeOf(sheet, element)
  const all = sheet.blocks.slice(from, to)
  const isKept = (it: Block): boolean => mode === "article" || !isFurniture(it.text)
  const left = all.filter((it, i) => removed[from + i] === null && isKept(it))
  const titles = titlesOf(page)
  const own = prune(firstArticle(page, left), titles)
  const lead = leadOf(sheet, page.meta, removed, from, titles).filter(
    (it) => !own.some((other) => other.text.startsWith(it.text))
  )
  const found = stated(page, finish(element, all, [...lead, ...own]))
  return wider(page, hints, found)
}
