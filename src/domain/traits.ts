import { createHash } from "node:crypto"
import { Context, type Effect, Schema } from "effect"
import type { Content } from "./article.ts"
import type { CrawlJob, Millis } from "./crawl.ts"
import type { Unavailable } from "./errors.ts"
import { plain } from "./extract/title.ts"
import type { RawPage } from "./fetching.ts"
import type { Named } from "./identity.ts"
import type { Planned } from "./ports.ts"
import { identityOf, learnPattern, normaliseUrl, urlKey } from "./url.ts"

/** What a page looks like, so that it is known again under another address: its title and the smallest hashes of its lines. */
export const Print = Schema.Struct({ title: Schema.String, lines: Schema.Array(Schema.String) })
export type Print = typeof Print.Type

/** What a host's addresses and pages have taught. */
export interface HostTraits {
  /** Addresses that agree in what this pattern names are one article (field case B15). */
  readonly identity: string | null
  /** What it answers for an address it does not have; null: it says so by its status, or was not asked. */
  readonly missing: Print | null
  readonly probed_at: Millis | null
  /** Its front page. */
  readonly home: Print | null
  readonly home_at: Millis | null
}
export const noTraits: HostTraits = { identity: null, missing: null, probed_at: null, home: null, home_at: null }

/** A page by its address and the article it became. */
export interface Twin extends Named {
  readonly url: string
}

/** What is learned of hosts by looking at their pages. */
export class Traits extends Context.Service<
  Traits,
  {
    /** May hosts be asked for an address that they cannot have? */
    readonly probes: boolean
    /** Remembered for a while by each process. */
    readonly of: (host: string) => Effect.Effect<HostTraits, Unavailable>
    readonly learn: (host: string, change: Partial<HostTraits>) => Effect.Effect<void, Unavailable>
    /** Pages of that host with the very same text that this process saw lately, the first one first; this one is noted. */
    readonly twins: (host: string, text: string, page: Twin) => Effect.Effect<ReadonlyArray<Twin>>
  }
>()("crawler/Traits") {}

const digest = (text: string): string => createHash("sha1").update(text).digest("hex").slice(0, 10)

/** Lines of a page that are looked at, characters from which a line counts, and hashes kept. */
const linesMax = 400
const lineMin = 8
const printSize = 16

export const printOf = ({ text, title }: Pick<Content, "title" | "text">): Print => {
  const lines = text.split("\n").slice(0, linesMax).map(plain)
  const hashes = new Set(lines.filter((it) => it.length >= lineMin).map(digest))
  return { title: plain(title), lines: [...hashes].toSorted().slice(0, printSize) }
}

/** Pages of one title are the same from this share of common lines on; of different titles only if nearly all agree. */
const titledShare = 0.5
const untitledShare = 0.9

export const isSamePrint = (one: Print, other: Print): boolean => {
  const all = Math.max(one.lines.length, other.lines.length)
  const known = new Set(other.lines)
  const share = all === 0 ? 0 : one.lines.filter((it) => known.has(it)).length / all
  if (one.title === other.title && one.title !== "") return all === 0 || share >= titledShare
  return share >= untitledShare
}

/** Text of so many characters under two addresses is no coincidence. */
export const twinMin = 200

/** A number, or letters and digits mixed as no word has them; `page-2` and `section12` name other things. */
const looksLikeId = (segment: string): boolean =>
  /\d{4,}/.test(segment) || /^[A-Z]+[-_]?\d{2,}$/.test(segment) || /^(?=.*\d)(?=.*[a-f])[0-9a-f-]{12,}$/i.test(segment)

const keyIn = (pattern: string, address: string): string | null => {
  const url = URL.parse(address)
  const { by, identity } = identityOf({ url: address, canonical: null, rulePattern: pattern })
  return url === null || by !== "rule" ? null : `${url.origin}/#${identity}`
}

/** The name that all addresses of one article share under a host's learned pattern; null: the pattern does not speak of it. */
export const learnedKey = ({ identity }: Pick<HostTraits, "identity">, url: string): string | null => {
  const key = identity === null ? null : keyIn(identity, url)
  return key === null ? null : urlKey(key)
}

/**
 * The pattern that addresses of one text teach, unless it would make one article of known ones with different titles, or
 * what it takes for a number is none.
 */
export const patternOf = (
  urls: ReadonlyArray<string>,
  known: ReadonlyArray<{ readonly url: string; readonly title: string }>
): string | null => {
  const pattern = learnPattern(urls)
  const [first] = urls
  if (pattern === null || first === undefined) return null
  const id = /id=([^&]+)/.exec(keyIn(pattern, first) ?? "")?.[1]
  if (id === undefined || !looksLikeId(id)) return null
  const titles = new Map<string, string>()
  for (const { title, url } of known) {
    const key = keyIn(pattern, url)
    if (key === null) continue
    if ((titles.get(key) ?? title) !== title) return null
    titles.set(key, title)
  }
  return pattern
}

/** A host is asked at most this often. */
export const probeEveryMs = 24 * 3_600_000
const probePrefix = "probe."
export const isProbe = ({ id }: CrawlJob): boolean => id.startsWith(probePrefix)

/** The job that asks a host for an address that it cannot have: another one each day. @source field case B33 */
export const probeOf = ({ final_url, host }: RawPage, now: Millis): Planned | null => {
  const day = Math.floor(now / probeEveryMs)
  const name = createHash("sha256").update(`${host} ${day}`).digest("hex").slice(0, 24)
  const url = URL.parse(`/${name}`, final_url)
  if (url === null || url.hostname !== host) return null
  const url_key = urlKey(normaliseUrl(url.href))
  const job: CrawlJob = {
    id: `${probePrefix}${url_key}.${day}`,
    source_id: null,
    target: { url: url.href, type: "article" },
    host,
    priority: { value: "normal", by: "default" },
    fetcher: "auto",
    follow: { hops: 0, within: null, lists: false, since: null },
    visit: day,
    scheduled_at: now,
    retry_count: 0
  }
  return { job, url_key, topic: "crawl.normal", pace_ms: 0, not_before: now }
}

const isRoot = (url: URL): boolean => url.pathname === "/" && url.search === ""

/** An article's address that leads to its site's front: the article is gone (field case B33). */
export const isSentHome = (raw: RawPage): boolean => {
  if (raw.hops.length === 0 || !isFront(raw)) return false
  const asked = URL.parse(raw.url)
  return asked !== null && !isRoot(asked)
}
export const isFront = ({ final_url }: RawPage): boolean => {
  const url = URL.parse(final_url)
  return url !== null && isRoot(url)
}
