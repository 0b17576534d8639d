import { expect } from "bun:test"
import { Effect } from "effect"
import { type Signal, Signals } from "../../src/domain/ports.ts"
import { layer, MemorySignals } from "../../src/infra/signals.memory.ts"
import { effect } from "../support/effect.ts"

const signal = (at: number): Signal => ({
  host: "a.kr",
  at,
  kind: "fetch",
  fetcher: "http",
  status: 200,
  latency_ms: 12,
  lag_ms: null,
  category: null
})

effect("signals are kept in order, the latest ten thousand of them", () =>
  Effect.gen(function* () {
    const signals = yield* Signals
    for (let part = 0; part < 25; part++) {
      yield* signals.record(Array.from({ length: 1000 }, (_, n) => signal(part * 1000 + n)))
    }
    const kept = yield* MemorySignals.use((it) => it.recorded)
    expect(kept.map((it) => it.at)).toEqual(Array.from({ length: 10_000 }, (_, n) => 15_000 + n))
  }).pipe(Effect.provide(layer))
)
