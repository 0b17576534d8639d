import { Effect, Layer } from "effect"
import { AiLedger, type Pass, probeEvery } from "../domain/ai/ports.ts"
import type { AiMemory } from "./jobs.memory.ts"

/** What was spent and the gate to the provider, in the memory of one process. */
export const layerOf = (memory: AiMemory): Layer.Layer<AiLedger> =>
  Layer.sync(AiLedger, () => {
    let gate: { readonly code: string; until: number } | null = null
    const look = (): Pass => (gate === null ? { tag: "open" } : { tag: "closed", ...gate })
    return AiLedger.of({
      spent: (since) =>
        Effect.sync(() =>
          [...memory.usage.values()].filter((it) => it.at >= since).reduce((sum, it) => sum + it.cost_usd, 0)
        ),
      look: () => Effect.sync(look),
      pass: (now) =>
        Effect.sync(() => {
          if (gate === null || gate.until > now) return look()
          gate.until = now + probeEvery
          return { tag: "probe" }
        }),
      close: (code, now) =>
        Effect.sync(() => {
          gate = { code, until: Math.max(gate?.until ?? 0, now + probeEvery) }
        }),
      open: Effect.sync(() => {
        gate = null
      })
    })
  })
