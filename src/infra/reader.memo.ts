import { Deferred, Effect, Exit } from "effect"
import type { Fatal, Unavailable } from "../domain/errors.ts"
import { setLatest } from "../domain/latest.ts"
import type { Reader } from "../domain/ports.ts"
import type { Reading } from "../domain/reading.ts"

type Read = Reader["Service"]["read"]

/**
 * Remembers the last `size` readings by raw id and reads a page once even when asked twice at the same time: validator
 * and parser of one process share the work. A failure is told to all who wait for it, and forgotten.
 */
export const remembered = (read: Read, size: number): Read => {
  const memo = new Map<string, Deferred.Deferred<Reading, Fatal | Unavailable>>()
  const recall: Read = Effect.fnUntraced(function* (id, body, hints, rule) {
    const known = memo.get(id)
    if (known !== undefined) {
      const exit = yield* Effect.exit(Deferred.await(known))
      // Whoever read for us was interrupted: that is no answer, so we read ourselves.
      return yield* Exit.hasInterrupts(exit) ? recall(id, body, hints, rule) : exit
    }
    const reading = Deferred.makeUnsafe<Reading, Fatal | Unavailable>()
    setLatest(memo, id, reading, size)
    return yield* read(id, body, hints, rule).pipe(
      Effect.onExit((exit) => {
        if (Exit.isFailure(exit)) memo.delete(id)
        return Deferred.done(reading, exit)
      })
    )
  })
  return recall
}
