import { Context, type Effect } from "effect"
import type { CrawlJob, Millis } from "./crawl.ts"
import type { BadData, Unavailable } from "./errors.ts"
import { polledBy } from "./slots.ts"

/** A run: all lists of one host that are due at the same slot (the sections of a portal, say). */
export interface Run {
  readonly host: string
  readonly slot: Millis
}
/** One list page of a run. */
export interface ListPage extends Run {
  readonly source_id: string
  readonly page: number
}
/** A list page that answered: how many links it has, and which of them are new. `links` null: unchanged since the last time. */
export interface Answered extends ListPage {
  readonly at: Millis
  readonly links: number | null
  readonly fresh: ReadonlyArray<string>
}

/** What a run came to. */
export interface RunFacts extends Run {
  /** Lists that were due, and those whose first page answered. */
  readonly lists: number
  readonly answered: number
  /** Pages that were unchanged. */
  readonly unchanged: number
  readonly links: number
  /** New URLs, and those of them that led to a stored article. */
  readonly fresh: number
  readonly saved: number
  readonly due_at: Millis
  /** When the last thing of it happened; null: nothing ever did. */
  readonly last_at: Millis | null
}

/** Closed set: it labels a metric. */
export const runOutcomes = ["ok", "partial", "unchanged", "nothing_found", "nothing_saved", "lists_failed"] as const
export type RunOutcome = (typeof runOutcomes)[number]

/** Outcomes that an operator should look at: the site, its lists or its articles are not what they were. */
export const isAlarming = (it: RunOutcome): boolean =>
  it === "lists_failed" || it === "nothing_found" || it === "nothing_saved"

/**
 * What a run was, as a whole: one failing section is only part of it, but none that answers, none that shows a link, or new
 * links of which no article came are the run's own failure.
 * @source S3.2, S3.21
 */
export const runOutcome = (it: Omit<RunFacts, "host" | "slot" | "due_at" | "last_at">): RunOutcome => {
  if (it.answered === 0) return "lists_failed"
  if (it.fresh > 0 && it.saved === 0) return "nothing_saved"
  if (it.fresh === 0 && it.links === 0 && it.unchanged === 0) return "nothing_found"
  if (it.answered < it.lists) return "partial"
  return it.fresh === 0 ? "unchanged" : "ok"
}

/** The list page that a job fetches in its run; null: it is no scheduled poll of a list. */
export const listPageOf = (job: CrawlJob): ListPage | null => {
  const { host, paging, scheduled_at: slot, target } = job
  const source_id = polledBy(job)
  if (source_id === null || target.type !== "list") return null
  return { host, slot, source_id, page: paging?.page ?? 1 }
}

/**
 * What is known of runs. `due` and `answered` are idempotent: of several answers of one page the first holds, since whoever
 * asks again after a crash finds its links known.
 * `close` ends the runs that are over (every list answered and every new URL was visited) or older than `deadline_ms`; of many
 * callers one is told of each.
 */
export class Runs extends Context.Service<
  Runs,
  {
    readonly due: (lists: ReadonlyArray<ListPage>, at: Millis) => Effect.Effect<void, Unavailable | BadData>
    readonly answered: (page: Answered) => Effect.Effect<void, Unavailable | BadData>
    readonly close: (now: Millis, deadline_ms: number) => Effect.Effect<ReadonlyArray<RunFacts>, Unavailable>
  }
>()("crawler/Runs") {}
