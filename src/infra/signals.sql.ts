import { Effect, Layer } from "effect"
import { type Signal, Signals } from "../domain/ports.ts"
import { type Bucket, bucketsOf } from "../domain/signals.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { inBatches } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import { encode } from "./sql/rows.ts"
import { addBuckets } from "./sql/signals.ts"

const encodeBucket = ({ at, host, sums }: Bucket): Encoded => ({
  id: encode([host, at]),
  json: encode({ host, at, ...sums })
})

/**
 * Signals in Postgres, added to their host's bucket: no truth in memory, so a restart or a second process changes nothing.
 * What a fetcher with a fast clock sends counts now: of the future, it would stay in the window for longer than that is long.
 * A batch whose answer was lost is sent again and counts again: scores are shares of many samples, so that is allowed for.
 */
export const layer: Layer.Layer<Signals, never, Database | Settings> = Layer.effect(
  Signals,
  Effect.gen(function* () {
    const database = yield* Database
    const { STORE_BATCH: rowsMax } = yield* Settings
    const record = Effect.fn("Signals.record")(function* (signals: ReadonlyArray<Signal>) {
      const now = yield* database.leaseClock
      const known = signals.map((it) => (it.at > now ? { ...it, at: now } : it))
      const rows = bucketsOf(known).map(encodeBucket)
      const { bad } = yield* inBatches(rows, { key: (it) => it.id, bytes: encodedSize, rowsMax }, (part) =>
        database.query(addBuckets, [arrayOf(part.map((it) => it.json))])
      )
      // A batch must not be sent again for one bad row, or its good ones would count twice.
      if (bad.length > 0) yield* Effect.logWarning(`${bad.length} host signals refused: ${bad[0]?.message}`)
    })
    return Signals.of({ record })
  })
)
