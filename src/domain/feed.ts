import { likelyCountry } from "./dates.ts"
import { entryOf } from "./feed/entry.ts"
import { attributeOf, authorOf, dateOf, linkOf, textField } from "./feed/field.ts"
import { finish } from "./feed/finish.ts"
import { isJsonFeed, readJsonFeed } from "./feed/json.ts"
import type { Feed, FeedHints, Source } from "./feed/model.ts"
import { keyOf, kindOf } from "./feed/space.ts"
import { fromRoot } from "./xml/root.ts"
import { elements, parseXml, type XmlElement } from "./xml.ts"

export { ITEMS_MAX } from "./feed/finish.ts"
export type { Feed, FeedEntry, FeedHints } from "./feed/model.ts"

/** How much of a document tells its kind, in characters. */
const HEAD_CHARS = 8192

const FEED_ROOT = /^<(?:[\w.-]+:)?(?:rss|rdf|feed|channel)[\s/>]/i

/** Is it a feed, by its first element? What stands before it (blanks, comments, a style sheet) does not count. */
export const isFeed = (text: string): boolean => {
  const head = text.slice(0, HEAD_CHARS)
  if (/^\ufeff?\s*\{/.test(head)) return isJsonFeed(text)
  return FEED_ROOT.test(fromRoot(head) ?? "")
}

/** Items wherever they stand: beside the channel (RSS 1.0), in it, or in an item that was never closed. */
const itemsOf = (parent: XmlElement, root: XmlElement): ReadonlyArray<XmlElement> =>
  elements(parent).flatMap((it) => {
    const key = keyOf(it, root)
    const isItem = key === "item" || key === "entry"
    if (isItem) return [it, ...itemsOf(it, root)]
    return key === "channel" || key === "items" || key === "feed" || key === "rdf:rdf" || key === "rss"
      ? itemsOf(it, root)
      : []
  })

const FAULTS: Readonly<Record<string, string>> = {
  bare_ampersand: "feed_bare_ampersand",
  undeclared_entity: "feed_undeclared_entity",
  leading_text: "feed_leading_text",
  elements_capped: "feed_elements_capped"
}

const empty = (flags: ReadonlyArray<string>): Feed => ({
  kind: "unknown",
  title: null,
  subtitle: null,
  link: null,
  language: null,
  id: null,
  author: null,
  published: null,
  updated: null,
  entries: [],
  links: [],
  flags
})

const isTop = (it: XmlElement): boolean => /^(?:rss|rdf|feed|channel)$/.test(it.local)

const topOf = (roots: ReadonlyArray<XmlElement>): XmlElement | undefined =>
  roots.find(isTop) ?? roots.flatMap((it) => elements(it)).find(isTop) ?? roots[0]

const languageOf = (channel: XmlElement, source: Source, hints: FeedHints): string | null => {
  const stated = textField(channel, source, ["language", "dc:language"]) ?? (channel.language || source.root.language)
  return stated === "" ? (hints.language ?? null) : stated.replace("_", "-")
}

/** Dates without a zone go by the country that the source states, else by the feed's own. */
const placed = (hints: FeedHints, language: string | null): FeedHints => {
  const country = hints.country ?? likelyCountry(hints.url, language)
  return country === undefined ? hints : { ...hints, country }
}

/**
 * Reads RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, and JSON Feed. Never fails: a broken feed gives the items that could
 * be read and a flag per fault; text without any gives no entries and `feed_unreadable`.
 * @source field case B31; bad inputs B185, B186
 */
export const readFeed = (text: string, stated: FeedHints): Feed => {
  if (/^\ufeff?\s*\{/.test(text.slice(0, HEAD_CHARS))) return readJsonFeed(text, stated) ?? empty(["feed_unreadable"])
  const document = parseXml(text)
  const root = topOf(document.roots)
  if (root === undefined) return empty(["feed_unreadable"])
  const items = document.roots.flatMap((it) =>
    it === root ? itemsOf(it, root) : keyOf(it, root) === "item" ? [it] : []
  )
  const channel = elements(root).find((it) => keyOf(it, root) === "channel") ?? root
  const source = { root, base: stated.url }
  const language = languageOf(channel, source, stated)
  const hints = placed(stated, language)
  const link = linkOf(channel, source)
  const inner = { root, base: link !== null && URL.parse(link) !== null ? link : hints.url }
  const entries = items.flatMap((it) => entryOf(it, inner, hints))
  const isCut = document.faults.has("unclosed")
  const flags = [...document.faults].flatMap((it) => FAULTS[it] ?? [])
  return finish({
    kind: kindOf(root),
    title: textField(channel, source, ["title", "dc:title"]),
    subtitle: textField(channel, source, [
      "description",
      "subtitle",
      "tagline",
      "dc:description",
      "itunes:subtitle",
      "abstract"
    ]),
    link,
    language,
    id: textField(channel, source, ["id", "guid", "dc:identifier"]) ?? attributeOf(channel, "rdf:about"),
    author: authorOf(channel, source),
    published: dateOf(channel, source, ["pubdate", "published", "issued", "dcterms:issued"], hints),
    updated: dateOf(channel, source, ["updated", "modified", "lastbuilddate", "dcterms:modified", "dc:date"], hints),
    entries,
    links: [],
    flags: isCut ? [...flags, "feed_truncated"] : flags
  })
}
