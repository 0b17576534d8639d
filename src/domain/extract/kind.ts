import type { Content } from "../article.ts"
import { shapeOf } from "../list/looks.ts"
import type { Hints } from "../reading.ts"
import type { Body } from "./body.ts"
import type { Page } from "./content.ts"
import { typesOf } from "./linked.ts"
import { metaOf } from "./meta.ts"

/** A block of so many characters is a paragraph (Hangul and Han say more in fewer), of so many a long one. */
const paragraphMin = 50
const longMin = 200
const paragraphsMin = 3
/** Text of fewer characters is hardly one. */
const shortMax = 200
/** More headings than this make a page of parts: a service, a manual. */
const headingsMax = 5
/** From this sum on a page counts as an article. */
const articleMin = 1.95

type Reasons = Readonly<Record<string, number>>
type Rated = ReadonlyArray<readonly [reason: string, weight: number, holds: boolean]>

/**
 * What speaks for an article and against it, in the order of the page's parts. The weights are rounded from a regression over
 * 500 articles and 130 pages of services, shops and lists.
 */
const stated = ({ linked, meta }: Page, content: Content): Rated => {
  const types = linked.article === null ? [] : typesOf(linked.article)
  const all = new Set(linked.nodes.flatMap(typesOf))
  const isLinked = types.some((it) => /Article|BlogPosting|Report/u.test(it))
  const kind = metaOf(meta, "og:type") ?? ""
  return [
    ["json_ld", 1.2, isLinked],
    ["collection", -1, !isLinked && ["CollectionPage", "ItemList", "SearchResultsPage"].some((it) => all.has(it))],
    ["product", -1.7, !isLinked && (all.has("Product") || all.has("Offer"))],
    ["og_type", 0.9, /article/iu.test(kind)],
    ["og_website", -0.5, /website/iu.test(kind)],
    ["og_product", -2.7, /product/iu.test(kind)],
    ["article_body", 1.2, meta.props.has("articlebody")],
    ["author", 1.5, content.authors.length > 0],
    ["undated", -0.7, content.published === null],
    ["timed", 0.5, content.published?.source === "time"]
  ]
}

const shaped = (address: string): Rated => {
  const url = URL.parse(address)
  const path = url?.pathname ?? "/"
  const shape = url === null ? null : shapeOf(url)
  const isArticle = shape?.looks === "article"
  return [
    ["address", 1.4, isArticle],
    ["address_sure", 1.4, isArticle && shape.sure],
    ["root", -3, path === "/" || /^\/(?:index|home|main)(?:\.\w+)?$/iu.test(path)]
  ]
}

const written = ({ sheet }: Page, body: Body): Rated => {
  const plain = body.blocks.filter((it) => it.linkChars < it.chars / 3)
  const paragraphs = plain.flatMap((it) => it.text.split("\n")).filter((it) => it.length > paragraphMin)
  const total = sheet.blocks.reduce((sum, it) => sum + it.chars, 0)
  const linkShare = sheet.blocks.reduce((sum, it) => sum + it.linkChars, 0) / Math.max(1, total)
  return [
    ["text", 1.5, paragraphs.length >= paragraphsMin],
    ["long_paragraphs", 1, plain.filter((it) => it.chars > longMin).length >= paragraphsMin],
    ["short", -1.5, body.text.length < shortMax],
    ["links", -0.8, linkShare > 0.6 && paragraphs.length < 5],
    ["parts", -1.2, body.blocks.filter((it) => it.heading > 0).length > headingsMax]
  ]
}

/** Each reason is evidence; their sum decides. */
export const articleReasons = (page: Page, body: Body, hints: Hints, content: Content): Reasons => {
  const rated = [...stated(page, content), ...shaped(hints.url), ...written(page, body)]
  return Object.fromEntries(rated.flatMap(([reason, weight, holds]) => (holds ? [[reason, weight] as const] : [])))
}

export const isArticle = (reasons: Reasons): boolean =>
  Object.values(reasons).reduce((sum, it) => sum + it, 0) >= articleMin
