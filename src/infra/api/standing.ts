import { Schema } from "effect"
import { Priority } from "../../domain/crawl.ts"

const five = <S extends Schema.Constraint>(it: S) =>
  Schema.Struct({ freshness: it, impact: it, cost: it, reliability: it, host_trust: it })

/** All that priority knows of one host: what `hosts priority` answers and `explain` rests on. */
export const HostPriority = Schema.Struct({
  host: Schema.String,
  /** What the score says: High, Normal, or nothing. Whether that decides is the chain's business. */
  priority: Schema.NullOr(Priority),
  score: Schema.NullOr(Schema.Finite),
  /** Why there is no score, or what kind of one. */
  why: Schema.Literals(["scored", "cold_start", "zero_weights", "outdated", "not_yet"]),
  calculated_at: Schema.NullOr(Schema.String),
  /** What the signals as they are now would give at the next turn. */
  next_score: Schema.NullOr(Schema.Finite),
  threshold: Schema.Finite,
  threshold_by: Schema.Literals(["priority_config", "SCORING_THRESHOLD"]),
  samples: Schema.Int,
  samples_min: Schema.Int,
  signals: five(Schema.NullOr(Schema.Finite)),
  weights: five(Schema.Finite),
  override: Schema.NullOr(Schema.Struct({ value: Priority, until: Schema.String })),
  priority_config: Schema.Unknown,
  /** Fields of the config that were dropped, and why. */
  warnings: Schema.Array(Schema.Struct({ field: Schema.String, why: Schema.String })),
  rating: Schema.NullOr(Schema.Finite),
  category: Schema.NullOr(Schema.String)
})
export type HostPriority = typeof HostPriority.Type

/** An operator's rating of a host. */
export const Rating = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
