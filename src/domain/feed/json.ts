import { Result } from "effect"
import { likelyCountry, parseDate } from "../dates.ts"
import { finish } from "./finish.ts"
import type { Feed, FeedEntry, FeedHints } from "./model.ts"

const isText = (value: unknown): value is string => typeof value === "string"
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): Readonly<Record<string, unknown>> | null => {
  const value = Result.getOrNull(Result.try((): unknown => JSON.parse(text.replace(/^\ufeff/, ""))))
  return isRecord(value) ? value : null
}

const text = (value: unknown): string | null => (isText(value) && value.trim() !== "" ? value.trim() : null)
const idOf = (value: unknown): string | null => (typeof value === "number" ? String(value) : text(value))

/** Is it a JSON Feed? Its version is an address of jsonfeed.org; some leave it out and only have items. */
export const isJsonFeed = (source: string): boolean => {
  if (/"version"\s*:\s*"https?:(?:\\?\/){2}(?:www\.)?jsonfeed\.org/.test(source.slice(0, 8192))) return true
  const feed = parsed(source)
  return (
    feed !== null &&
    Array.isArray(feed.items) &&
    isText(feed.title) &&
    feed.items.some((it) => isRecord(it) && ("url" in it || "id" in it))
  )
}

const authorOf = (record: Readonly<Record<string, unknown>>): string | null => {
  const authors = Array.isArray(record.authors) ? record.authors : [record.author]
  const names = authors.flatMap((it) => (isRecord(it) ? (text(it.name) ?? []) : (text(it) ?? [])))
  return names.length === 0 ? null : names.join(", ")
}

const resolved = (value: unknown, base: string): string | null => {
  const href = text(value)
  return href === null ? null : (URL.parse(href, base === "" ? undefined : base)?.href ?? href)
}

const dateOf = (value: unknown, hints: FeedHints): string | null => {
  const date = text(value)
  return date === null ? null : (parseDate(date, { ...hints, source: "feed" })?.at ?? null)
}

const entryOf = (item: unknown, base: string, hints: FeedHints): ReadonlyArray<FeedEntry> => {
  if (!isRecord(item)) return []
  const id = idOf(item.id)
  const tags = Array.isArray(item.tags) ? item.tags.flatMap((it) => text(it) ?? []) : []
  const permalink = id !== null && /^https?:/i.test(id) ? id : null
  return [
    {
      title: text(item.title),
      link: resolved(item.url, base) ?? resolved(item.external_url, base) ?? permalink,
      id,
      published: dateOf(item.date_published, hints),
      updated: dateOf(item.date_modified, hints),
      author: authorOf(item),
      summary: text(item.summary),
      content: text(item.content_html) ?? text(item.content_text),
      language: text(item.language),
      tags: [...new Set(tags)]
    }
  ]
}

/** JSON Feed 1.0 and 1.1; `null` for text that is no JSON object. */
export const readJsonFeed = (source: string, stated: FeedHints): Feed | null => {
  const feed = parsed(source)
  if (feed === null) return null
  const country = stated.country ?? likelyCountry(stated.url, text(feed.language))
  const hints = country === undefined ? stated : { ...stated, country }
  const items = Array.isArray(feed.items) ? feed.items : []
  const link = resolved(feed.home_page_url, hints.url)
  return finish({
    kind: "json",
    title: text(feed.title),
    subtitle: text(feed.description),
    link,
    language: text(feed.language),
    id: text(feed.feed_url),
    author: authorOf(feed),
    published: null,
    updated: null,
    entries: items.flatMap((it) => entryOf(it, link ?? hints.url, hints)),
    links: [],
    flags: []
  })
}
