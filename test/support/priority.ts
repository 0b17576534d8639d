import { Effect, Layer } from "effect"
import { Scores, Scoring } from "../../src/domain/priority.ports.ts"
import { evenWeights, type Scale } from "../../src/domain/score.ts"
import { bucketOf, noSums, type Sums } from "../../src/domain/signals.ts"
import { Database } from "../../src/infra/database.ts"
import * as overrides from "../../src/infra/overrides.sql.ts"
import * as scores from "../../src/infra/scores.sql.ts"
import * as scoring from "../../src/infra/scoring.sql.ts"
import * as signals from "../../src/infra/signals.sql.ts"
import { addBuckets } from "../../src/infra/sql/signals.ts"
import { settingsOf, type stores } from "./store.ts"

type Store = (typeof stores)[number]["layer"]

/** The turn is one row that outlives a test: each starts with none taken. */
const noTurn = Layer.effectDiscard(
  Database.use((it) =>
    it.script("update scoring_turns set started_at = null, leased_until = null, finished_at = null, hosts = null")
  )
)

/** Everything of priority over an empty store. Settings are those given; lookups go to the store each time unless said so. */
export const priorityOn = (store: Store, env: Readonly<Record<string, string>> = {}) => {
  const base = Layer.merge(store, settingsOf({ PRIORITY_CACHE_TTL: "0ms", ...env }))
  return Layer.mergeAll(signals.layer, overrides.layer, scoring.layer.pipe(Layer.provideMerge(scores.layer))).pipe(
    Layer.provideMerge(noTurn),
    Layer.provideMerge(base)
  )
}

export const scale: Scale = { weights: evenWeights, window_ms: 6 * 3_600_000, samplesMin: 20 }

/** Sums of one host in the bucket of an instant, as if its signals had come. */
export const withSums = (host: string, at: number, sums: Partial<Sums>) =>
  Database.use((it) => it.query(addBuckets, [JSON.stringify([{ host, at: bucketOf(at), ...noSums, ...sums }])]))

/** A kept score of a host, as if a turn of that age had made it. */
export const scored = (host: string, score: number, age = "0 s") =>
  Database.use((it) =>
    it.query(
      `insert into host_scoring_state (host, score, signals, window_minutes, calculated_at)
       values ($1, $2::float8, '{}', 360, now() - $3::text::interval)`,
      [host, score, age]
    )
  )

export const configured = (host: string, config: unknown) =>
  Database.use((it) =>
    it.query(
      `insert into fetcher_rules (host_pattern, fetcher, priority_config) values ($1, 'auto', $2::text::jsonb)
       on conflict (host_pattern) do update set priority_config = excluded.priority_config`,
      [host, JSON.stringify(config)]
    )
  )

/** The database's clock moved by so many milliseconds, as JSON shows it. */
export const inTime = (ms: number) =>
  Database.use((it) =>
    Effect.map(
      it.query<{ at: string }>("select to_jsonb(now() + $1::float8 * interval '1 millisecond') #>> '{}' as at", [ms]),
      ([row]) => row?.at ?? ""
    )
  )

export const factsOf = (host: string) =>
  Effect.map(
    Scores.use((it) => it.facts([host])),
    (it) => it.get(host)
  )
export const beginTurn = (interval_ms = 1) => Scoring.use((it) => it.begin(interval_ms))
