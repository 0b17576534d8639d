import type { RawPage } from "./fetching.ts"

/** Characters of a page that are looked at: a marker further down belongs to no article's beginning. */
const lookedMax = 524_288
/** A page that shows this many characters is there, whatever its pictures wait for. */
const visibleMax = 600

/** Marks of content that a script brings later, and an application root that nothing is in yet. */
const markers: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["data-lazy-src", /\sdata-lazy-src\s*=/i],
  ["data-lazy", /\sdata-lazy(?:-[a-z]+)?(?:\s*=|[\s>])/i],
  ["lazyload", /\bclass\s*=\s*["'][^"']{0,200}\blazyload/i],
  [
    "empty_root",
    /<(?:div|main|section)\b[^>]{0,200}\bid\s*=\s*["']?(?:root|app|__next|__nuxt|main-app|application|svelte|gatsby)\b[^>]{0,200}>\s*(?:<noscript\b[^>]{0,100}>[^<]{0,500}<\/noscript>\s*)?<\//i
  ]
]

const hidden = ["script", "style", "noscript", "template", "svg"]

/** Where the tag that opens at `at` is over, with all that nobody sees; the text's end where it never is. Linear in all. */
const afterTag = (html: string, lower: string, at: number): number => {
  const end = (found: number, length: number) => (found < 0 ? html.length : found + length)
  if (lower.startsWith("<!--", at)) return end(html.indexOf("-->", at + 4), 3)
  const name = hidden.find((it) => lower.startsWith(it, at + 1) && !/[a-z0-9-]/.test(lower[at + 1 + it.length] ?? ""))
  if (name === undefined) return end(html.indexOf(">", at), 1)
  return end(html.indexOf(">", end(lower.indexOf(`</${name}`, at), 0)), 1)
}

/** Visible characters of the body, white space aside, counted no further than needed. */
const visible = (html: string): number => {
  const lower = html.toLowerCase()
  let count = 0
  for (let at = Math.max(0, lower.indexOf("<body")); at < html.length && count < visibleMax; ) {
    if (html[at] === "<") {
      at = afterTag(html, lower, at)
    } else {
      const next = html.indexOf("<", at)
      const end = next < 0 ? html.length : next
      count += html.slice(at, end).replace(/\s+/g, "").length
      at = end
    }
  }
  return count
}

/**
 * The marker that says a browser would see more of this page than came, or null (S4.2). Markers alone do not say so:
 * most sites load pictures late and bring their text at once, so the page must also be nearly bare.
 * @example lazyMarker('<body><div id="root"></div><script src="a.js"></script>') // => "empty_root"
 */
export const lazyMarker = (html: string): string | null => {
  const found = markers.find(([, pattern]) => pattern.test(html))
  if (found === undefined || !/<script\b/i.test(html)) return null
  return visible(html) < visibleMax ? found[0] : null
}

/** The same of a fetched page: only HTML answered with 2xx to plain HTTP. Markers are ASCII in every charset of the web. */
export const wantsBrowser = ({ raw, body }: { readonly raw: RawPage; readonly body: Uint8Array }): string | null => {
  const isHtml = raw.content_type === null || /html/i.test(raw.content_type)
  if (raw.fetcher !== "http" || raw.status < 200 || raw.status > 299 || !isHtml) return null
  const looked = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, lookedMax))
  return lazyMarker(looked.toString("latin1"))
}
