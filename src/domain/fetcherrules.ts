import { Context, Duration, type Effect } from "effect"
import type { FetcherName, Millis } from "./crawl.ts"
import type { BadData, Unavailable } from "./errors.ts"

/** Names of fetchers as operators and messages write them; those of the seeds are aliases (settled 8). */
const names: ReadonlyMap<string, FetcherName> = new Map([
  ["http", "http"],
  ["goquery", "http"],
  ["browser", "browser"],
  ["chromedp", "browser"],
  ["auto", "auto"]
])

/**
 * The fetcher a text names, or null.
 * @source REQUIREMENTS settled 8
 * @example fetcherNamed("chromedp") // => "browser"
 */
export const fetcherNamed = (text: string): FetcherName | null => names.get(text.trim().toLowerCase()) ?? null

/** The reason of a rule that the crawler set itself (S4.12). */
export const autoUpgradeReason = "auto_upgrade_validation"

/** How long a rule, or its absence, is remembered: a change by another process is seen within this time (S4.5). */
export const ruleLife = Duration.minutes(5)

/** Which fetcher one host gets. The host is matched exactly (S4.4). */
export interface FetcherRule {
  readonly host: string
  /** `auto` is the default chain: it counts as no rule. */
  readonly fetcher: FetcherName
  readonly reason: string | null
  /** Counts the changes of this rule; with a raw page's id it names a republish. */
  readonly version: number
  readonly updated_at: Millis
}

export interface RuleChange {
  readonly host: string
  readonly fetcher: FetcherName
  readonly reason: string | null
  /** Who changes it, for the audit log: `operator`, `crawler`. */
  readonly actor: string
}

/**
 * Fetcher rules (S4.3–S4.6). `of` answers from memory where it can, also that there is no rule, and asks the store once
 * however many fetches of one host wait for it. A change is one statement with its audit entry, and never touches the
 * host's priority_config (settled 6).
 */
export class FetcherRules extends Context.Service<
  FetcherRules,
  {
    readonly of: (host: string) => Effect.Effect<FetcherRule | null, Unavailable>
    /** From the store, by host. `host`: that one alone. */
    readonly list: (query: {
      readonly host?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<FetcherRule>, Unavailable>
    readonly set: (change: RuleChange) => Effect.Effect<FetcherRule, Unavailable | BadData>
    /** Back to the default chain; false: there was no rule. */
    readonly unset: (host: string, actor: string) => Effect.Effect<boolean, Unavailable>
    /** The next `of` asks the store. */
    readonly forget: (host: string) => Effect.Effect<void>
  }
>()("crawler/FetcherRules") {}
