import { Schema } from "effect"
import { Provider } from "./jobs.ts"
import { operation } from "./operation.ts"

const Instant = Schema.NullOr(Schema.String)

/** What goes on, for whoever is on call: counts, and the few things that stand out. Lists are cut, counts are whole. */
export const Overview = Schema.Struct({
  version: Schema.String,
  /** The process that answers. */
  pid: Schema.Int,
  at: Schema.String,
  articles: Schema.Struct({ last_hour: Schema.Int, last_day: Schema.Int, latest_at: Instant }),
  /** Article fetches of the last hour, and those that failed. */
  fetches: Schema.Struct({ last_hour: Schema.Int, failed: Schema.Int }),
  /** `due_at`: since when the oldest message waits, or when the first is due; null: none. `suspended` wait for an operator. */
  backlog: Schema.Array(
    Schema.Struct({
      topic: Schema.String,
      ready: Schema.Int,
      later: Schema.Int,
      leased: Schema.Int,
      suspended: Schema.Int,
      due_at: Instant
    })
  ),
  dead_letters: Schema.Struct({
    total: Schema.Int,
    last_day: Schema.Int,
    codes: Schema.Array(Schema.Struct({ code: Schema.String, letters: Schema.Int }))
  }),
  hosts: Schema.Struct({
    /** Hosts that are left alone for now. */
    shut: Schema.Int,
    slow: Schema.Int,
    /** `failing`: its breaker is open; else it asked for time, or an operator did. */
    shut_longest: Schema.Array(Schema.Struct({ host: Schema.String, failing: Schema.Boolean, until: Schema.String })),
    slowest: Schema.Array(Schema.Struct({ host: Schema.String, answer_ms: Schema.Finite }))
  }),
  sources: Schema.Struct({
    enabled: Schema.Int,
    failed: Schema.Int,
    latest_failures: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        url: Schema.String,
        outcome: Schema.String,
        message: Schema.String,
        at: Schema.String
      })
    )
  }),
  /** null: no model is configured. */
  ai: Schema.NullOr(
    Schema.Struct({
      jobs: Schema.Array(Schema.Struct({ status: Schema.String, jobs: Schema.Int })),
      provider: Provider
    })
  )
})
export type Overview = typeof Overview.Type

export const overviewOperations = {
  overview: operation(
    "GET",
    "/overview",
    "read",
    "What goes on: articles, backlog, dead letters, hosts, sources, AI.",
    {
      input: {},
      output: Overview
    }
  )
} as const
