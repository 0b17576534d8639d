import { Schema } from "effect"

/**
 * Why work did not go on. A closed set, so a code may label a metric.
 * Network and HTTP codes come from fetching, `parse*` from reading, `ai_*` names are added by the enricher's issue.
 */
export const Code = Schema.Literals([
  "network",
  "timeout",
  "http_429",
  "http_4xx",
  "http_5xx",
  "partial",
  "redirects",
  "address_refused",
  "url_refused",
  "robots",
  "unasked",
  "body_too_large",
  "bomb",
  "breaker",
  "busy_host",
  "reader_limit",
  "browser",
  "probe",
  "raw_missing",
  "parse_failed",
  "article_invalid",
  "decode",
  "bad_data",
  "schema_unsupported",
  "key_mismatch",
  "too_large",
  "crash_loop",
  "exhausted",
  "bad_request",
  "quota",
  "auth",
  "defect"
])
export type Code = typeof Code.Type

const Reason = { code: Code, message: Schema.String }
/** The host at fault, where a redirect led to another than the job's. */
const Abroad = { host: Schema.optionalKey(Schema.String) }

/** Worth another try after a wait. Counts as an attempt; `after` is the least wait in ms, where the other side named one. */
export class Retryable extends Schema.TaggedError<Retryable>()("Retryable", {
  ...Reason,
  ...Abroad,
  after: Schema.optionalKey(Schema.Finite),
  /** The host took the request, and broke off before an answer was there. */
  reached: Schema.optionalKey(Schema.Literal(true))
}) {}

/** Parked until an operator resumes it. Does not count as an attempt. */
export class Suspendable extends Schema.TaggedError<Suspendable>()("Suspendable", Reason) {}

/** Can never work. Goes to the dead letters with its input. */
export class Fatal extends Schema.TaggedError<Fatal>()("Fatal", { ...Reason, ...Abroad }) {}

/** The three channels, told apart by tag: each says what happens next. */
export type StageError = Retryable | Suspendable | Fatal

/**
 * Not a failure: the work cannot be done yet (host slot, Retry-After, open breaker), so its input goes back to
 * `messages` and is due at `until` (ms since the epoch). No attempt is counted.
 */
export class Postponed extends Schema.TaggedError<Postponed>()("Postponed", { ...Reason, until: Schema.Finite }) {}

/** A dependency of ours (database, bus, cache, disk) is down: the stage pauses, nothing is counted, nothing is lost. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  dependency: Schema.Literals(["database", "bus", "cache", "hosts", "objects", "disk"]),
  message: Schema.String
}) {}

/** The given data can never be stored (NUL, oversized key, broken UTF-8); the rest of its batch was. */
export class BadData extends Schema.TaggedError<BadData>()("BadData", { message: Schema.String }) {}

/** How a fetch may fail: it is tried again, given up, or waits for its host; or a dependency of ours is down. */
export type FetchError = Retryable | Fatal | Postponed | Unavailable
