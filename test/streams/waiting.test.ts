import { expect } from "bun:test"
import { Effect, Fiber, Layer, Semaphore, Stream } from "effect"
import { TestClock } from "effect/testing"
import { FetcherRules } from "../../src/domain/fetcherrules.ts"
import { suspectFrom } from "../../src/domain/job.ts"
import { Bus, Fetcher, Frontier, Hosts } from "../../src/domain/ports.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { seed } from "../support/pipeline.ts"
import { fetcherOf, world } from "../support/world.ts"

effect("who waits to be worked on alone keeps nobody from its host meanwhile", () =>
  Effect.gen(function* () {
    const [slow = "", waiting = "", free = ""] = ["a", "b", "b"].map(
      (it, at) => `https://${it}.example/news/2026/story-${at}`
    )
    const asked: Array<string> = []
    const page = articlePage("Council votes on the bridge")
    const noting = Layer.effect(
      Fetcher,
      Effect.map(Fetcher, ({ fetch }) =>
        Fetcher.of({
          fetch: (job, known) =>
            Effect.sync(() => void asked.push(job.target.url)).pipe(
              Effect.andThen(Effect.sleep(job.target.url === slow ? "20 seconds" : "0 millis")),
              Effect.andThen(fetch(job, known))
            )
        })
      )
    ).pipe(Layer.provide(fetcherOf(() => page)))
    const program = Effect.gen(function* () {
      const bus = yield* Bus
      const frontier = yield* Frontier
      yield* frontier.enqueue([slow, waiting].map((url) => seed(url)))
      for (let life = 0; life < suspectFrom; life += 1) {
        const topics = [{ topic: "crawl.high", weight: 1 }] as const
        const taken = yield* bus
          .consume({ topics, limit: 9, perKey: 9, untilDrained: false }, Effect.never)
          .pipe(Stream.take(2), Stream.runCollect)
        yield* bus.begin(taken.map((it) => it.receipt))
        yield* (yield* MemoryBus).crash
      }
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      const pass = (seconds: number) =>
        Effect.forEach(Array.from({ length: seconds * 10 }), () => TestClock.adjust("100 millis"))
      yield* pass(2)
      yield* frontier.enqueue([seed(free)])
      yield* pass(5)
      expect(asked).toEqual([slow, free])
      for (let turn = 0; turn < 60 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
      expect(asked).toEqual([slow, free, waiting])
    })
    yield* Effect.provide(
      program,
      Layer.merge(
        world(() => ""),
        noting
      )
    )
  })
)

effect("pages that wait for a browser keep neither plain pages nor their own hosts' slots waiting", () =>
  Effect.gen(function* () {
    const shown = ["a", "b", "c", "d"].map((it) => `https://${it}.example/news/2026/story-1`)
    const plain = "https://plain.example/news/2026/story-1"
    const asked: Array<string> = []
    const page = articlePage("Council votes on the bridge")
    const slow = Layer.effect(
      Fetcher,
      Effect.map(Fetcher, ({ fetch }) => {
        const browser = Semaphore.makeUnsafe(1)
        return Fetcher.of({
          renders: true,
          fetch: (job, known) => {
            const got = Effect.andThen(
              Effect.sync(() => void asked.push(job.target.url)),
              fetch(job, known)
            )
            return job.fetcher === "browser" ? browser.withPermit(Effect.delay(got, "20 seconds")) : got
          }
        })
      })
    ).pipe(Layer.provide(fetcherOf(() => page)))
    const program = Effect.gen(function* () {
      for (const host of ["a", "b", "c", "d"].map((it) => `${it}.example`))
        yield* (yield* FetcherRules).set({ host, fetcher: "browser", reason: null, actor: "test" })
      yield* (yield* Frontier).enqueue([...shown, plain].map((url) => seed(url)))
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let tenth = 0; tenth < 30; tenth += 1) yield* TestClock.adjust("100 millis")
      expect(asked).toEqual([plain])
      const hosts = yield* Hosts
      const free = yield* Effect.forEach(shown, (url) => hosts.acquire(new URL(url).hostname))
      expect(free.filter((it) => it.tag === "granted").length).toBe(3)
      yield* Fiber.interrupt(chain)
    })
    const few = { fetchConcurrency: 2, browserPages: 1 }
    yield* Effect.provide(
      program,
      Layer.merge(
        world(() => "", { policy: few }),
        slow
      )
    )
  })
)
