import { Context, type Effect, Result } from "effect"
import type { Content, Verdict } from "./article.ts"
import type { CrawlJob, FetcherName, Millis } from "./crawl.ts"
import type { BadData, Unavailable } from "./errors.ts"
import { autoUpgradeReason, type FetcherRule, fetcherNamed } from "./fetcherrules.ts"
import type { RawPage } from "./fetching.ts"
import type { Policy } from "./policy.ts"
import type { DocumentKind } from "./reading.ts"

/** Why an article page counts against its fetcher: nothing matched, or what matched is too short (S4.7). */
export type FailureReason = "parse" | "empty_body"

/** What is looked at: one parsed page. */
export interface Parsed {
  readonly job: CrawlJob
  readonly raw: RawPage
  readonly verdict: Verdict
  readonly kind: DocumentKind
  readonly content: Content | null
}

type Bounds = Pick<Policy["Service"]["upgrade"], "titleMin" | "contentMin">

/** Code points, white space aside. */
const lengthOf = (text: string): number => [...text.trim()].length

const isHtml = ({ content_type }: RawPage): boolean =>
  content_type === null || /html|xml|text\/plain/i.test(content_type)

/**
 * Does this page say that its host needs another fetcher? Only article pages (S4.8), only documents answered with 2xx,
 * whose emptiness nothing else explains: a wall, a challenge, a soft 404 or an uncertain charset would look the same to a
 * browser. Resets, 429, 5xx and DNS never come this far.
 */
export const failureOf = ({ job, raw, verdict, kind, content }: Parsed, bounds: Bounds): FailureReason | null => {
  const isArticle = job.target.type === "article" || (job.target.type === "auto" && kind === "article")
  if (!isArticle || raw.status < 200 || raw.status > 299 || !isHtml(raw)) return null
  if (verdict !== "ok" && verdict !== "empty") return null
  if (content === null || content.text.trim() === "") return "parse"
  return lengthOf(content.title) < bounds.titleMin || lengthOf(content.text) < bounds.contentMin ? "empty_body" : null
}

/** What a host's failures lead to. `alert`: an operator should look; nothing is changed. */
export type Consequence = "none" | "upgrade" | "alert" | "straggler"

/** How long after an upgrade plain pages may still come in: other processes remember the old rule for a while. */
const straggleMs = 600_000

/**
 * What follows from one more failure of a host (S4.10, S4.17, S4.19).
 * A page fetched plainly just before its host's upgrade is a straggler of that cycle; a page that even a browser brought
 * empty leads to an alert, never to another rule.
 */
export const consequenceOf = (
  facts: {
    readonly fetcher: RawPage["fetcher"]
    readonly fetched_at: Millis
    readonly count: number
    readonly rule: FetcherRule | null
  },
  policy: Policy["Service"]["upgrade"]
): Consequence => {
  const { count, fetched_at, fetcher, rule } = facts
  if (rule?.fetcher === "browser") {
    const late = fetched_at <= rule.updated_at + straggleMs
    if (fetcher === "http" && rule.reason === autoUpgradeReason) return policy.enabled && late ? "straggler" : "none"
    return count >= policy.threshold ? "alert" : "none"
  }
  // Switched off, failures are still counted (S4.27); nothing else happens.
  if (count < policy.threshold || !policy.enabled) return "none"
  return policy.browser && fetcher === "http" ? "upgrade" : "alert"
}

/** The headers of a republished job (S4.14). */
export const forceHeader = "force_fetcher"
export const retryReason = "validation_upgrade"

/** The only authority for `force_fetcher`: a row that no outside producer can write (S4.15). */
export interface Republish {
  readonly job_id: string
  readonly url: string
  readonly target_type: string
  readonly fetcher: FetcherName
  readonly closed: boolean
}

/** Why a `force_fetcher` is not obeyed. A closed set: it labels a metric. */
export const forceRefusals = ["malformed", "unknown", "closed", "mismatch"] as const
export type ForceRefusal = (typeof forceRefusals)[number]

/** May this job force its fetcher? @source DESIGN "force_fetcher", bad inputs B200–B203 */
export const forcedFetcher = (
  header: string,
  job: CrawlJob,
  row: Republish | null
): Result.Result<FetcherName, ForceRefusal> => {
  const name = fetcherNamed(header)
  if (name === null || name === "auto") return Result.fail("malformed")
  if (row === null) return Result.fail("unknown")
  const matches =
    row.job_id === job.id && row.url === job.target.url && row.target_type === job.target.type && row.fetcher === name
  if (!matches) return Result.fail("mismatch")
  return row.closed ? Result.fail("closed") : Result.succeed(name)
}

/** Sliding windows of distinct members (settled 9): a failure delivered ten times counts once. */
export class Windows extends Context.Service<
  Windows,
  {
    /** Adds a member at its instant; forgets what is older than `span_ms` before it; answers how many are left. */
    readonly add: (key: string, member: string, at: Millis, span_ms: number) => Effect.Effect<number, Unavailable>
    readonly clear: (key: string) => Effect.Effect<void, Unavailable>
  }
>()("crawler/Windows") {}

/** The window of a host's failures (S4.9). */
export const failureWindow = (host: string): string => `fetcher:fail:${host}`

/** One page that counted. */
export interface PageFailure {
  readonly raw_id: string
  readonly job: CrawlJob
  readonly fetcher: RawPage["fetcher"]
  readonly reason: FailureReason
  readonly at: Millis
}
export interface AuditEntry {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly facts: Readonly<Record<string, unknown>>
}
/** How the failed pages of a cycle are fetched again: at most so many, this far apart (S4.20). */
export interface Cycle {
  readonly host: string
  /** Failures at or after this instant. */
  readonly since: Millis
  readonly max: number
  readonly spacing_ms: number
}

/**
 * The store of what fetching learned. `upgrade` raises the rule and inserts the republished jobs with their rows in one
 * statement; of many callers at once exactly one is told `upgraded` (S4.18). `straggler` adds one page to a running
 * cycle, within its bound.
 */
export class Upgrades extends Context.Service<
  Upgrades,
  {
    /** Kept by raw id, so that an upgrade can fetch it again. */
    readonly note: (failure: PageFailure) => Effect.Effect<void, Unavailable | BadData>
    readonly upgrade: (
      cycle: Cycle
    ) => Effect.Effect<{ readonly upgraded: boolean; readonly republished: number }, Unavailable>
    readonly straggler: (cycle: Cycle, failure: PageFailure) => Effect.Effect<boolean, Unavailable>
    readonly authority: (job_id: string) => Effect.Effect<Republish | null, Unavailable>
    readonly close: (job_id: string) => Effect.Effect<void, Unavailable>
    /**
     * May hosts be raised now? An operator's switch, for all processes at once: `upgrade` and `straggler` obey it in the very
     * step that would raise (S4.26).
     */
    readonly allowed: Effect.Effect<boolean, Unavailable>
    /** Turns the switch, audited; answers whether that changed anything. */
    readonly allow: (allowed: boolean, actor: string) => Effect.Effect<boolean, Unavailable>
    /** At most `auditMax` entries of one action and subject in an hour: a flood is a number, not a log. */
    readonly audit: (entry: AuditEntry) => Effect.Effect<void, Unavailable>
  }
>()("crawler/Upgrades") {}

/** @see Upgrades.audit */
export const auditMax = 20
