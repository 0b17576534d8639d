import { Duration, Effect } from "effect"
import { configBytesMax, overrideAt } from "../domain/override.ts"
import type { Scores } from "../domain/priority.ports.ts"
import { judge, type SignalName, scorePriority, standingScore } from "../domain/score.ts"
import { type Sums, windowStart } from "../domain/signals.ts"
import type { HostPriority } from "./api/standing.ts"
import { Settings } from "./config.ts"
import { stored } from "./control.sources.ts"
import type { Database } from "./database.ts"
import { type ConfigColumns, configOf } from "./priority.config.ts"
import { scaleOf } from "./scale.ts"
import { dossier } from "./sql/scoring.ts"

interface Row extends ConfigColumns, Sums {
  readonly rating: number | null
  readonly category: string | null
  readonly score: number | null
  readonly calculated_at: number | null
  readonly window_minutes: number | null
}

const round = (value: number | null): number | null => (value === null ? null : Math.round(value * 1e4) / 1e4)
const rounded = <T extends Record<SignalName, number | null>>(values: T) => ({
  freshness: round(values.freshness),
  impact: round(values.impact),
  cost: round(values.cost),
  reliability: round(values.reliability),
  host_trust: round(values.host_trust)
})
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

type Why = HostPriority["why"]
const whyOf = (kept: boolean, stands: boolean, next: "scored" | "cold_start" | "zero_weights"): Why =>
  stands ? "scored" : next !== "scored" ? next : kept ? "outdated" : "not_yet"

/** Reads one host from the store itself, past every cache: this is where an operator looks whether a change arrived. */
export const hostPriority = Effect.fn("hostPriority")(function* (database: Database["Service"], host: string) {
  const settings = yield* Settings
  const now = yield* database.leaseClock
  const from = windowStart(now, Duration.toMillis(settings.SCORING_WINDOW))
  const [row] = yield* stored(database.query<Row>(dossier(configBytesMax), [host, from]))
  if (row === undefined) return yield* Effect.die(new Error("the dossier of a host is always one row"))
  const { config, warnings } = configOf(row)
  const scale = scaleOf(settings)
  const next = judge({ host, rating: row.rating, category: row.category, config, sums: row }, scale)
  const { calculated_at, score: value, window_minutes } = row
  const kept =
    value === null || calculated_at === null
      ? null
      : { value, calculated_at, window_ms: (window_minutes ?? 0) * 60_000 }
  const stands = standingScore(kept, now)
  const threshold = config.threshold ?? settings.SCORING_THRESHOLD
  const override = overrideAt(config, now)
  const answer: HostPriority = {
    host,
    priority: stands === null ? null : scorePriority(stands.value, threshold),
    score: stands?.value ?? null,
    why: whyOf(kept !== null, stands !== null, next.why),
    calculated_at: iso(calculated_at),
    next_score: next.score,
    threshold,
    threshold_by: config.threshold === null ? "SCORING_THRESHOLD" : "priority_config",
    samples: row.samples,
    samples_min: scale.samplesMin,
    signals: rounded(next.signals),
    weights: next.weights,
    override: override === null ? null : { value: override.value, until: new Date(override.until).toISOString() },
    priority_config: row.config === null ? null : (JSON.parse(row.config) as unknown),
    warnings,
    rating: row.rating,
    category: row.category
  }
  return answer
})

const rateHost = `with rated as (
  insert into hosts as h (host, rating) values ($1, $2::float8::real)
  on conflict (host) do update set rating = excluded.rating, updated_at = now()
  returning h.host)
insert into audit_log (actor, action, subject, facts)
select 'operator', 'host_rated', r.host, jsonb_build_object('rating', $2::float8) from rated r`

/** Sets or clears an operator's rating of a host (S1.9), with an audit entry; what is remembered of the host is forgotten. */
export const rate = Effect.fn("rate")(function* (
  database: Database["Service"],
  scores: Scores["Service"] | null,
  host: string,
  rating: number | null
) {
  yield* stored(database.query(rateHost, [host, rating]))
  if (scores !== null) yield* scores.forget([host])
  return yield* hostPriority(database, host)
})
