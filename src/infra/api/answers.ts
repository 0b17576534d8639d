import { Schema } from "effect"
import { PriorityBy, PriorityDecision } from "../../domain/crawl.ts"
import { Topic } from "../../domain/topics.ts"

/** What operations take and answer, beside the domain's own schemas. */

/** URLs of one request (bad input B095). */
export const URLS_MAX = 10_000
/** Rows of one answer (B098). */
export const LIMIT_MAX = 1000
/** Longest id we ever write; anything else names nothing. */
const ID_MAX = 300

/** An id as it stands in a path: anything outside this form names nothing (404), so it never reaches a store. */
export const Id = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:~-]*$/, { expected: "an id" }),
  Schema.isMaxLength(ID_MAX)
)
/** A host name as URLs write it: lower case, punycode, no port and no final dot, an IPv6 address in brackets. */
export const HostName = Schema.String.check(
  Schema.isPattern(/^(?:[a-z0-9_][a-z0-9_-]*(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/, {
    expected: "a host in lower case and punycode, without a port"
  }),
  Schema.isMaxLength(253)
)
export const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: LIMIT_MAX }))

const instantForm = /^\d{4}-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
/** A date that the calendar has: `Date` rolls 30 February over (B100). */
const isInstant = (text: string): boolean => {
  const day = text.slice(0, 10)
  return (
    instantForm.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day
  )
}
/** A date (midnight UTC) or an instant with its offset. */
export const Instant = Schema.String.check(
  Schema.makeFilter(
    (text: string) => isInstant(text) || "Expected a date (2026-11-30) or an instant (2026-11-30T09:00:00Z)"
  )
)

/** A text an operator may give: short, without control characters. */
export const Label = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}]{1,200}$/u, { expected: "1 to 200 characters, no control characters" })
)

/** Why one input of many was left out; the others were taken. */
export const Rejected = Schema.Struct({ input: Schema.String, code: Schema.String, message: Schema.String })

export const Enqueued = Schema.Struct({
  /** New to the frontier. */
  accepted: Schema.Int,
  /** Already known, or given twice: one job each. */
  known: Schema.Int,
  rejected: Schema.Array(Rejected)
})

export const Imported = Schema.Struct({
  added: Schema.Int,
  known: Schema.Int,
  /** `index`: which of the inputs, from 0. */
  rejected: Schema.Array(Schema.Struct({ ...Rejected.fields, index: Schema.Int }))
})

const Step = Schema.Struct({
  by: PriorityBy,
  /** `null`: this resolver says nothing. `final`: it ends the chain, else it only suggests. */
  verdict: Schema.NullOr(Schema.Struct({ value: PriorityDecision.fields.value, final: Schema.Boolean })),
  facts: Schema.Record(Schema.String, Schema.Unknown)
})
export const Explanation = Schema.Struct({
  url: Schema.String,
  host: Schema.String,
  priority: PriorityDecision,
  chain: Schema.Array(Step),
  /** Each single change of these facts that would change the answer. */
  changes: Schema.Array(Schema.Struct({ if: Schema.String, priority: PriorityDecision })),
  fetcher: Schema.Struct({ value: Schema.String, by: Schema.String }),
  rule: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  robots: Schema.NullOr(
    Schema.Struct({ allowed: Schema.Boolean, reason: Schema.String, crawl_delay_ms: Schema.NullOr(Schema.Finite) })
  ),
  history: Schema.Array(
    Schema.Struct({
      at: Schema.NullOr(Schema.String),
      event: Schema.String,
      facts: Schema.Record(Schema.String, Schema.Unknown)
    })
  )
})
export type Explanation = typeof Explanation.Type

export const DeadLetterRow = Schema.Struct({
  id: Schema.String,
  topic: Topic,
  key: Schema.String,
  stage: Schema.String,
  code: Schema.String,
  message: Schema.String,
  attempts: Schema.Int,
  at: Schema.Finite,
  /** The page it is about; null: it is about none. */
  url: Schema.NullOr(Schema.String)
})
/** `refused`: the ids that were left as they are, and why. */
export const Changed = Schema.Struct({
  changed: Schema.Int,
  refused: Schema.Array(Schema.Struct({ id: Schema.String, why: Schema.String }))
})

export const HostRow = Schema.Struct({
  host: Schema.String,
  urls: Schema.Int,
  articles: Schema.Int,
  last_fetch_at: Schema.NullOr(Schema.String),
  delay_ms: Schema.NullOr(Schema.Finite),
  paused_until: Schema.NullOr(Schema.String),
  breaker_open_until: Schema.NullOr(Schema.String)
})

/** Values as JSON shows them: a bigint or numeric is text, bytes are hex, instants ISO 8601. */
export const Rows = Schema.Struct({
  rows: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  count: Schema.Int
})

export const Status = Schema.Struct({
  version: Schema.String,
  backlog: Schema.Array(
    Schema.Struct({ topic: Schema.String, ready: Schema.Int, later: Schema.Int, leased: Schema.Int })
  )
})
