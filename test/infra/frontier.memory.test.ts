import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Frontier } from "../../src/domain/ports.ts"
import * as bus from "../../src/infra/bus.memory.ts"
import { layer } from "../../src/infra/frontier.memory.ts"
import * as urls from "../../src/infra/urls.memory.ts"
import { frontierSuite, planned } from "../support/conformance/frontier.ts"
import { effect } from "../support/effect.ts"

frontierSuite("frontier in memory", Layer.provideMerge(layer, Layer.mergeAll(bus.layer(), urls.layer())), {
  clock: "virtual",
  dues: Effect.flatMap(bus.MemoryBus, (it) => it.messages)
})

effect("a full frontier drops further links instead of growing", () =>
  Effect.gen(function* () {
    const frontier = yield* Frontier
    const links = Array.from({ length: 10 }, (_, n) => planned("a.kr", String(n)))
    expect(yield* frontier.enqueue(links)).toEqual(links.map((_, at) => at < 4))
    expect(yield* frontier.enqueue(links)).toEqual(links.map(() => false))
    expect((yield* Effect.flatMap(bus.MemoryBus, (it) => it.messages)).length).toBe(4)
  }).pipe(Effect.provide(Layer.provideMerge(layer, Layer.mergeAll(bus.layer(), urls.layer({ urlsMax: 4 })))))
)
