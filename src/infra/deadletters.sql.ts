import { Clock, Effect, Layer, Option, Schema } from "effect"
import { Bus } from "../domain/ports.ts"
import { type DeadLetter, Envelope } from "../domain/topics.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { absent, type DeadLetterQuery, DeadLetters } from "./deadletters.ts"
import { inBatches, noBadData } from "./sql/batches.ts"
import * as statement from "./sql/deadletters.ts"
import { arrayOf, type Encoded, encodedSize, encodeMessage, nextSeq } from "./sql/messages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** Letters of one answer, at most: more is a page further. */
const lettersMax = 1000

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Envelope))
const filter = (text: string | undefined) => (text === undefined ? null : encodeText(text))

/** Dead letters in Postgres. A replayed message starts anew: no attempts, due now. */
export const layer: Layer.Layer<DeadLetters, never, Database | Settings | Bus> = Layer.effect(
  DeadLetters,
  Effect.gen(function* () {
    const database = yield* Database
    const bus = yield* Bus
    const { STORE_BATCH: rowsMax } = yield* Settings
    const some = (ids: ReadonlyArray<string>) => noBadData(database.query<DeadLetter>(statement.some, [encode(ids)]))

    const list = Effect.fn("DeadLetters.list")(({ topic, code, key, after, limit }: DeadLetterQuery) =>
      noBadData(
        database.query<DeadLetter>(statement.list, [
          filter(topic),
          filter(code),
          filter(key),
          filter(after),
          Math.min(limit, lettersMax)
        ])
      )
    )
    const show = Effect.fn("DeadLetters.show")((id: string) => Effect.map(some([id]), ([letter]) => letter ?? null))
    const drop = Effect.fn("DeadLetters.drop")((ids: ReadonlyArray<string>) =>
      Effect.map(noBadData(database.query<{ id: string }>(statement.drop, [encode(ids)])), (rows) =>
        rows.map((it) => it.id)
      )
    )
    const replay = Effect.fn("DeadLetters.replay")(function* (ids: ReadonlyArray<string>) {
      const now = yield* Clock.currentTimeMillis
      const letters = yield* some(ids)
      const found = letters.map((it) => it.id)
      const decoded = letters.map((it) => ({ id: it.id, envelope: decode(it.bytes) }))
      const rows = decoded.flatMap(({ id, envelope }): ReadonlyArray<Encoded> => {
        if (Option.isNone(envelope)) return []
        const message = { ...envelope.value, attempt: 0, not_before: now }
        return [{ id, json: encodeMessage(message, nextSeq(now), id).json }]
      })
      const { answers, bad } = yield* inBatches(rows, { key: (it) => it.id, bytes: encodedSize, rowsMax }, (part) =>
        database.query<{ id: string }>(statement.replay, [arrayOf(part.map((it) => it.json))])
      ).pipe(Effect.ensuring(Effect.ignore(bus.publish([]))))
      return {
        replayed: answers.map((it) => it.id),
        refused: [
          ...absent(ids, found),
          ...decoded
            .filter((it) => Option.isNone(it.envelope))
            .map(({ id }) => ({ id, why: "its bytes are no message that could be sent again" })),
          ...bad.map((it) => ({ id: it.row.id, why: it.message }))
        ]
      }
    })
    return DeadLetters.of({ list, show, replay, drop })
  })
)
