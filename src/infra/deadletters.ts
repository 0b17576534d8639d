import { Context, type Effect } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import type { DeadLetter } from "../domain/topics.ts"

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

/** What could never be worked on, for an operator to look at, send again or forget. */
export class DeadLetters extends Context.Service<
  DeadLetters,
  {
    readonly list: (query: DeadLetterQuery) => Effect.Effect<ReadonlyArray<DeadLetter>, Unavailable>
    readonly show: (id: string) => Effect.Effect<DeadLetter | null, Unavailable>
    readonly replay: (ids: ReadonlyArray<string>) => Effect.Effect<Replayed, Unavailable>
    /** Answers how many were there. */
    readonly drop: (ids: ReadonlyArray<string>) => Effect.Effect<number, Unavailable>
  }
>()("crawler/DeadLetters") {}
