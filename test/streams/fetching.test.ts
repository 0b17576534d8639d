import { expect } from "bun:test"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Retryable } from "../../src/domain/errors.ts"
import { Fetcher, Frontier, Pages, Sources } from "../../src/domain/ports.ts"
import type { Source } from "../../src/domain/source.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { tick } from "../../src/streams/schedule.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage, feedPage } from "../support/pages.ts"
import { seed } from "../support/pipeline.ts"
import { fetcherOf, type Web, world } from "../support/world.ts"

const stories = (host: string, count: number) =>
  Array.from({ length: count }, (_, at) => `https://${host}/news/2026/11/30/story-${at}`)
const page = (url: string) => articlePage(`Council votes on the bridge ${url.slice(-4)}`)

interface Asked {
  readonly url: string
  readonly at: number
}
/** A web that notes when it was asked. */
const noting = (web: (url: string, at: number) => ReturnType<Web>) => {
  const asked: Array<Asked> = []
  let now = 0
  const layer = Layer.effect(
    Fetcher,
    Effect.map(Fetcher, ({ fetch }) =>
      Fetcher.of({
        fetch: (job, known) =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => {
            now = at
            asked.push({ url: job.target.url, at })
            return fetch(job, known)
          })
      })
    )
  ).pipe(Layer.provide(fetcherOf((url) => web(url, now))))
  return { asked, layer }
}
/** Several workers on one bus, until they are told no more. */
const workers = (count: number) =>
  Effect.forkChild(
    Effect.all(
      Array.from({ length: count }, () => Stream.runDrain(pipeline)),
      { concurrency: count, discard: true }
    )
  )
const within = (asked: ReadonlyArray<Asked>, host: string, from: number, to: number) =>
  asked.filter(({ at, url }) => url.includes(host) && at >= from && at < to).length

effect("a 429 with Retry-After pauses its host for every worker, charges no try, and nobody else waits (B21)", () =>
  Effect.gen(function* () {
    let told = 0
    const { asked, layer } = noting((url, at) => {
      if (!url.includes("busy.example") || told > 0) return page(url)
      told = at
      return new Retryable({ code: "http_429", message: "slow down", after: 7000 })
    })
    const program = Effect.gen(function* () {
      const urls = [...stories("busy.example", 20), ...stories("free.example", 20)]
      yield* (yield* Frontier).enqueue(urls.map((url) => seed(url)))
      const all = yield* workers(8)
      yield* TestClock.adjust("100 millis")
      for (let tenth = 0; tenth < 60; tenth += 1) yield* TestClock.adjust("100 millis")
      const waiting = (yield* (yield* MemoryBus).messages).filter(({ key }) => key === "busy.example")
      expect(waiting.map(({ attempt }) => attempt).filter((it) => it > 0)).toEqual([])
      for (let second = 0; second < 60; second += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(all)
      // From the answer, 20 ms after the request, to the instant it names.
      expect(within(asked, "busy.example", told + 1, told + 7020)).toBe(0)
      expect(within(asked, "free.example", told, told + 7000)).toBeGreaterThan(15)
      expect((yield* (yield* Pages).articles({ limit: 100 })).length).toBe(40)
      expect(yield* (yield* MemoryBus).deadLetters).toEqual([])
    })
    yield* Effect.provide(
      program,
      Layer.merge(
        world(() => "", { policy: { untilDrained: false } }),
        layer
      )
    )
  })
)

effect("a host without an address is tried five times a window; back again, all that waited is fetched (B25)", () =>
  Effect.gen(function* () {
    const back = 5 * 60_000
    const { asked, layer } = noting((url, at) =>
      at < back ? new Retryable({ code: "network", message: "no address" }) : page(url)
    )
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue(stories("gone.example", 100).map((url) => seed(url)))
      const all = yield* workers(2)
      const steps = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () => TestClock.adjust("15 seconds"), { discard: true })
      yield* steps((back - 15_000) / 15_000)
      expect(within(asked, "gone.example", 0, 60_000)).toBe(5)
      // One probe each after 1 and 2 minutes; the third, after 4 more, finds it back.
      expect(asked.length).toBe(7)
      yield* steps(40)
      yield* Fiber.interrupt(all)
      expect(asked.length).toBe(107)
      expect(yield* (yield* MemoryBus).deadLetters).toEqual([])
    })
    yield* Effect.provide(
      program,
      Layer.merge(
        world(() => "", { policy: { untilDrained: false } }),
        layer
      )
    )
  })
)

const feed: Source = {
  id: "s1",
  name: "feed",
  url: "https://a.example/rss.xml",
  kind: "feed",
  every_ms: 300_000,
  cron: null,
  zone: "Asia/Seoul",
  category: "economy",
  country: "KR",
  section: null,
  page_url: null,
  max_pages: null,
  priority: null,
  enabled: true,
  created_at: 0,
  next_poll_at: 300_000,
  polled_at: null,
  last: null
}

effect("an unchanged feed is answered 304, read once, and polled less and less (B23)", () =>
  Effect.gen(function* () {
    const { asked, layer } = noting((url) => (url === feed.url ? feedPage(stories("a.example", 2)) : page(url)))
    const policy = { untilDrained: false, conditional: true, pollStretch: 4 }
    const program = Effect.gen(function* () {
      yield* (yield* Sources).put([feed])
      const all = yield* workers(1)
      for (let half = 0; half < 180; half += 1) {
        yield* tick()
        yield* TestClock.adjust("30 seconds")
      }
      yield* Fiber.interrupt(all)
      const polls = asked.filter(({ url }) => url === feed.url).map(({ at }) => at)
      const gaps = polls.slice(1).map((at, index) => Math.round((at - (polls[index] ?? 0)) / 60_000))
      expect(gaps.slice(0, 5)).toEqual([5, 5, 10, 20, 20])
      const raws = yield* (yield* Pages).raws({ host: "a.example", limit: 100, bytesMax: 1e9 })
      // The latest page stored is still the first one.
      const kept = raws.find(({ raw }) => raw.url === feed.url)
      expect(kept?.raw.fetched_at).toBe((polls[0] ?? 0) + 20)
    })
    yield* Effect.provide(
      program,
      Layer.merge(
        world(() => "", { policy }),
        layer
      )
    )
  })
)
