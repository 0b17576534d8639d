import { Context, type Effect, Option, Schema } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import { addressOf } from "../domain/flow.ts"
import type { DeadLetter } from "../domain/topics.ts"

const decodeBytes = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ payload: Schema.Unknown })))
/** The address of the page that a letter's bytes are about; null: they are about none, or no envelope. */
export const letterAddress = (bytes: string): string | null =>
  Option.match(decodeBytes(bytes), { onNone: () => null, onSome: ({ payload }) => addressOf(payload) })

export interface DeadLetterQuery {
  readonly topic?: string
  readonly code?: string
  readonly key?: string
  /** Letters that stand after this id in the order of the answer (latest first). */
  readonly after?: string
  readonly limit: number
}

export interface Replayed {
  /** Letters whose message is on the bus again, as if it had just been sent. */
  readonly replayed: ReadonlyArray<string>
  /** Letters that stay: their bytes are no envelope, or they are not there. */
  readonly refused: ReadonlyArray<{ readonly id: string; readonly why: string }>
}

/** Which of these ids name no letter. */
export const absent = (ids: ReadonlyArray<string>, found: ReadonlyArray<string>): Replayed["refused"] => {
  const there = new Set(found)
  return ids.filter((id) => !there.has(id)).map((id) => ({ id, why: "there is no such dead letter" }))
}

/** What could never be worked on, for an operator to look at, send again or forget. */
export class DeadLetters extends Context.Service<
  DeadLetters,
  {
    readonly list: (query: DeadLetterQuery) => Effect.Effect<ReadonlyArray<DeadLetter>, Unavailable>
    readonly show: (id: string) => Effect.Effect<DeadLetter | null, Unavailable>
    readonly replay: (ids: ReadonlyArray<string>) => Effect.Effect<Replayed, Unavailable>
    /** Answers those that were there. */
    readonly drop: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
  }
>()("crawler/DeadLetters") {}
