import { type OptOut, robotsOptOuts } from "./optout.ts"
import { type Line, lines, ROBOTS_BYTES_MAX } from "./robots/lines.ts"
import { compile, type Pattern } from "./robots/pattern.ts"

export { ROBOTS_BYTES_MAX }

/** Longest crawl-delay believed (ms): as long as the setting FETCH_DELAY may be. */
export const CRAWL_DELAY_MAX_MS = 3_600_000
/** Sitemaps kept of one file. */
const SITEMAPS_MAX = 500

interface Rule {
  readonly allow: boolean
  readonly pattern: Pattern
}

/** What one robots.txt says to one crawler. */
export interface RobotsRules {
  /** The rules of the groups that apply; empty: everything is allowed. */
  readonly rules: ReadonlyArray<Rule>
  /** The longest crawl-delay of those groups; null: none asked. */
  readonly crawl_delay_ms: number | null
  /** `Sitemap:` values as written; they belong to no group. */
  readonly sitemaps: ReadonlyArray<string>
  /** Groups in the file, whoever they address; 0 in a page of HTML. */
  readonly groups: number
  /** What those groups say of use by AI. */
  readonly ai_opt_outs: ReadonlyArray<OptOut>
}

/** Who the group being read addresses, of those that matter here. */
interface Group {
  specific: boolean
  global: boolean
  /** A rule was read, so the next user-agent line begins a new group. */
  closed: boolean
}

/** The product token at the start of a user-agent value: letters, `_` and `-` (RFC 9309 §2.2.1). */
const product = (value: string): string => /^[a-z_-]*/i.exec(value)?.[0]?.toLowerCase() ?? ""

/** Blanks of ASCII only: after a no-break space the star is no longer alone. */
const isGlobal = (value: string): boolean => /^\*(?:$|[ \t\v\f])/.test(value)

const delayOf = (value: string): number | null => {
  const seconds = /^\d{1,9}(?:\.\d{1,6})?$/.test(value) ? Number(value) : 0
  return seconds > 0 ? Math.min(seconds * 1000, CRAWL_DELAY_MAX_MS) : null
}

const longer = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b))

/** `/dir/index.html` also allows `/dir/` itself, as Google reads it. */
const rulesOf = ({ key, value }: Line): ReadonlyArray<Rule> => {
  const allow = key === "allow"
  const rule = { allow, pattern: compile(value) }
  const index = allow ? value.lastIndexOf("/") : -1
  return index >= 0 && value.startsWith("/index.htm", index)
    ? [rule, { allow, pattern: compile(`${value.slice(0, index + 1)}$`, value) }]
    : [rule]
}

/**
 * Reads a robots.txt for the crawler with this product token (matched without case). Groups that name it are merged; if there are
 * none, those for `*` are. Never fails: what is no line of robots.txt says nothing. Over 500 KiB are cut at a line's end.
 * @source RFC 9309 §2.2, §2.5; Google's open parser where the RFC is silent (typing errors, prefixes of keys, index.html)
 */
export const parseRobots = (body: Uint8Array, agent: string): RobotsRules => {
  const wanted = agent.toLowerCase()
  const specific: Array<Rule> = []
  const global: Array<Rule> = []
  const delays: { specific: number | null; global: number | null } = { specific: null, global: null }
  const sitemaps: Array<string> = []
  const signals: { specific: Array<string>; global: Array<string> } = { specific: [], global: [] }
  const group: Group = { specific: false, global: false, closed: false }
  let named = false
  let groups = 0
  for (const line of lines(body)) {
    if (line.key === "user-agent") {
      if (group.closed || groups === 0) groups += 1
      if (group.closed) Object.assign(group, { specific: false, global: false, closed: false })
      if (isGlobal(line.value)) group.global = true
      else if (product(line.value) === wanted) {
        group.specific = true
        named = true
      }
    } else if (line.key === "sitemap") {
      if (sitemaps.length < SITEMAPS_MAX) sitemaps.push(line.value)
    } else if (line.key === "crawl-delay") {
      if (group.specific) delays.specific = longer(delays.specific, delayOf(line.value))
      if (group.global) delays.global = longer(delays.global, delayOf(line.value))
    } else if (line.key === "content-signal") {
      if (group.specific) signals.specific.push(line.value)
      if (group.global) signals.global.push(line.value)
    } else {
      group.closed = group.closed || groups > 0
      if (group.specific) specific.push(...rulesOf(line))
      else if (group.global) global.push(...rulesOf(line))
    }
  }
  const crawl_delay_ms = named ? delays.specific : delays.global
  const ai_opt_outs = robotsOptOuts(named ? signals.specific : signals.global)
  return { rules: named ? specific : global, crawl_delay_ms, sitemaps, groups, ai_opt_outs }
}

/** The part of a URL that rules are matched against: path and query, `/` if there is none. */
export const robotsPath = (url: string): string => {
  const start = url.startsWith("//") ? 2 : 0
  const found = url.indexOf("://", start)
  const early = url.slice(start).search(/[/?;]/)
  const authority = found < 0 || (early >= 0 && start + early < found) ? start : found + 3
  const offset = url.slice(authority).search(/[/?;]/)
  const hash = url.indexOf("#", start)
  const from = authority + offset
  if (offset < 0 || (hash >= 0 && hash < from)) return "/"
  const path = url.slice(from, hash < 0 ? undefined : hash)
  return path.startsWith("/") ? path : `/${path}`
}

/** A verdict on one URL. `rule` is the line that decided, as written; null: none matched. */
export interface RobotsVerdict {
  readonly allowed: boolean
  readonly rule: string | null
}

/**
 * May the URL be fetched? The longest matching rule decides, allow wins a tie, no match allows.
 * @source RFC 9309 §2.2.2
 * @example verdict(parseRobots(bytes("user-agent: *\ndisallow: /p"), "crawler"), "https://a.kr/p/1").allowed // => false
 */
export const verdict = (rules: RobotsRules, url: string): RobotsVerdict => {
  const path = robotsPath(url)
  let best: Rule | null = null
  for (const rule of rules.rules) {
    const length = rule.pattern.length
    // An empty pattern matches nothing: `Disallow:` allows everything.
    if (length === 0 || length < (best?.pattern.length ?? 0)) continue
    const stronger = best === null || length > best.pattern.length || (rule.allow && !best.allow)
    if (stronger && rule.pattern.matches(path)) best = rule
  }
  if (best === null) return { allowed: true, rule: null }
  return { allowed: best.allow, rule: `${best.allow ? "allow" : "disallow"}: ${best.pattern.text}` }
}
