import { Effect, Layer } from "effect"
import { type Answered, type ListPage, type RunFacts, Runs } from "../domain/runs.ts"
import { Database } from "./database.ts"
import { noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import { encode } from "./sql/rows.ts"
import * as statement from "./sql/runs.ts"

/** Rows of one statement. */
const rowsMax = 500
/** Runs are kept this long (ms), for an operator to look at: a thousand lists polled each five minutes are 300,000 rows. */
const keptMs = 86_400_000
/** Rows forgotten at once. */
const forgetMax = 5000

const encoded = ({ host, page, slot, source_id }: ListPage): Encoded => ({
  id: `${host} ${slot} ${source_id} ${page}`,
  json: encode({ host, slot, source_id, page })
})

/** Runs in Postgres: the rows of their lists, and what `urls` knows of the links these showed. */
export const layer: Layer.Layer<Runs, never, Database> = Layer.effect(
  Runs,
  Effect.map(Database, (database) =>
    Runs.of({
      due: Effect.fn("Runs.due")(function* (lists: ReadonlyArray<ListPage>, at: number) {
        const batching = { key: (it: Encoded) => it.id, bytes: encodedSize, rowsMax }
        yield* writeAll(lists.map(encoded), batching, (part) =>
          database.query(statement.due, [arrayOf(part.map((it) => it.json)), at])
        )
      }),
      answered: Effect.fn("Runs.answered")((page: Answered) =>
        Effect.asVoid(
          database.query(statement.answered, [arrayOf([encoded(page).json]), page.at, page.links, encode(page.fresh)])
        )
      ),
      close: Effect.fn("Runs.close")(function* (now: number, deadline_ms: number) {
        const ended = yield* noBadData(database.query<RunFacts>(statement.close, [now, now - deadline_ms]))
        yield* noBadData(database.query(statement.forget, [now - keptMs, forgetMax]))
        return ended
      })
    })
  )
)
