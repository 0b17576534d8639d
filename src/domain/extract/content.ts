import type { Content, Dated } from "../article.ts"
import { likelyCountry, parseDate } from "../dates.ts"
import { metaOptOuts } from "../optout.ts"
import type { Hints } from "../reading.ts"
import type { FieldName, ParsingRule } from "../rule.ts"
import { authorsOf } from "./authors.ts"
import type { Sheet } from "./blocks.ts"
import { type Body, bodyOf, html as htmlOf } from "./body.ts"
import { inlineText, words } from "./element.ts"
import { bannersOf, headingOf, headlineOf } from "./headline.ts"
import { listOf, textOf } from "./json.ts"
import { languageOf } from "./language.ts"
import { imageOf, type Linked } from "./linked.ts"
import { allMeta, type Meta, metaOf } from "./meta.ts"
import { cleanNames } from "./names.ts"
import { nearOf } from "./near.ts"
import { modifiedOf, publishedOf } from "./published.ts"
import { ruledElements, ruledValues } from "./ruled.ts"
import type { Source } from "./text.ts"
import { plain, siteNames, statedTitles, titleOf, unescaped } from "./title.ts"

/** Version of generic extraction: raised when the same page would read differently. */
export const genericVersion = 4
const tagsMax = 30
const tagMax = 80
const descriptionMax = 2000
const urlMax = 2048

/** Postgres takes neither NUL nor a lone surrogate; control characters say nothing in a text. */
export const clean = (text: string): string =>
  text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu, "")

const address = (href: string | null | undefined, base: string): string | null => {
  if (href === null || href === undefined || href === "") return null
  const url = URL.parse(href.trim(), base)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null
  return url.href.length <= urlMax ? clean(url.href) : null
}

const short = (text: string | null | undefined, max: number): string | null => {
  if (text === null || text === undefined) return null
  const it = clean(words(unescaped(text))).slice(0, max)
  return it === "" ? null : it.toWellFormed()
}

const tagsOf = (meta: Meta, linked: Linked, ruled: ReadonlyArray<string>): ReadonlyArray<string> => {
  const split = (it: string): ReadonlyArray<string> => it.split(/[,;|]/u)
  const stated =
    ruled.length > 0 ? ruled : allMeta(meta, "article:tag", "news_keywords", "keywords", "parsely-tags").flatMap(split)
  const keywords =
    linked.article === null ? [] : listOf(linked.article.keywords).flatMap((it) => split(textOf(it) ?? ""))
  const all = stated.length > 0 ? stated : keywords.length > 0 ? keywords : meta.tags.map(inlineText)
  const seen = new Map<string, string>()
  for (const raw of all) {
    const tag = short(raw.replace(/^[#\s]+/u, ""), tagMax)
    if (tag !== null && !seen.has(plain(tag))) seen.set(plain(tag), tag)
  }
  return [...seen.values()].slice(0, tagsMax)
}

export interface Page extends Source {
  readonly base: string
}

const confidenceOf = (body: Body, title: string): number => {
  const chars = Math.min(1, body.text.length / 1200)
  const paragraphs = Math.min(1, body.blocks.filter((it) => it.chars > 60).length / 3)
  return Math.round((0.2 * (title === "" ? 0 : 1) + 0.4 * chars + 0.25 * paragraphs + 0.15 * body.purity) * 1000) / 1000
}

const ruledDateOf = (sheet: Sheet, rule: ParsingRule | null, { country, fetched_at, zone }: Hints): Dated | null => {
  const options = {
    fetched_at,
    ...(zone === undefined ? {} : { zone }),
    ...(country === undefined ? {} : { country }),
    relative: true,
    source: "rule"
  }
  const found = ruledValues(sheet.tree, rule, "published_at").map((text) => parseDate(text, options))
  return found.find((it) => it !== null) ?? null
}

const imageNames = ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"]

/** The fields that describe an article rather than make it. */
const describe = ({ base, linked, meta, sheet }: Page, rule: ParsingRule | null) => {
  const { article } = linked
  const ruled = (field: FieldName): string | undefined => ruledValues(sheet.tree, rule, field)[0]
  const section = ruled("category") ?? metaOf(meta, "article:section", "parsely-section", "section")
  const image = ruled("images") ?? metaOf(meta, ...imageNames) ?? imageOf(linked, article?.image)
  const summary = ruled("summary") ?? metaOf(meta, "og:description", "description", "twitter:description")
  return {
    section: short(section ?? textOf(article?.articleSection), tagMax),
    tags: tagsOf(meta, linked, ruledValues(sheet.tree, rule, "tags")),
    image: address(image, base),
    description: short(summary ?? textOf(article?.description), descriptionMax),
    site_name: short(metaOf(meta, "og:site_name", "application-name") ?? textOf(article?.publisher), tagMax),
    canonical_url: address(meta.canonical ?? metaOf(meta, "og:url"), base)
  }
}

/** Zoneless times go by the clocks of the source's country, else of the one the page most likely comes from. */
const placedBy = (hints: Hints, meta: Meta): Hints => {
  const country = hints.country ?? likelyCountry(hints.url, meta.language)
  return country === undefined ? hints : { ...hints, country }
}

/** All a page says of its article: each field by the rule where it finds something, else by generic extraction. */
export const contentOf = (
  page: Page,
  hints: Hints,
  rule: ParsingRule | null
): { readonly content: Content; readonly judged: Body } => {
  const { linked, meta, sheet } = page
  const placed = placedBy(hints, meta)
  const ruled = ruledElements(sheet.tree, rule, "main_content")
  const { body, judged } = bodyOf(page, hints, ruled)
  const stated = statedTitles(meta, linked)
  const banners = bannersOf(sheet, meta, hints.url)
  const heading = headingOf(sheet, meta, judged.element, stated, banners)
  const ruledTitle = ruledValues(sheet.tree, rule, "title")[0]
  const names = siteNames(meta, linked, hints.url)
  const shown = heading === null ? "" : headlineOf(heading, stated)
  const stands = ruledTitle ?? titleOf(meta, linked, names, shown, banners.map(inlineText))
  const title = clean(stands) || clean(hints.title ?? "")
  const near = nearOf(sheet, meta, heading, judged.element, title)
  const ruledAuthors = cleanNames(ruledValues(sheet.tree, rule, "author"))
  const authors = ruledAuthors.length > 0 ? ruledAuthors : authorsOf(sheet.tree, meta, linked, near, names)
  const text = clean(body.text)
  const content: Content = {
    title,
    text,
    // Of the same blocks as the text, so as clean.
    html: !hints.html ? null : text === body.text ? htmlOf(body.blocks) : clean(htmlOf(body.blocks)),
    authors: authors.map(clean),
    published: ruledDateOf(sheet, rule, placed) ?? publishedOf(meta, linked, near, placed),
    modified: modifiedOf(meta, linked, placed),
    language: languageOf(meta, text),
    ...describe(page, rule),
    ai_opt_outs: metaOptOuts((name) => allMeta(meta, name)),
    extraction: {
      by: ruled.length > 0 && ruledTitle !== undefined ? "rule" : "generic",
      rule: rule?.id ?? null,
      version: rule?.version ?? genericVersion,
      confidence: confidenceOf(body, title)
    }
  }
  return { content, judged }
}
