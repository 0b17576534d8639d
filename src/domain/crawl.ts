import { Schema } from "effect"
import { Paging } from "./paging.ts"

/** Milliseconds since 1970-01-01T00:00:00Z. Every instant inside the program has this form. */
export const Millis = Schema.Finite
export type Millis = number

/** Three classes of work, plus scheduled polls, which have a topic of their own. */
export const Priority = Schema.Literals(["high", "normal", "low"])
export type Priority = typeof Priority.Type

/** What a URL is expected to be. `auto` lets the reader decide from the document itself. */
export const TargetType = Schema.Literals(["auto", "article", "list", "feed", "sitemap", "search_results"])
export type TargetType = typeof TargetType.Type

/** Which fetcher a rule names. `auto` is the default chain: plain HTTP first, a browser where it is needed (S4.2). */
export const FetcherName = Schema.Literals(["auto", "http", "browser"])
export type FetcherName = typeof FetcherName.Type

/** Who decided a priority, in the order of the resolver chain (see `priority.ts`). */
export const PriorityBy = Schema.Literals(["retry", "override", "category", "score", "source", "rule", "default"])
export const PriorityDecision = Schema.Struct({ value: Priority, by: PriorityBy })
export type PriorityDecision = typeof PriorityDecision.Type

export const Target = Schema.Struct({
  url: Schema.String,
  type: TargetType,
  /** Stated by the source or an operator; absent means unclassified, never "low". */
  category: Schema.optionalKey(Schema.String),
  country: Schema.optionalKey(Schema.String),
  /** IANA zone for dates that state none. */
  zone: Schema.optionalKey(Schema.String),
  section: Schema.optionalKey(Schema.String),
  /** What the linking page, feed or sitemap said of it: a hint, used where the page itself says nothing. */
  title: Schema.optionalKey(Schema.String),
  published_at: Schema.optionalKey(Schema.String)
})
export type Target = typeof Target.Type

/**
 * How far links are followed from a job. `hops` left 0: links are read but not followed. `within` is a registrable
 * domain (or a host that has none); null: any. `lists`: links that look like lists are followed too.
 * `since` (ms): links dated earlier are not taken (SOURCE_BACKLOG).
 */
export const Follow = Schema.Struct({
  hops: Schema.Int,
  within: Schema.NullOr(Schema.String),
  lists: Schema.Boolean,
  since: Schema.NullOr(Millis)
})
export type Follow = typeof Follow.Type

/**
 * One URL to fetch. The crawl job is the only delivery of a chain: it is acknowledged after its last stage has stored.
 * `visit` numbers the fetches of a URL that were asked for on purpose (0 the first, then revisits, republishes).
 * `retry_count` counts Retryable outcomes of this very job.
 */
export const CrawlJob = Schema.Struct({
  id: Schema.String,
  source_id: Schema.NullOr(Schema.String),
  target: Target,
  host: Schema.String,
  priority: PriorityDecision,
  /** What its source asks for (the Source resolver), whoever decided: inherited by the links it leads to. */
  source_priority: Schema.optionalKey(Priority),
  fetcher: FetcherName,
  follow: Follow,
  visit: Schema.Int,
  scheduled_at: Millis,
  retry_count: Schema.Int,
  /** Polls of lists that have further pages. */
  paging: Schema.optionalKey(Paging)
})
export type CrawlJob = typeof CrawlJob.Type
