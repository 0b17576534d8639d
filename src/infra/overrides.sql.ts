import { Effect, Layer } from "effect"
import { type BadData, Unavailable } from "../domain/errors.ts"
import { configBytesMax } from "../domain/override.ts"
import { Overrides } from "../domain/priority.ports.ts"
import { Database } from "./database.ts"
import { type ConfigColumns, configOf } from "./priority.config.ts"
import { encode } from "./sql/rows.ts"
import { expireOverrides, withOverrides } from "./sql/scoring.ts"

/** Rows of one look. */
const rowsMax = 500

interface Row extends ConfigColumns {
  readonly id: number
  readonly host: string
}

const down = <A, R>(work: Effect.Effect<A, Unavailable | BadData, R>): Effect.Effect<A, Unavailable, R> =>
  Effect.catchTag(work, "BadData", ({ message }) => Effect.fail(new Unavailable({ dependency: "database", message })))

/**
 * Overrides in `fetcher_rules.priority_config`. One reading of the config for lookups and for the sweeper, so that nothing is
 * removed that a lookup would still obey. A row whose override was never one (a missing or strange end) is left to its
 * author.
 */
export const layer: Layer.Layer<Overrides, never, Database> = Layer.effect(
  Overrides,
  Effect.gen(function* () {
    const database = yield* Database
    const text = withOverrides(configBytesMax)
    const expire = Effect.gen(function* () {
      let lapsed = 0
      let after = 0
      while (true) {
        const rows = yield* down(database.query<Row>(text, [after, rowsMax]))
        const now = yield* database.leaseClock
        const ended = rows.flatMap((row) => {
          const { override } = configOf(row).config
          const over = override !== null && override.until <= now
          return over ? [{ id: row.id, config: row.config, ended: new Date(override.until).toISOString() }] : []
        })
        if (ended.length > 0) {
          const [answer] = yield* down(database.query<{ lapsed: number }>(expireOverrides, [encode(ended)]))
          lapsed += answer?.lapsed ?? 0
        }
        if (rows.length < rowsMax) return lapsed
        after = rows.at(-1)?.id ?? after
      }
    }).pipe(Effect.withSpan("Overrides.expire"))
    return Overrides.of({ expire })
  })
)
