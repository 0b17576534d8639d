import type { Content } from "../article.ts"
import type { Hints } from "../reading.ts"
import type { Block } from "./blocks.ts"
import type { Body } from "./body.ts"
import type { Page } from "./content.ts"
import {
  isDiscussion,
  isLinkedArticle,
  isListPage,
  isManual,
  isMarkedArticle,
  isPostPage,
  namesCollection,
  namesProduct,
  placeOf
} from "./genre.ts"
import { age } from "./lines.ts"
import { metaOf } from "./meta.ts"
import { hasDay } from "./published.ts"

/** A block of so many characters is a paragraph (Hangul and Han say more in fewer). */
const paragraphMin = 50
const paragraphsMin = 3
/** Text of fewer characters is hardly one. */
const shortMax = 200
/** More headings than this make a page of parts; with so few characters to each, a page of cards: a service, a shelf. */
const headingsMax = 5
const crowdedMax = 400
/** So many names are people who take part, not authors. */
const authorsMax = 5
/** A page of so many headings that are links is a list; of so many fields a form; of so many listings a manual. */
const linkedHeadingsMin = 15
const fieldsMin = 25
const listingsMin = 10
const pricesMin = 10
/** From this sum on a page counts as an article. Lies between two sums of weights, so that no rounding decides. */
const articleMin = -0.35

type Reasons = Readonly<Record<string, number>>
type Rated = ReadonlyArray<readonly [reason: string, weight: number, holds: boolean]>

/**
 * What speaks for an article and against it, in the order of the page's parts. The weights are rounded from a regression over
 * 950 articles and 200 pages of shops, services, forums, manuals and lists, held near those that news needs. What did not
 * help on pages kept out of it is no reason: `og:type` article (systems write it on every page), long paragraphs.
 */
const stated = (page: Page, content: Content): Rated => {
  const isLinked = isLinkedArticle(page)
  const isMarked = isMarkedArticle(page)
  const { authors, published } = content
  return [
    ["json_ld", 0.6, isLinked],
    ["marked", 1.2, isMarked],
    ["collection", -0.9, !isLinked && namesCollection(page)],
    ["product", -2.7, !isLinked && !isMarked && namesProduct(page)],
    ["forum", -6, !isLinked && isDiscussion(page)],
    ["manual", -7, isManual(page)],
    ["og_product", -3, /product/iu.test(metaOf(page.meta, "og:type") ?? "")],
    ["post_page", 1.3, isPostPage(page)],
    ["list_page", -1.5, isListPage(page)],
    ["author", 1.2, authors.length > 0 && authors.length <= authorsMax],
    ["undated", -1.2, published === null],
    ["page_date", -0.6, published?.source === "json-ld" && !isLinked]
  ]
}

const shaped = (address: string): Rated => {
  const place = placeOf(address)
  return [
    ["address", 1.3, place.article],
    ["address_sure", 1.9, place.sure],
    ["root", -3, place.root],
    ["filed", -1.7, place.filed]
  ]
}

const price = /[$€£₩¥]\s?\d|\b(?:USD|EUR|GBP)\s?\d|\d[\d.,]{0,15}\s?(?:€|원(?![가-힣])|EUR\b)/g
const buying =
  /\b(?:add to (?:cart|basket|bag)|buy now|(?:out of|in) stock|free shipping|in den warenkorb|ajouter au panier|añadir al carrito|aggiungi al carrello)\b|장바구니|바로 ?구매|カートに入れる|加入购物车/i
const offering =
  /\b(?:contact us|get (?:a )?(?:free )?quote|book (?:a|an|now)|schedule (?:a|an)|request (?:a|an)|get started|free (?:trial|consultation)|our (?:services|team|clients)|call us)\b|\b(?:unverbindlich(?:e|es)? (?:anfrag|angebot)|angebot anfordern|termin (?:vereinbaren|buchen)|jetzt (?:anfragen|buchen|bestellen)|nous contacter|demander un devis|cont[aá]ctenos|solicit[ae] (?:una? )?(?:demo|presupuesto))|상담 ?(?:신청|문의|예약)|견적 ?(?:문의|요청)|무료 ?(?:체험|상담)|お問い合わせはこちら|無料相談/i
/** Characters of a page that are looked at for such words. */
const saidMax = 20_000

/** Words of selling count on pages that do not say they are articles: reviews and advertising have them too. */
const sold = (page: Page): Rated => {
  if (isLinkedArticle(page)) return []
  const said = page.sheet.blocks
    .map((it) => it.text)
    .join("\n")
    .slice(0, saidMax)
  return [
    ["buying", -0.4, buying.test(said)],
    ["offering", -1.1, offering.test(said)],
    ["prices", -0.6, (said.match(price)?.length ?? 0) >= pricesMin],
    ["form", -0.9, page.meta.fields >= fieldsMin]
  ]
}

const isShortTitle = (title: string): boolean =>
  title.trim().split(/\s+/u).length <= 2 && (title.match(/[^\u0000-\u024f]/gu)?.length ?? 0) < 8

/** A linked line has more than this share of its characters in links; one of fewer characters is a button. */
const linkedMin = 0.7
const lineMin = 10
const isLinkedLine = ({ chars, heading, linkChars }: Block): boolean =>
  linkChars > chars * linkedMin && (chars >= lineMin || heading > 0)

/** A teaser is a linked line and so many characters of text before the next; so many that hold half of the text make a list. */
const teaserMin = 30
const teaserMax = 600
const teasersMin = 6
const teasersShare = 0.5

/** Does the text consist of what other pages begin with? `around` is all that stands between its ends. */
const isTeased = (around: ReadonlyArray<Block>, own: ReadonlySet<Block>, bodyChars: number): boolean => {
  const runs: Array<number> = []
  for (const it of around) {
    const last = runs.length - 1
    if (isLinkedLine(it)) runs.push(0)
    else if (last >= 0 && own.has(it)) runs[last] = (runs[last] ?? 0) + it.chars
  }
  const teasers = runs.filter((it) => it >= teaserMin && it < teaserMax)
  return teasers.length >= teasersMin && teasers.reduce((sum, it) => sum + it, 0) >= teasersShare * bodyChars
}

/** A line of so many characters that holds a day or an age dates a post or a teaser; an article has few of them. */
const datedMax = 40
const datesMin = 5
const isDated = ({ chars, text }: Block): boolean => chars <= datedMax && (hasDay(text) || age.test(text))

/** What blocks sum up to. */
const sumsOf = (blocks: ReadonlyArray<Block>) => {
  const sums = { chars: 0, linkChars: 0, headings: 0, linkedHeadings: 0, shorts: 0, paragraphs: 0 }
  for (const { chars, heading, linkChars, text } of blocks) {
    sums.chars += chars
    sums.linkChars += linkChars
    if (heading > 0) sums.headings += 1
    if (heading > 0 && linkChars > chars * linkedMin) sums.linkedHeadings += 1
    if (chars < paragraphMin) sums.shorts += 1
    else if (linkChars < chars / 3)
      for (const line of text.split("\n")) if (line.length > paragraphMin) sums.paragraphs += 1
  }
  return sums
}

const written = ({ meta, sheet }: Page, body: Body, title: string): Rated => {
  const page = sumsOf(sheet.blocks)
  const { chars, headings, paragraphs, shorts } = sumsOf(body.blocks)
  const own = new Set(body.blocks)
  const isOwn = (it: Block): boolean => own.has(it)
  const around = sheet.blocks.slice(
    Math.max(0, sheet.blocks.findIndex(isOwn) - 1),
    sheet.blocks.findLastIndex(isOwn) + 1
  )
  return [
    ["text", 1.1, paragraphs >= paragraphsMin],
    ["short", -1.4, body.text.length < shortMax],
    ["links", -0.9, page.linkChars > page.chars * 0.6 && paragraphs < 5],
    ["teasers", -1, isTeased(around, own, chars)],
    ["dates", -2.3, around.filter(isDated).length >= datesMin],
    ["parts", -0.4, headings > headingsMax],
    ["crowded", -1.3, headings > headingsMax && chars < headings * crowdedMax],
    ["scraps", -0.6, body.blocks.length > 20 && shorts > body.blocks.length * 0.7],
    ["headlines", -0.7, page.linkedHeadings >= linkedHeadingsMin],
    ["listings", -1.2, meta.listings >= listingsMin],
    ["name", -1.1, isShortTitle(title)]
  ]
}

/** Each reason is evidence; their sum decides. */
export const articleReasons = (page: Page, body: Body, hints: Hints, content: Content): Reasons => {
  const rated = [...stated(page, content), ...shaped(hints.url), ...sold(page), ...written(page, body, content.title)]
  return Object.fromEntries(rated.flatMap(([reason, weight, holds]) => (holds ? [[reason, weight] as const] : [])))
}

/** Does the page itself speak for an article? Its address, which may outlive it, does not count. */
export const looksWritten = (reasons: Reasons): boolean =>
  Object.entries(reasons).reduce((sum, [reason, it]) => sum + (/^address/u.test(reason) ? 0 : it), 0) >= 0

export const isArticle = (reasons: Reasons): boolean =>
  Object.values(reasons).reduce((sum, it) => sum + it, 0) >= articleMin
