import type { Dated } from "../article.ts"
import { onClocksOf } from "../dates/clocks.ts"
import { dateInUrl, parseDate } from "../dates.ts"
import type { Hints } from "../reading.ts"
import type { Block } from "./blocks.ts"
import { attribute, type Element, inlineText } from "./element.ts"
import { textOf } from "./json.ts"
import type { Linked } from "./linked.ts"
import { type Meta, metaOf } from "./meta.ts"
import { ownAddress } from "./title.ts"

/** Where a date is looked for, and how its finding is called. */
interface Candidate {
  readonly text: string | null | undefined
  readonly source: string
  readonly relative?: boolean
}

/** A line longer than this is prose: dates in it are told, not stated. */
const lineMax = 160

const publishedNames = [
  "article:published_time",
  "og:article:published_time",
  "og:published_time",
  "datepublished",
  "date.published",
  "publishdate",
  "publish-date",
  "publish_date",
  "published_time",
  "pubdate",
  "parsely-pub-date",
  "sailthru.date",
  "dc.date.issued",
  "dcterms.created",
  "dcterms.issued",
  "dcterms.date",
  "dc.date.created",
  "dc.date",
  "article.published",
  "article_date_original",
  "cxenseparse:recs:publishtime",
  "citation_publication_date",
  "citation_date",
  "bt:pubdate",
  "ptime",
  "article:post_date",
  "originalpublicationdate",
  "date_published",
  "published-date",
  "published_date",
  "rnews:datepublished",
  "vr:published_time",
  "datecreated",
  "eprints.date",
  "shareaholic:article_published_time"
]
const modifiedNames = [
  "article:modified_time",
  "og:updated_time",
  "datemodified",
  "dcterms.modified",
  "dc.date.modified",
  "last-modified",
  "lastmod",
  "dateupdate",
  "article:updated_time",
  "revised"
]

const optionsOf = (hints: Hints, candidate: Candidate) => ({
  fetched_at: hints.fetched_at,
  ...(hints.zone === undefined ? {} : { zone: hints.zone }),
  ...(hints.country === undefined ? {} : { country: hints.country }),
  relative: candidate.relative === true,
  source: candidate.source
})

/** Before the web no page was published: an older date in a text is told. */
const textMin = "1991"

/** A line that says first when it was changed, and then when it was published. */
const changed =
  /^(?:zuletzt |last |dernière )?(?:stand|aktualisiert|updated|actualizado|atualizado|aggiornato|mise? à jour|bijgewerkt|(?:최종)?수정|更新)(?!\p{L}).{6,60}?(?=veröffentlicht|erschienen|erstellt|published|posted|publi[ée]|publicado|pubblicato|gepubliceerd|입력|등록|승인|公開|掲載|配信)/iu

/** What only a style sheet sets apart: "Stand:3. März", "Apr 042013". */
const parted = (text: string): string =>
  text
    .replace(changed, "")
    .replace(/(\p{L}):(?=\d)/gu, "$1: ")
    .replace(/^(\p{L}{3,9}\.? \d{2})(?=(?:19|20)\d{2}(?!\d))/u, "$1 ")

const first = (candidates: Iterable<Candidate>, hints: Hints): Dated | null => {
  for (const it of candidates) {
    if (it.text === null || it.text === undefined || it.text.trim() === "") continue
    const dated = parseDate(parted(it.text.trim()), optionsOf(hints, it))
    if (dated !== null && (it.source !== "text" || dated.at >= textMin)) return dated
  }
  return null
}

const ofElement = (element: Element): string =>
  attribute(element, "datetime") ??
  attribute(element, "content") ??
  attribute(element, "data-date-time") ??
  attribute(element, "title") ??
  inlineText(element)

const propDates = (meta: Meta, ...names: ReadonlyArray<string>): ReadonlyArray<Candidate> =>
  names.flatMap((name) =>
    (meta.props.get(name) ?? []).map((it) => ({ text: ofElement(it), source: `itemprop:${name.toLowerCase()}` }))
  )

/** Digits of Arabic and Persian as those of ASCII. */
const western = (text: string): string =>
  foreignDigits.test(text) ? text.replace(foreignDigit, (it) => String((it.codePointAt(0) ?? 0) % 16)) : text
const foreignDigits = /[٠-٩۰-۹]{2}/u
const foreignDigit = /[٠-٩۰-۹]/gu

/** A date that leaves its year open is a guess; "3 hours ago" is not. */
const hasYear = (text: string): boolean =>
  /(?:19|20)\d\d|\d{1,2}[./]\d{1,2}[./]\d{2}(?!\d)|\bago\b|\bvor\b|전(?!\p{L})|前|\bhace\b|il y a/iu.test(western(text))

/** A whole date: a day, a month and a year. */
export const hasDay = (text: string): boolean =>
  // Every form has a year: most lines have no four digits, and that is told faster.
  /[\d٠-٩۰-۹]{4}/u.test(text) &&
  /\d[./-]\s?\d{1,2}[./-]\s?\d{4}|\d{4}[./-]\s?\d{1,2}[./-]\s?\d|\d\.?\s\p{L}{3,}\.?,?\s\d{4}|\p{L}{3}\.?\s\d{1,2},?\s\d{4}|\d{4}[년年]/u.test(
    western(text)
  )

/** What stands around the headline, where a page dates its article. */
export interface Near {
  /** Short blocks between a little before the headline and the beginning of the text, nearest to the headline first. */
  readonly lines: ReadonlyArray<Block>
  /** Lines of the text itself and behind it, the likeliest first; then short lines of the rest of the page. */
  readonly elsewhere: () => ReadonlyArray<string>
  /** Lines anywhere that say when something was published, from the word that says so on. */
  readonly posted: () => ReadonlyArray<string>
  /** `<time>` elements of the article's own part, in document order. */
  readonly times: ReadonlyArray<Element>
  /** Data attributes that name a date, of such elements. */
  readonly stamps: ReadonlyArray<readonly [Element, string]>
  /** Elements whose names say "date". */
  readonly named: ReadonlyArray<Element>
}

function* published(meta: Meta, linked: Linked, near: Near, hints: Hints): Generator<Candidate> {
  const { article } = linked
  if (article !== null) {
    yield { text: textOf(article.datePublished), source: "json-ld" }
  }
  for (const name of publishedNames) yield { text: metaOf(meta, name), source: `meta:${name}` }
  if (article !== null) {
    yield { text: textOf(article.dateCreated), source: "json-ld" }
    yield { text: textOf(article.uploadDate), source: "json-ld" }
  }
  for (const node of linked.nodes) yield { text: textOf(node.datePublished), source: "json-ld" }
  for (const node of linked.nodes) yield { text: textOf(node.uploadDate), source: "json-ld" }
  yield* propDates(meta, "datepublished", "datecreated")
  for (const it of near.times) yield { text: attribute(it, "datetime") ?? inlineText(it), source: "time" }
  yield { text: dateInUrl(ownAddress(hints.url)), source: "url" }
  for (const [element, value] of near.stamps) yield { text: value, source: `data:${element.tag}` }
  for (const it of near.named) {
    const text = inlineText(it)
    if (text.length <= lineMax && hasYear(text)) yield { text, source: "text", relative: true }
  }
  for (const { text } of near.lines)
    if (text.length <= lineMax && hasYear(text)) yield { text, source: "text", relative: true }
  for (const [element, value] of meta.stamps) yield { text: value, source: `data:${element.tag}` }
  yield { text: metaOf(meta, "date"), source: "meta:date" }
  for (const text of near.elsewhere()) if (hasYear(text)) yield { text, source: "text" }
  for (const text of near.posted()) yield { text, source: "text" }
  for (const it of meta.times) yield { text: attribute(it, "datetime") ?? inlineText(it), source: "time" }
  for (const text of [metaOf(meta, "og:title"), metaOf(meta, "description")])
    if (text !== null && text.length <= lineMax && hasDay(text)) yield { text, source: "text" }
  yield { text: hints.published_at, source: "feed" }
  for (const name of modifiedNames) yield { text: metaOf(meta, name), source: `meta:${name}` }
}

function* modified(meta: Meta, linked: Linked): Generator<Candidate> {
  if (linked.article !== null) yield { text: textOf(linked.article.dateModified), source: "json-ld" }
  for (const name of modifiedNames) yield { text: metaOf(meta, name), source: `meta:${name}` }
  yield* propDates(meta, "datemodified")
}

/** Dates that the page shows near its headline, looked at for the clocks they are read from. */
const shownMax = 12
const shownDates = ({ lines, named, times }: Near): ReadonlyArray<string> =>
  [
    ...times.flatMap((it) => [attribute(it, "datetime") ?? "", inlineText(it)]),
    ...named.map(inlineText),
    ...lines.map(({ text }) => text)
  ]
    .filter((it) => it.length <= lineMax && hasDay(it))
    .slice(0, shownMax)

/** When the article was first published, by the most trusted statement that can be read. */
export const publishedOf = (meta: Meta, linked: Linked, near: Near, hints: Hints): Dated | null => {
  const dated = first(published(meta, linked, near, hints), hints)
  return dated === null
    ? null
    : onClocksOf(dated, () => shownDates(near), optionsOf(hints, { text: "", source: dated.source }))
}

export const modifiedOf = (meta: Meta, linked: Linked, hints: Hints): Dated | null =>
  first(modified(meta, linked), hints)
