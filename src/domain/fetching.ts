import { Schema } from "effect"
import { CrawlJob, Millis, PriorityDecision, Target, TargetType } from "./crawl.ts"
import { OptOut } from "./optout.ts"

/** One hop of a redirect chain, as answered. */
export const Hop = Schema.Struct({ url: Schema.String, status: Schema.Int })

/** Validators of an earlier answer, replayed byte for byte (field case B23). */
export const Validators = Schema.Struct({
  etag: Schema.NullOr(Schema.String),
  last_modified: Schema.NullOr(Schema.String)
})
export type Validators = typeof Validators.Type

/**
 * What a fetch brought back, without its body: the claim check that travels between stages. The body is raw bytes
 * (content-encoding undone, charset untouched) and is read from the store by `id`.
 */
export const RawPage = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  final_url: Schema.String,
  host: Schema.String,
  status: Schema.Int,
  content_type: Schema.NullOr(Schema.String),
  fetcher: Schema.Literals(["http", "browser", "file"]),
  fetched_at: Millis,
  elapsed_ms: Schema.Finite,
  bytes: Schema.Int,
  /** The body ended before its announced length. */
  truncated: Schema.Boolean,
  hops: Schema.Array(Hop),
  validators: Validators,
  /** What its job took it for: how a stored page is read again. */
  expected: Schema.optionalKey(TargetType),
  /** The rest of its job that a later reading needs. */
  asked: Schema.optionalKey(
    Schema.Struct({ source_id: Schema.NullOr(Schema.String), target: Target, priority: PriorityDecision })
  ),
  /** What the answer's headers and its origin's robots.txt say of use by AI. */
  ai_opt_outs: Schema.optionalKey(Schema.Array(OptOut))
})
export type RawPage = typeof RawPage.Type

/** Which stored pages of a host are looked at. */
export interface RawQuery {
  readonly host: string
  readonly limit: number
  readonly bytesMax: number
}

/** Payload of topic `fetched`. `not_modified` (304): there is no body, and nothing to parse. */
export const Fetched = Schema.Struct({ job: CrawlJob, raw: RawPage })
export type Fetched = typeof Fetched.Type
