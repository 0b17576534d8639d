import { Context, Effect, Layer } from "effect"
import { type Signal, Signals } from "../domain/ports.ts"

/** Signals held: the latest. A one-shot run keeps no scores, so nobody needs more. */
const signalsMax = 10_000

/** What was recorded, oldest first. */
export class MemorySignals extends Context.Service<
  MemorySignals,
  { readonly recorded: Effect.Effect<ReadonlyArray<Signal>> }
>()("crawler/MemorySignals") {}

export const layer: Layer.Layer<Signals | MemorySignals> = Layer.effectContext(
  Effect.sync(() => {
    let recorded: Array<Signal> = []
    const record = (signals: ReadonlyArray<Signal>) =>
      Effect.sync(() => {
        recorded.push(...signals)
        // Cut at twice the bound, so that the copy is paid for by as many records.
        if (recorded.length > 2 * signalsMax) recorded = recorded.slice(-signalsMax)
      })
    return Context.make(Signals, Signals.of({ record })).pipe(
      Context.add(MemorySignals, { recorded: Effect.sync(() => recorded.slice(-signalsMax)) })
    )
  })
)
