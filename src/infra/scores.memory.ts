import { Effect, Layer } from "effect"
import { noConfig } from "../domain/override.ts"
import { Scores } from "../domain/priority.ports.ts"

/** No host is known: a one-shot run keeps no scores, and its jobs go by category and source. */
export const layer: Layer.Layer<Scores> = Layer.succeed(
  Scores,
  Scores.of({
    facts: () => Effect.succeed(new Map()),
    standing: () => Effect.succeed({ score: null, config: noConfig, rules: [] }),
    forget: () => Effect.void
  })
)
