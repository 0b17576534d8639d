import { expect } from "bun:test"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Bus, Frontier, Pages } from "../../src/domain/ports.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { seed } from "../support/pipeline.ts"
import { world } from "../support/world.ts"

const urls = ["one", "two"].map((it) => `https://a.kr/news/2026/11/30/story-${it}`)

/** A store that takes ten seconds to note that work on a page begins. */
const slow = Layer.effect(
  Bus,
  Effect.map(Bus, (bus) => ({ ...bus, begin: (it) => Effect.andThen(Effect.sleep("10 seconds"), bus.begin(it)) }))
)

effect("a host does not wait until the store has noted that its page was begun; what follows from the page does", () =>
  Effect.gen(function* () {
    const asked = new Map<string, number>()
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue(urls.map((url) => seed(url)))
      const all = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let tenth = 0; tenth < 50; tenth += 1) yield* TestClock.adjust("100 millis")
      expect([...asked.keys()].sort()).toEqual(urls)
      const pages = yield* Pages
      expect(yield* pages.articles({ limit: 9 })).toEqual([])
      for (let tenth = 0; tenth < 100; tenth += 1) yield* TestClock.adjust("100 millis")
      expect((yield* pages.articles({ limit: 9 })).length).toBe(2)
      yield* Fiber.interrupt(all)
    })
    const around = world((url) => articlePage(`Council votes on the bridge ${url.slice(-3)}`), { asked })
    yield* Effect.provide(program, Layer.provideMerge(slow, around))
  })
)
