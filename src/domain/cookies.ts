import type { Millis } from "./crawl.ts"
import { httpDate } from "./retryafter.ts"
import { publicDomain } from "./url/domain.ts"

/** A cookie as a redirect chain needs it: kept while the chain lasts, then forgotten. */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  /** Sent to this very host only. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
}

/** Cookies of one chain, and bytes of one cookie: what browsers take of a host (RFC 6265 §6.1). */
const COOKIES_MAX = 50
const COOKIE_BYTES_MAX = 4096

const domainMatch = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

const pathMatch = (path: string, prefix: string): boolean =>
  path === prefix || (path.startsWith(prefix) && (prefix.endsWith("/") || path[prefix.length] === "/"))

const directory = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")))

const expired = (attributes: ReadonlyMap<string, string>, now: Millis): boolean => {
  const age = attributes.get("max-age")
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0
  const until = httpDate(attributes.get("expires") ?? "")
  return until !== null && until <= now
}

/** A cookie that a host may set: for itself, or for a domain above it that is no public suffix. */
const parse = (line: string, url: URL, now: Millis): { readonly cookie: Cookie; readonly gone: boolean } | null => {
  const [pair = "", ...rest] = line.split(";")
  const at = pair.indexOf("=")
  const name = pair.slice(0, at).trim()
  if (at < 0 || name === "" || line.length > COOKIE_BYTES_MAX || /[\u0000-\u001f\u007f]/.test(line)) return null
  const attributes = new Map(
    rest.map((it) => {
      const [key = "", ...value] = it.split("=")
      return [key.trim().toLowerCase(), value.join("=").trim()] as const
    })
  )
  const asked = (attributes.get("domain") ?? "").toLowerCase().replace(/^\./, "")
  const hostOnly = asked === "" || asked === url.hostname
  if (!hostOnly && (!domainMatch(url.hostname, asked) || publicDomain(asked) === null)) return null
  const path = attributes.get("path") ?? ""
  const cookie = {
    name,
    value: pair.slice(at + 1).trim(),
    domain: hostOnly ? url.hostname : asked,
    hostOnly,
    path: path.startsWith("/") ? path : directory(url.pathname.split("?")[0] ?? "/"),
    secure: attributes.has("secure")
  }
  return { cookie, gone: expired(attributes, now) }
}

const same = (a: Cookie, b: Cookie): boolean => a.name === b.name && a.domain === b.domain && a.path === b.path

/** The cookies after an answer of `href` with these Set-Cookie lines. */
export const keep = (
  jar: ReadonlyArray<Cookie>,
  href: string,
  lines: ReadonlyArray<string>,
  now: Millis
): ReadonlyArray<Cookie> => {
  const url = URL.parse(href)
  if (url === null || lines.length === 0) return jar
  return lines.slice(0, COOKIES_MAX).reduce((kept, line) => {
    const set = parse(line, url, now)
    if (set === null) return kept
    const others = kept.filter((it) => !same(it, set.cookie))
    return (set.gone ? others : [...others, set.cookie]).slice(-COOKIES_MAX)
  }, jar)
}

/** The Cookie header for a request to `href`; null: none. */
export const cookieHeader = (jar: ReadonlyArray<Cookie>, href: string): string | null => {
  const url = jar.length === 0 ? null : URL.parse(href)
  if (url === null) return null
  const fitting = jar.filter(
    (it) =>
      (it.hostOnly ? url.hostname === it.domain : domainMatch(url.hostname, it.domain)) &&
      pathMatch(url.pathname, it.path) &&
      (!it.secure || url.protocol === "https:")
  )
  return fitting.length === 0 ? null : fitting.map(({ name, value }) => `${name}=${value}`).join("; ")
}
