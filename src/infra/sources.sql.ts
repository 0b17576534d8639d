import { Clock, Effect, Layer } from "effect"
import { Bus, Sources } from "../domain/ports.ts"
import type { PollResult, Source } from "../domain/source.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize, encodeMessage, nextSeq } from "./sql/messages.ts"
import { encode, encodeText } from "./sql/rows.ts"
import * as statement from "./sql/sources.ts"

type Poll = Parameters<Sources["Service"]["fire"]>[0][number]

/** The poll's fields stand beside its message's, in one record. */
const encodePoll = ({ source, slot, next, message }: Poll, seq: number): Encoded => ({
  id: `${source.id} ${slot}`,
  json: `${encode({ source_id: source.id, slot, next }).slice(0, -1)},${encodeMessage(message, seq).json.slice(1)}`
})

/** Sources in Postgres. Of any number of schedulers one fires a slot: the row's lock decides. */
export const layer: Layer.Layer<Sources, never, Database | Settings | Bus> = Layer.effect(
  Sources,
  Effect.gen(function* () {
    const database = yield* Database
    const bus = yield* Bus
    const { STORE_BATCH: rowsMax } = yield* Settings
    const batching = { key: (it: Encoded) => it.id, bytes: encodedSize, rowsMax }
    const put = Effect.fn("Sources.put")(function* (sources: ReadonlyArray<Source>) {
      const rows = sources.map((it): Encoded => ({ id: it.id, json: encode(it) })).toReversed()
      yield* writeAll(rows, batching, (part) => database.query(statement.put, [arrayOf(part.map((it) => it.json))]))
    })
    const remove = Effect.fn("Sources.remove")(function* (id: string) {
      const rows = yield* noBadData(database.query(statement.remove, [encodeText(id)]))
      return rows.length > 0
    })
    const find = Effect.fn("Sources.find")(function* (id: string) {
      const [row] = yield* noBadData(database.query<Source>(statement.find, [encodeText(id)]))
      return row ?? null
    })
    const ended = Effect.fn("Sources.ended")((id: string, result: PollResult) =>
      Effect.asVoid(noBadData(database.query(statement.ended, [encodeText(id), encode(result), result.at])))
    )
    const due = Effect.fn("Sources.due")((now: number, limit: number) =>
      noBadData(database.query<Source>(statement.due, [now, limit]))
    )
    const fire = Effect.fn("Sources.fire")(function* (polls: ReadonlyArray<Poll>) {
      const now = yield* Clock.currentTimeMillis
      const send = (part: ReadonlyArray<Encoded>) =>
        database.query<{ fired: number }>(statement.fire, [arrayOf(part.map((it) => it.json)), now])
      const rows = polls.map((it) => encodePoll(it, nextSeq(now)))
      const answers = yield* writeAll(rows, batching, send).pipe(
        // The statement wrote messages beside the bus: publishing nothing tells its consumers to look.
        Effect.ensuring(Effect.ignore(bus.publish([])))
      )
      return answers.reduce((sum, it) => sum + it.fired, 0)
    })
    return Sources.of({
      list: noBadData(database.query<Source>(statement.list)).pipe(Effect.withSpan("Sources.list")),
      find,
      ended,
      put,
      remove,
      due,
      fire
    })
  })
)
