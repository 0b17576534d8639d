import { Effect, Layer } from "effect"
import { Outputs } from "../domain/ports.ts"

/** Nobody listens: articles stay in the store. */
export const layer: Layer.Layer<Outputs> = Layer.succeed(
  Outputs,
  Outputs.of({ enabled: false, deliver: () => Effect.void })
)
