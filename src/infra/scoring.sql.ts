import { Duration, Effect, Layer, Option } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { type BadData, Unavailable } from "../domain/errors.ts"
import { configBytesMax } from "../domain/override.ts"
import { HostCache, Scores, Scoring, type Turn } from "../domain/priority.ports.ts"
import { type HostScore, type HostTotals, scorePriority } from "../domain/score.ts"
import { type Sums, windowStart } from "../domain/signals.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { type ConfigColumns, configOf } from "./priority.config.ts"
import { encode } from "./sql/rows.ts"
import * as statement from "./sql/scoring.ts"

/** Hosts of one page: a statement that holds the embedded store's one session for some hundred milliseconds. */
const pageHosts = 500
/** Life of a turn that nobody renews: its process died. A page takes well under a second. */
const leaseMs = 60_000
/** Old scores dropped with each turn. */
const forgetRows = 5000
const minuteMs = 60_000

interface Row extends ConfigColumns, Sums {
  readonly host: string
  readonly rating: number | null
  readonly category: string | null
}

/** A host on the way; without sums where it has no signals in the window. */
type Walked = Omit<Row, "samples"> & { readonly samples: number | null }
const isCounted = (row: Walked): row is Row => row.samples !== null

const totalsOf = (row: Row): HostTotals => {
  const { category, host, rating } = row
  return { host, rating, category, config: configOf(row).config, sums: row }
}

/** What `host_scoring_state.signals` keeps: enough to see why. */
const snapshot = ({ samples, signals, weights }: HostScore) => ({ ...signals, samples, weights })

const down = <A, R>(work: Effect.Effect<A, Unavailable | BadData, R>): Effect.Effect<A, Unavailable, R> =>
  Effect.catchTag(work, "BadData", ({ message }) => Effect.fail(new Unavailable({ dependency: "database", message })))

const minutesOf = (ms: number): number => Math.max(1, Math.round(ms / minuteMs))

/** Scoring over Postgres. The database's clock says when a turn is due and where the window begins. */
export const layer: Layer.Layer<Scoring, never, Database | Scores | Settings> = Layer.effect(
  Scoring,
  Effect.gen(function* () {
    const database = yield* Database
    const scores = yield* Scores
    const cache = yield* Effect.serviceOption(HostCache)
    const { SCORING_INTERVAL, SCORING_THRESHOLD } = yield* Settings
    const page = statement.totals(configBytesMax)

    const share = (rows: ReadonlyArray<HostScore>, now: Millis, window_ms: number) =>
      Option.match(cache, {
        onNone: () => Effect.void,
        onSome: (it) =>
          it.keepScores(
            rows.map(({ host, score, threshold }) => ({
              host,
              score: score === null ? null : { value: score, calculated_at: now, window_ms },
              priority: score === null ? null : scorePriority(score, threshold ?? SCORING_THRESHOLD),
              ttl_ms: Duration.toMillis(SCORING_INTERVAL)
            }))
          )
      })

    const save = Effect.fn("Scoring.save")(function* (turn: Turn, window_ms: number, rows: ReadonlyArray<HostScore>) {
      const given = encode(rows.map((it) => ({ host: it.host, score: it.score, signals: snapshot(it) })))
      const parameters = [turn.epoch, leaseMs, minutesOf(window_ms), given]
      const [answer] = yield* down(database.query<{ held: number; now: number }>(statement.save, parameters))
      if (answer === undefined || answer.held === 0) return false
      yield* share(rows, answer.now, window_ms)
      yield* scores.forget(rows.map((it) => it.host))
      return true
    })

    return Scoring.of({
      begin: Effect.fn("Scoring.begin")(function* (interval_ms) {
        const [turn] = yield* down(database.query<Turn>(statement.begin, [interval_ms, leaseMs]))
        return turn ?? null
      }),
      totals: Effect.fn("Scoring.totals")(function* (turn, window_ms, after) {
        const from = windowStart(turn.now, window_ms)
        let last = after
        while (true) {
          const rows = yield* down(database.query<Walked>(page, [from, last, pageHosts]))
          const found = rows.filter(isCounted).map(totalsOf)
          if (found.length > 0 || rows.length < pageHosts) return found
          // A page of hosts that have fallen silent is no end.
          last = rows.at(-1)?.host ?? last
        }
      }),
      save,
      end: Effect.fn("Scoring.end")(function* (turn, window_ms, done) {
        yield* down(database.query(statement.forget, [minutesOf(window_ms), forgetRows]))
        yield* down(database.query(statement.end, [turn.epoch, done?.hosts ?? null, done?.scored ?? null]))
      })
    })
  })
)
