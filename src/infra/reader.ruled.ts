import { Effect, Option } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import type { Hints } from "../domain/reading.ts"
import type { ParsingRule } from "../domain/rule.ts"
import { ParsingRules } from "../domain/ruling.ts"

/** The rule a document is read by: the one given, else the one in force. */
type RuleOf = (hints: Hints, given: ParsingRule | null | undefined) => Effect.Effect<ParsingRule | null, Unavailable>

/** Looks up the rule of a document; without a store of rules every document is read without one. */
export const rulesFor: Effect.Effect<RuleOf> = Effect.map(
  Effect.serviceOption(ParsingRules),
  Option.match({
    onNone: (): RuleOf => (_hints, given) => Effect.succeed(given ?? null),
    onSome:
      (rules): RuleOf =>
      (hints, given) =>
        given === undefined ? rules.find(hints.url, hints.expected) : Effect.succeed(given)
  })
)
