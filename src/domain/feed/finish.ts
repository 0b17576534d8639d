import type { Link } from "../reading.ts"
import { tokenize } from "../tokens.ts"
import { decodeOnce } from "../xml.ts"
import type { Feed, FeedEntry } from "./model.ts"

/** Most items taken from one feed: the newest (B185). */
export const ITEMS_MAX = 1_000
/** Longest title given to a link, in characters. */
const TITLE_MAX = 500

/** Titles come as text or as HTML without saying which: tags go, references are decoded, blanks fold. */
export const plainText = (html: string): string => {
  if (!/[<&]/.test(html)) return html.replace(/\s+/g, " ").trim()
  const pieces: Array<string> = []
  const text = (it: string) => void pieces.push(it)
  tokenize(html, "html", { open: () => text(" "), close: () => text(" "), text, cdata: text })
  return decodeOnce(pieces.join("")).replace(/\s+/g, " ").trim()
}

const dateOfEntry = (entry: FeedEntry): string => entry.published ?? entry.updated ?? ""

/** The newest items, still in the feed's order; of undated ones the first. */
const newest = (entries: ReadonlyArray<FeedEntry>): ReadonlyArray<FeedEntry> => {
  if (entries.length <= ITEMS_MAX) return entries
  const ranked = entries.map((entry, at) => ({ entry, at, date: dateOfEntry(entry) }))
  ranked.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : a.at - b.at))
  return ranked
    .slice(0, ITEMS_MAX)
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry)
}

const linksOf = (entries: ReadonlyArray<FeedEntry>): ReadonlyArray<typeof Link.Type> => {
  const links = new Map<string, typeof Link.Type>()
  for (const entry of entries) {
    const url = entry.link === null ? null : URL.parse(entry.link)
    if (url === null || !/^https?:$/.test(url.protocol) || links.has(url.href)) continue
    const title = entry.title === null ? null : plainText(entry.title).slice(0, TITLE_MAX) || null
    links.set(url.href, { url: url.href, looks: "article", title, published_at: entry.published ?? entry.updated })
  }
  return [...links.values()]
}

/** Applies the bound on items and derives the links. */
export const finish = (feed: Feed): Feed => {
  const entries = newest(feed.entries)
  const isCapped = entries.length < feed.entries.length
  return {
    ...feed,
    entries,
    links: linksOf(entries),
    flags: isCapped ? [...feed.flags, "feed_items_capped"] : feed.flags
  }
}
