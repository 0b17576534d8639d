import { expect } from "bun:test"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Frontier, Pages } from "../../src/domain/ports.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { Run } from "../../src/streams/chain.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { seed } from "../support/pipeline.ts"
import { type Web, world } from "../support/world.ts"

const story = "https://a.example/news/2026/11/30/council-votes-1"
const web: Web = () => articlePage("Council votes on the bridge")
const cut: Web = () => ({ status: 200, body: "<html><body><p>cut", truncated: true })
const stages = "fetcher validator parser scorer router".split(" ")
/** One process of all, and one process for each stage. */
const deployments = { alone: [stages], apart: stages.map((it) => [it]) } as const

/** Pages whose stored copies are gone before the so-manieth look at them. */
const losing = (isLost: (look: number) => boolean) => {
  let looks = 0
  return Layer.effect(
    Pages,
    Effect.map(Pages, (it) =>
      Pages.of({
        ...it,
        raw: (id) =>
          Effect.suspend(() => {
            looks += 1
            return isLost(looks) ? Effect.succeed(null) : it.raw(id)
          })
      })
    )
  )
}

for (const [name, processes] of Object.entries(deployments)) {
  const crawled = (answers: Web, isLost: (look: number) => boolean) => {
    const asked = new Map<string, number>()
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue([seed(story)])
      const one = (has: ReadonlyArray<string>) =>
        Stream.runDrain(pipeline).pipe(Effect.provide(Run.layer(new Set(has))))
      const all = yield* Effect.forkChild(Effect.all(processes.map(one), { concurrency: "unbounded" }))
      for (let second = 0; second < 1800; second += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(all)
      const articles = yield* (yield* Pages).articles({ limit: 10 })
      const letters = yield* (yield* MemoryBus).deadLetters
      return { articles: articles.length, codes: letters.map((it) => it.code), asked: asked.get(story) }
    })
    const all = world(answers, { asked, policy: { untilDrained: false } })
    return Effect.provide(program, Layer.provideMerge(losing(isLost), all))
  }

  effect(`${name}: a stored page that is gone when it is judged is fetched again`, () =>
    Effect.gen(function* () {
      expect(yield* crawled(web, (look) => look === 1)).toEqual({ articles: 1, codes: [], asked: 2 })
    })
  )
  effect(`${name}: a stored page that is gone when it is parsed is fetched again`, () =>
    Effect.gen(function* () {
      expect(yield* crawled(web, (look) => look === 2)).toEqual({ articles: 1, codes: [], asked: 2 })
    })
  )
  effect(`${name}: a store that keeps no page ends its job when the attempts are used up`, () =>
    Effect.gen(function* () {
      expect(yield* crawled(web, () => true)).toEqual({ articles: 0, codes: ["exhausted"], asked: 6 })
    })
  )
  effect(`${name}: a page that is cut short each time ends when the attempts are used up`, () =>
    Effect.gen(function* () {
      expect(yield* crawled(cut, () => false)).toEqual({ articles: 0, codes: ["exhausted"], asked: 6 })
    })
  )
}
