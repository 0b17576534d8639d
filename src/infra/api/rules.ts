import { Schema } from "effect"
import { FetcherName } from "../../domain/crawl.ts"

/** What the operations about rules answer. */

export const FetcherRuleRow = Schema.Struct({
  host: Schema.String,
  fetcher: FetcherName,
  reason: Schema.NullOr(Schema.String),
  version: Schema.Int,
  updated_at: Schema.Finite
})

/** Do hosts get a browser by themselves? `active`: the setting says so, and nobody has switched it off. */
export const UpgradeSwitch = Schema.Struct({
  setting: Schema.Boolean,
  switch: Schema.Boolean,
  active: Schema.Boolean
})

const Facts = Schema.Record(Schema.String, Schema.Unknown)

/** Everything that steers one host (S4.21), and how its pages came lately: a wrong upgrade shows here (S4.25). */
export const HostRules = Schema.Struct({
  host: Schema.String,
  fetcher: Schema.NullOr(FetcherRuleRow),
  parsing: Schema.Array(Facts),
  priority: Schema.NullOr(Schema.Unknown),
  /** Share of the last day's fetches that a browser made, 0..1; null: there were none. */
  browser_share: Schema.NullOr(Schema.Finite),
  /** Article pages without title or text within the last hour. */
  failures: Schema.Int,
  republished: Schema.Int,
  /** The latest changes and alerts, newest first. */
  audit: Schema.Array(Facts)
})
