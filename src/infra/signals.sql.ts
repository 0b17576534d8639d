import { Effect, Layer } from "effect"
import { type Signal, Signals } from "../domain/ports.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { inBatches } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import { encode } from "./sql/rows.ts"

const minuteMs = 60_000

const insert = `insert into host_signals
    (host, minute, kind, fetcher, status, category, samples, latency_ms_sum, lag_ms_sum, lag_samples)
  select g.host, at_ms(g.minute), g.kind, g.fetcher, g.status, g.category, g.samples, g.latency, g.lag, g.lags
  from json_to_recordset($1::text::json) as g(host text, minute float8, kind text, fetcher text, status int,
    category text, samples int, latency float8, lag float8, lags int)`

interface Sum {
  readonly signal: Signal
  readonly minute: number
  samples: number
  latency: number
  lag: number
  lags: number
}

/** One sum per host, minute, kind, fetcher, status and category of a batch. */
const sums = (signals: ReadonlyArray<Signal>): ReadonlyMap<string, Sum> => {
  const all = new Map<string, Sum>()
  for (const signal of signals) {
    const { host, kind, fetcher, status, category, at, latency_ms, lag_ms } = signal
    const minute = Math.floor(at / minuteMs) * minuteMs
    const key = encode([host, minute, kind, fetcher, status, category])
    const sum = all.get(key) ?? { signal, minute, samples: 0, latency: 0, lag: 0, lags: 0 }
    sum.samples += 1
    sum.latency += latency_ms
    sum.lag += lag_ms ?? 0
    sum.lags += lag_ms === null ? 0 : 1
    all.set(key, sum)
  }
  return all
}

/** Signals in Postgres. A batch sent again counts again: scores are shares of many samples, so that is allowed for. */
export const layer: Layer.Layer<Signals, never, Database | Settings> = Layer.effect(
  Signals,
  Effect.gen(function* () {
    const database = yield* Database
    const { STORE_BATCH: rowsMax } = yield* Settings
    const record = Effect.fn("Signals.record")(function* (signals: ReadonlyArray<Signal>) {
      const rows = [...sums(signals)].map(([id, { signal, ...sum }]): Encoded => {
        const { host, kind, fetcher, status, category } = signal
        return { id, json: encode({ host, kind, fetcher, status, category, ...sum }) }
      })
      const { bad } = yield* inBatches(rows, { key: (it) => it.id, bytes: encodedSize, rowsMax }, (part) =>
        database.query(insert, [arrayOf(part.map((it) => it.json))])
      )
      // A batch must not be sent again for one bad row, or its good ones would count twice.
      if (bad.length > 0) yield* Effect.logWarning(`${bad.length} host signals refused: ${bad[0]?.message}`)
    })
    return Signals.of({ record })
  })
)
