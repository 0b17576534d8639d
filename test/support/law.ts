import { test } from "bun:test"
import { Arbitrary, Data, Effect, type Schema } from "effect"

/** Cases tried per law. More where a law is cheap and its space large. */
const runsStandard = 200

/**
 * A sentence that holds for every generated value. A failure is shrunk and printed with a replay token;
 * `LAW_REPLAY=<token>` runs that very case again (of one law: select it with `bun test -t`). `size`: how large values grow.
 */
export const law = <A>(
  name: string,
  values: Arbitrary.Arbitrary<A> | Schema.Codec<A, unknown>,
  predicate: (value: A) => boolean | Effect.Effect<boolean, unknown>,
  options: { readonly runs?: number; readonly size?: number } = {}
): void => {
  const arbitrary = Arbitrary.isArbitrary(values) ? values : Arbitrary.schema(values)
  const replay = process.env.LAW_REPLAY
  test(name, async () => {
    const result = await Effect.runPromise(
      Arbitrary.checkEffect(arbitrary, evaluate(predicate), {
        runs: options.runs ?? runsStandard,
        ...(options.size === undefined ? {} : { size: options.size }),
        ...(replay === undefined ? {} : { replay })
      })
    )
    const complaint = Arbitrary.formatCheckFailure(result)
    if (complaint !== undefined) throw new Error(complaint)
  })
}

class Broken extends Data.TaggedError("Broken")<{ readonly cause: unknown }> {}

/** A predicate that throws (a failed `expect`) falsifies like one that answers false, so that it is shrunk as well. */
const evaluate =
  <A>(predicate: (value: A) => boolean | Effect.Effect<boolean, unknown>) =>
  (value: A): Effect.Effect<boolean, unknown> =>
    Effect.try({ try: () => predicate(value), catch: (cause) => new Broken({ cause }) }).pipe(
      Effect.flatMap((answer) => (typeof answer === "boolean" ? Effect.succeed(answer) : answer))
    )
