import { Effect, Option } from "effect"
import type { Hints } from "../domain/reading.ts"
import { ParsingRules, type Ruling } from "../domain/ruling.ts"

/** Looks up the rule of a document; without a store of rules every document is read without one. */
export const rulesFor: Effect.Effect<(hints: Hints) => Effect.Effect<Ruling | null>> = Effect.map(
  Effect.serviceOption(ParsingRules),
  Option.match({
    onNone: () => () => Effect.succeed(null),
    onSome: (rules) => (hints: Hints) => rules.find(hints.url, hints.expected)
  })
)
