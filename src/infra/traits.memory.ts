import { Effect, Layer } from "effect"
import { type HostTraits, noTraits, Traits } from "../domain/traits.ts"
import { twinMemory } from "./twins.ts"

export interface Options {
  /** Ask hosts for addresses they cannot have. */
  readonly probes?: boolean
}

/** What hosts taught one process; nothing outlives it. */
export const layer = (options: Options = {}): Layer.Layer<Traits> =>
  Layer.sync(Traits, () => {
    const all = new Map<string, HostTraits>()
    return Traits.of({
      probes: options.probes ?? false,
      of: (host) => Effect.sync(() => all.get(host) ?? noTraits),
      learn: (host, change) => Effect.sync(() => void all.set(host, { ...(all.get(host) ?? noTraits), ...change })),
      twins: twinMemory()
    })
  })
