import type { Hints } from "../reading.ts"
import { type Block, linkDensity, sheetOf } from "./blocks.ts"
import { attribute, type Element } from "./element.ts"
import { isMarkedArticle, isOneProduct, isPostPage, isProduct, placeOf } from "./genre.ts"
import { fromName, ofGoods, unshown } from "./goods.ts"
import { isAway } from "./hidden.ts"
import { age } from "./lines.ts"
import { typesOf } from "./linked.ts"
import { boilerplate, type Mode } from "./main.ts"
import { metaOf } from "./meta.ts"
import { isProse, withoutEchoes } from "./prune.ts"
import { type Body, finish, linesOf, rangeOf, render, type Source, type Texts } from "./text.ts"

/** How much a page says that it is an article: by structured data, by a looser word, or not at all. */
const declared = ({ linked, meta }: Source): "surely" | "loosely" | "no" => {
  const types = linked.article === null ? [] : typesOf(linked.article)
  if (types.some((it) => /Article|BlogPosting|Report/u.test(it)) || meta.props.has("articlebody")) return "surely"
  return /article/iu.test(metaOf(meta, "og:type") ?? "") ? "loosely" : "no"
}

/** A page that calls itself an article is believed from this many characters on. */
const declaredMin = 500

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

const sumOf = (blocks: ReadonlyArray<Block>, of: (block: Block) => number): number =>
  blocks.reduce((sum, it) => sum + of(it), 0)
type Blocks = Pick<Body, "blocks">
/** Characters with the empty line that follows each block. */
const charsOf = ({ blocks }: Blocks): number => sumOf(blocks, (it) => it.chars + 2)
const proseOf = ({ blocks }: Blocks): number => sumOf(blocks, (it) => (isProse(it) ? it.chars : 0))
const headingsOf = ({ blocks }: Blocks): number => blocks.filter((it) => it.heading > 0).length
const linkShareOf = (part: Blocks): number => sumOf(part.blocks, (it) => it.linkChars) / Math.max(1, charsOf(part))

/** An element that calls itself the main part holds this share of the text, or it is not. */
const mainShare = 0.2

/** The page's main part: what it marks so, where that holds much of its text, else all of it. */
const mainOf = ({ sheet }: Source, removed: ReadonlyArray<string | null>): Element => {
  const { blocks, tree } = sheet
  const sizeOf = (element: Element): number => {
    const [from, to] = rangeOf(sheet, element)
    return blocks
      .slice(from, to)
      .reduce((sum, it, i) => sum + (removed[from + i] === null ? Math.max(0, it.worth) : 0), 0)
  }
  const isMain = (it: Element): boolean =>
    it.tag === "main" || attribute(it, "role") === "main" || attribute(it, "id") === "main"
  const [main] = tree.elements
    .filter(isMain)
    .map((element) => ({ element, size: sizeOf(element) }))
    .toSorted((a, b) => b.size - a.size)
  return main === undefined || main.size < sizeOf(tree.root) * mainShare ? tree.root : main.element
}

/** A short line that stands so often between the things of a page is a label or a button. Characters, times. */
const labelMax = 20
const labelTimes = 3
const sentenceEnd = /[.!?…。！？]$/u
/** Short links that make less than this share of a page are buttons; where they make more, the page is a list of them. */
const linkMax = 60
const linksMax = 0.1

/** A shorter line may well be said again two lines below, in characters: a price, a size. */
const nameMin = 9
/** Cards name a thing by picture, heading and link: a name that one of the last two lines said is read once, but in tables. */
const withoutRepeats = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> =>
  blocks.filter(({ cell, chars, element, text }, i) => {
    const isTold = text === blocks[i - 1]?.text || (chars >= nameMin && text === blocks[i - 2]?.text)
    return cell || element.tag === "dd" || sentenceEnd.test(text) || !isTold
  })

/** What sorts the cards, how many rated one, or how old one is; no longer than this, in characters. */
const controlMax = 30
const control = /^(?:filters?|sort)(?: (?:by|and sort))?:?$|^loading\W*$|^\(\d[\d.,]*k?\+?\)$/iu
const isControl = ({ chars, text }: Block): boolean => chars < controlMax && (control.test(text) || age.test(text))

/** The blocks of a page read whole, without what is there to be pressed. */
const withoutControls = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const times = new Map<string, number>()
  for (const it of blocks) times.set(it.text, (times.get(it.text) ?? 0) + 1)
  const isLoose = (it: Block): boolean => it.heading === 0 && !it.cell && !it.pre
  const isLabel = (it: Block): boolean =>
    it.chars < labelMax && !it.item && (times.get(it.text) ?? 0) >= labelTimes && !sentenceEnd.test(it.text)
  const isLink = (it: Block): boolean => isLoose(it) && it.chars < linkMax && linkDensity(it) > 0.8
  const said = withoutRepeats(blocks.filter((it) => !(isLoose(it) && (isLabel(it) || isControl(it)))))
  const links = sumOf(said, (it) => (isLink(it) ? it.chars : 0))
  return links > sumOf(said, (it) => it.chars) * linksMax ? said : said.filter((it) => !isLink(it))
}

/** An element's blocks, and those that are left of them: a body before it is written down. */
interface Part {
  readonly element: Element
  readonly all: ReadonlyArray<Block>
  readonly blocks: ReadonlyArray<Block>
}

const partOf = ({ sheet }: Source, element: Element, removed: ReadonlyArray<string | null>): Part => {
  const [from, to] = rangeOf(sheet, element)
  const all = sheet.blocks.slice(from, to)
  return { element, all, blocks: all.filter((_, i) => removed[from + i] === null) }
}

/** What a page that is no article shows: its main part with cards and links, without menus and footers. */
const wholeOf = (page: Source, removed: ReadonlyArray<string | null>): Part =>
  partOf(page, mainOf(page, removed), removed)

/** A page that was taken whole is no clean article. */
const wholePurity = 0.2
const written = ({ all, element }: Part, blocks: ReadonlyArray<Block>): Body => ({
  ...finish(element, all, blocks),
  purity: wholePurity
})

/** A part with less than this share of the prose is not the text of a page, unless the rest is mostly links. */
const partShare = 0.7
const partLinksMax = 0.3
/** What says that it is an article has next to no links and many more headings outside of its best part. */
const articleLinksMax = 0.06
const articleHeadingsMin = 3

/** Whether the page is made of parts of which the best one is not enough: much of the prose stands outside of it. */
const isOfParts = (found: Blocks, whole: Blocks, isArticle: boolean): boolean => {
  if (proseOf(found) >= proseOf(whole) * partShare) return false
  if (!isArticle) return linkShareOf(whole) < partLinksMax
  const headings = headingsOf(found)
  return linkShareOf(whole) < articleLinksMax && headings >= articleHeadingsMin && headingsOf(whole) >= headings * 2
}

const isDated = ({ linked, meta }: Source): boolean =>
  metaOf(meta, "article:published_time", "date", "datepublished") !== null ||
  linked.article?.datePublished !== undefined
/** Whether something besides its text says that the page is an article. */
const saysArticle = (page: Source, { url }: Hints): boolean =>
  declared(page) === "surely" || isMarkedArticle(page) || isDated(page) || isPostPage(page) || placeOf(url).sure

/** A shop's page says the same in small and large: from so many characters on a line is read once. */
const goodsEcho = 30
/** Where fewer characters are left of one thing, many are sold. */
const goodsMin = 100
/** What is sold, from its name on; first its description where the page states it and does not show it (yet). */
const goodsOf = (page: Source): Body => {
  const whole = wholeOf(page, boilerplate(page.sheet, "goods"))
  const shown = withoutControls(withoutEchoes(ofGoods(whole.blocks), goodsEcho))
  return written(whole, [...linesOf(whole.element, unshown(page.linked, render(shown))), ...shown])
}

/** The best part, read without the strictness that articles need, must be about the same text: so much of the longer one. */
const looseShare = 0.7
const isAlike = (a: number, b: number): boolean => Math.min(a, b) >= Math.max(a, b) * looseShare

const looser = (page: Source, { element }: Body, removed: ReadonlyArray<string | null>): Part => {
  const part = partOf(page, element, removed)
  return { ...part, blocks: withoutControls(part.blocks) }
}

/** Fewer elements than this are icons, not folds. */
const foldedMin = 20
/** The page with its tabs, folds and slides turned over. */
const unfolded = (page: Source): Source =>
  page.opens !== true || page.sheet.folded < foldedMin ? page : { ...page, sheet: sheetOf(page.sheet.tree, isAway) }

/** The text that was found in a page, or all that the page shows where that is not enough. */
export const wider = (page: Source, hints: Hints, mode: Mode, found: Body): Texts => {
  const cover = coverOf(page, found)
  const isArticle = mode === "forum" || saysArticle(page, hints)
  // What the rest of the page holds could change nothing: most news ends here.
  if (cover === 0 && isArticle && headingsOf(found) < articleHeadingsMin) return { body: found, judged: found }
  const removed = boilerplate(page.sheet, "page")
  const whole = wholeOf(page, removed)
  const isEnough = charsOf(found) >= charsOf(whole) * cover
  const judged = isEnough ? found : written(whole, whole.blocks)
  const goods = isOneProduct(page, hints.url) && declared(page) === "no" ? goodsOf(unfolded(page)) : null
  if (goods !== null && goods.text.length >= goodsMin) return { judged, body: goods }
  const isWhole = !isEnough || (mode === "article" && isOfParts(found, whole, isArticle))
  if (!isWhole && (isArticle || !isAlike(charsOf(found), charsOf(looser(page, found, removed)))))
    return { judged, body: found }
  const open = unfolded(page)
  const shown = open === page ? removed : boilerplate(open.sheet, "page")
  if (isWhole) {
    const all = wholeOf(open, shown)
    return { judged, body: written(all, withoutControls(fromName(all.blocks))) }
  }
  const loose = looser(open, found, shown)
  return { judged, body: finish(loose.element, loose.all, loose.blocks) }
}
