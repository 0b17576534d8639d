import type { Content } from "../article.ts"
import type { Hints } from "../reading.ts"
import type { Body } from "./body.ts"
import type { Page } from "./content.ts"
import {
  isDiscussion,
  isForumAddress,
  isLinkedArticle,
  isListPage,
  isManual,
  isMarkedArticle,
  isPostPage,
  namesCollection,
  namesProduct,
  placeOf
} from "./genre.ts"
import { metaOf } from "./meta.ts"

/** A block of so many characters is a paragraph (Hangul and Han say more in fewer), of so many a long one. */
const paragraphMin = 50
const longMin = 200
const paragraphsMin = 3
/** Text of fewer characters is hardly one. */
const shortMax = 200
/** More headings than this make a page of parts: a service, a manual. */
const headingsMax = 5
/** So many names are people who take part, not authors. */
const authorsMax = 5
/** A page of so many headings that are links is a list; of so many fields a form; of so many listings a manual. */
const linkedHeadingsMin = 15
const fieldsMin = 25
const listingsMin = 10
const pricesMin = 10
/** From this sum on a page counts as an article. */
const articleMin = -0.6

type Reasons = Readonly<Record<string, number>>
type Rated = ReadonlyArray<readonly [reason: string, weight: number, holds: boolean]>

/**
 * What speaks for an article and against it, in the order of the page's parts. The weights are rounded from a regression over
 * 900 articles and 180 pages of shops, services, forums, manuals and lists, held near those that news needs.
 */
const stated = (page: Page, content: Content): Rated => {
  const isLinked = isLinkedArticle(page)
  const isMarked = isMarkedArticle(page)
  const kind = metaOf(page.meta, "og:type") ?? ""
  const { authors, published } = content
  return [
    ["json_ld", 0.5, isLinked],
    ["marked", 1.1, isMarked],
    ["collection", -0.9, !isLinked && namesCollection(page)],
    ["product", -2.4, !isLinked && !isMarked && namesProduct(page)],
    ["forum", -6, !isLinked && isDiscussion(page)],
    ["manual", -7, isManual(page)],
    ["og_type", 0.6, /article/iu.test(kind)],
    ["og_product", -3, /product/iu.test(kind)],
    ["post_page", 1.2, isPostPage(page)],
    ["list_page", -0.3, isListPage(page)],
    ["author", 1.1, authors.length > 0 && authors.length <= authorsMax],
    ["undated", -0.9, published === null],
    ["page_date", -0.7, published?.source === "json-ld" && !isLinked]
  ]
}

const shaped = (address: string): Rated => {
  const place = placeOf(address)
  return [
    ["address", 1.1, place.article],
    ["address_sure", 1.7, place.sure],
    ["root", -3, place.root],
    ["forum_address", -2.3, isForumAddress(address)],
    ["manual_address", -1.9, place.manual],
    ["service_address", -3, place.service],
    ["shop_address", -2.7, place.shop]
  ]
}

const price = /[$€£₩¥]\s?\d|\b(?:USD|EUR|GBP)\s?\d|\d[\d.,]*\s?(?:€|원(?![가-힣])|EUR\b)/gu
const buying =
  /\b(?:add to (?:cart|basket|bag)|buy now|(?:out of|in) stock|free shipping|in den warenkorb|ajouter au panier|añadir al carrito|aggiungi al carrello)\b|장바구니|바로 ?구매|カートに入れる|加入购物车/iu
const offering =
  /\b(?:contact us|get (?:a )?(?:free )?quote|book (?:a|an|now)|schedule (?:a|an)|request (?:a|an)|get started|free (?:trial|consultation)|our (?:services|team|clients)|call us)\b|\b(?:unverbindlich(?:e|es)? (?:anfrag|angebot)|angebot anfordern|termin (?:vereinbaren|buchen)|jetzt (?:anfragen|buchen|bestellen)|nous contacter|demander un devis|cont[aá]ctenos|solicit[ae] (?:una? )?(?:demo|presupuesto))|상담 ?(?:신청|문의|예약)|견적 ?(?:문의|요청)|무료 ?(?:체험|상담)|お問い合わせはこちら|無料相談/iu
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
    ["offering", -1.2, offering.test(said)],
    ["prices", -0.6, (said.match(price)?.length ?? 0) >= pricesMin],
    ["form", -0.9, page.meta.fields >= fieldsMin]
  ]
}

const isShortTitle = (title: string): boolean =>
  title.trim().split(/\s+/u).length <= 2 && (title.match(/[^\u0000-\u024f]/gu)?.length ?? 0) < 8

const written = ({ meta, sheet }: Page, body: Body, title: string): Rated => {
  const plain = body.blocks.filter((it) => it.linkChars < it.chars / 3)
  const paragraphs = plain.flatMap((it) => it.text.split("\n")).filter((it) => it.length > paragraphMin)
  const total = sheet.blocks.reduce((sum, it) => sum + it.chars, 0)
  const linkShare = sheet.blocks.reduce((sum, it) => sum + it.linkChars, 0) / Math.max(1, total)
  const bodyChars = body.blocks.reduce((sum, it) => sum + it.chars, 0)
  const bodyLinks = body.blocks.reduce((sum, it) => sum + it.linkChars, 0)
  const linkedHeadings = sheet.blocks.filter((it) => it.heading > 0 && it.linkChars > it.chars * 0.7).length
  const shorts = body.blocks.filter((it) => it.chars < paragraphMin).length
  return [
    ["text", 0.9, paragraphs.length >= paragraphsMin],
    ["long_paragraphs", 0.2, plain.filter((it) => it.chars > longMin).length >= paragraphsMin],
    ["short", -1.4, body.text.length < shortMax],
    ["links", -0.8, linkShare > 0.6 && paragraphs.length < 5],
    ["linked_text", -1.4, bodyLinks > 0.3 * bodyChars],
    ["parts", -0.6, body.blocks.filter((it) => it.heading > 0).length > headingsMax],
    ["scraps", -0.6, body.blocks.length > 20 && shorts > body.blocks.length * 0.7],
    ["headlines", -0.7, linkedHeadings >= linkedHeadingsMin],
    ["listings", -1.2, meta.listings >= listingsMin],
    ["name", -1, isShortTitle(title)]
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
