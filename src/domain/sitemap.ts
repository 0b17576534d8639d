import { constants, gunzipSync } from "node:zlib"
import { Result } from "effect"
import { likelyCountry, parseDate } from "./dates.ts"
import { looksOf } from "./list/looks.ts"
import type { Hints, Link } from "./reading.ts"
import { registrableDomain } from "./url.ts"
import { fromRoot } from "./xml/root.ts"
import { elements, parseXml, textOf, type XmlElement } from "./xml.ts"

/** Most URLs taken from one sitemap; also the protocol's own limit. */
export const URLS_MAX = 50_000
/** Layers of gzip undone: a `.xml.gz` that was compressed again in transit has two (field case B19). */
const LAYERS_MAX = 2
/** Largest sitemap, inflated, in bytes; also the protocol's own limit. */
const INFLATED_MAX = 50 * 1024 * 1024
/** Largest ratio of inflated to compressed size that text reaches honestly. */
const RATIO_MAX = 200
/** Small files may inflate to this many bytes whatever their ratio. */
const INFLATED_MIN = 65_536
/** How much of a document tells its kind, in characters. */
const HEAD_CHARS = 8192
/** Longest title given to a link, in characters. */
const TITLE_MAX = 500

export type SitemapHints = Pick<typeof Hints.Type, "url" | "fetched_at" | "zone" | "country">
type ReadLink = typeof Link.Type

export interface Sitemap {
  readonly kind: "sitemap" | "sitemap_index" | "unknown"
  readonly links: ReadonlyArray<ReadLink>
  /** `sitemap_capped`, `sitemap_truncated`, `sitemap_foreign_links`. */
  readonly flags: ReadonlyArray<string>
}

const ROOT = /^<(?:[\w.-]+:)?(urlset|sitemapindex)[\s/>]/i

const isAddressLine = (line: string): boolean => /^https?:\/\/\S+$/i.test(line)

const lines = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .map((it) => it.trim())
    .filter((it) => it !== "")

/** Is it a sitemap: by its first element, or, as plain text, by every line being an address? */
export const isSitemap = (text: string): boolean => {
  const head = text.slice(0, HEAD_CHARS)
  const root = fromRoot(head)
  if (root !== null) return ROOT.test(root)
  const first = lines(head.length < text.length ? head.slice(0, head.lastIndexOf("\n") + 1) : head)
  return first.length > 0 && first.every(isAddressLine)
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

const inflate = (bytes: Uint8Array, finishFlush: number): Uint8Array | null => {
  const maxOutputLength = Math.min(INFLATED_MAX, Math.max(INFLATED_MIN, bytes.length * RATIO_MAX))
  return Result.getOrNull(Result.try((): Uint8Array => gunzipSync(bytes, { maxOutputLength, finishFlush })))
}

/**
 * Undoes gzip by its magic bytes, whatever the name or the content type say. Bytes that inflate beyond the bounds, or are
 * no gzip after all, come back empty with the flag `gzip_refused`; a cut stream gives what it holds (`gzip_truncated`).
 * @source field case B19
 */
export const ungzip = (bytes: Uint8Array): { readonly bytes: Uint8Array; readonly flags: ReadonlyArray<string> } => {
  let current = bytes
  const flags: Array<string> = []
  for (let layer = 0; layer < LAYERS_MAX && isGzip(current); layer += 1) {
    const whole = inflate(current, constants.Z_FINISH)
    const partial = whole ?? inflate(current, constants.Z_SYNC_FLUSH)
    if (partial === null) return { bytes: new Uint8Array(), flags: [...flags, "gzip_refused"] }
    if (whole === null) flags.push("gzip_truncated")
    current = partial
  }
  return isGzip(current) ? { bytes: new Uint8Array(), flags: [...flags, "gzip_refused"] } : { bytes: current, flags }
}

const child = (parent: XmlElement, ...names: ReadonlyArray<string>): XmlElement | undefined =>
  elements(parent).find((it) => it.closed && names.includes(it.local) && textOf(it).trim() !== "")

const location = (item: XmlElement, hints: SitemapHints): string | null => {
  const own = child(item, "loc")
  const bare = item.children.find((it) => typeof it === "string" && isAddressLine(it.trim()))
  const text = own === undefined ? (typeof bare === "string" ? bare : "") : textOf(own)
  const url = URL.parse(text.trim().replace(/\s+/g, ""), hints.url)
  return text.trim() !== "" && url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

const dateOf = (element: XmlElement | undefined, hints: SitemapHints): string | null => {
  if (element === undefined) return null
  const country = hints.country ?? likelyCountry(hints.url, null)
  const options = { ...hints, source: "sitemap", ...(country === undefined ? {} : { country }) }
  return parseDate(textOf(element), options)?.at ?? null
}

const ofUrl = (item: XmlElement, hints: SitemapHints): ReadonlyArray<ReadLink> => {
  const url = location(item, hints)
  if (url === null) return []
  const news = elements(item).find((it) => it.local === "news")
  const titled = news === undefined ? undefined : child(news, "title")
  const title = titled === undefined ? null : textOf(titled).replace(/\s+/g, " ").trim().slice(0, TITLE_MAX)
  const stated = news === undefined ? undefined : child(news, "publication_date")
  const published_at = dateOf(stated, hints) ?? dateOf(child(item, "lastmod"), hints)
  return [{ url, looks: news === undefined ? looksOf(url, hints.url) : "article", title, published_at }]
}

const ofIndex = (item: XmlElement, hints: SitemapHints): ReadonlyArray<ReadLink> => {
  const url = location(item, hints)
  return url === null
    ? []
    : [{ url, looks: "sitemap", title: null, published_at: dateOf(child(item, "lastmod"), hints) }]
}

/** The site of a URL; hosts repeat, so each is looked up once. */
const siteReader = (): ((url: string) => string) => {
  const known = new Map<string, string>()
  return (url) => {
    const host = /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ""
    const site = known.get(host) ?? registrableDomain(host)
    known.set(host, site)
    return site
  }
}

/**
 * A sitemap speaks for its own site; slots sold to others are dropped (field case B43). One that holds no link of its own
 * site, and only links of one other, is hosted elsewhere: whether that site's robots name it is checked by the caller.
 */
const ownSite = (links: ReadonlyArray<ReadLink>, base: string): ReadonlyArray<ReadLink> => {
  const site = siteReader()
  const own = links.filter(({ url }) => site(url) === site(base))
  const isElsewhere = own.length === 0 && new Set(links.map(({ url }) => site(url))).size === 1
  return isElsewhere ? links : own
}

const finish = (
  kind: Sitemap["kind"],
  found: ReadonlyArray<ReadLink>,
  hints: SitemapHints,
  flags: ReadonlyArray<string>
): Sitemap => {
  const unique = [...new Map(found.map((it) => [it.url, it] as const)).values()]
  const own = ownSite(unique, hints.url)
  const links = own.slice(0, URLS_MAX)
  const added = [
    ...(own.length < unique.length ? ["sitemap_foreign_links"] : []),
    ...(links.length < own.length ? ["sitemap_capped"] : [])
  ]
  return { kind, links, flags: [...flags, ...added] }
}

const readText = (text: string, hints: SitemapHints): Sitemap => {
  const urls = lines(text).filter(isAddressLine)
  const links = urls.slice(0, URLS_MAX + 1).flatMap((it): ReadonlyArray<ReadLink> => {
    const url = URL.parse(it)?.href
    return url === undefined ? [] : [{ url, looks: looksOf(url, hints.url), title: null, published_at: null }]
  })
  return finish(links.length > 0 ? "sitemap" : "unknown", links, hints, [])
}

/**
 * Reads a sitemap, a news sitemap, a sitemap index or a list of addresses. `published_at` is the news publication date,
 * else the last modification: the only date a plain sitemap has. Entities of a DOCTYPE are never expanded.
 * @source sitemaps.org protocol; Google news sitemaps; bad input B187 (depth is the caller's, who keeps the visited set)
 */
export const readSitemap = (text: string, hints: SitemapHints): Sitemap => {
  if (!/<[a-zA-Z]/.test(text.slice(0, HEAD_CHARS))) return readText(text, hints)
  const { roots, faults } = parseXml(text)
  const root = roots.find((it) => it.local === "urlset" || it.local === "sitemapindex")
  if (root === undefined) return { kind: "unknown", links: [], flags: [] }
  const flags = faults.has("unclosed") ? ["sitemap_truncated"] : []
  const items = elements(root)
  const isIndex = root.local === "sitemapindex" || (items.length > 0 && items.every((it) => it.local === "sitemap"))
  const links = items.flatMap((it) =>
    it.local === "sitemap" || isIndex ? ofIndex(it, hints) : it.local === "url" ? ofUrl(it, hints) : []
  )
  return finish(isIndex ? "sitemap_index" : "sitemap", links, hints, flags)
}
