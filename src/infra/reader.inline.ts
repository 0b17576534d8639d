import { Effect, Layer } from "effect"
import { Reader } from "../domain/ports.ts"
import { read } from "../domain/read.ts"
import { Settings } from "./config.ts"
import { remembered } from "./reader.memo.ts"
import { rulesFor } from "./reader.ruled.ts"

/** Reads in the calling thread: for tests and for `extract`. It has no time limit of its own. */
export const layer = Layer.effect(
  Reader,
  Effect.gen(function* () {
    const { READER_MEMO } = yield* Settings
    const ruleOf = yield* rulesFor
    return Reader.of({
      read: remembered(
        (_id, body, hints, given) => Effect.map(ruleOf(hints, given), (rule) => read(body, hints, rule)),
        READER_MEMO
      )
    })
  })
)
