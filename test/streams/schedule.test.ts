import { expect } from "bun:test"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Sources } from "../../src/domain/ports.ts"
import { nextSlot, pollJob } from "../../src/domain/slots.ts"
import type { Source } from "../../src/domain/source.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { MemoryPages } from "../../src/infra/pages.memory.ts"
import { type Polled, polledMax, unasked } from "../../src/streams/polls.ts"
import { tick } from "../../src/streams/schedule.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { feedPage } from "../support/pages.ts"
import { world } from "../support/world.ts"

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
  priority: null,
  enabled: true,
  created_at: 0,
  next_poll_at: 300_000,
  page_url: null,
  max_pages: null,
  polled_at: null,
  last: null
}

const polls = MemoryBus.use((bus) => bus.messages)

effect("a source is polled once per slot, however many schedulers tick", () =>
  Effect.gen(function* () {
    const program = Effect.gen(function* () {
      yield* (yield* Sources).put([feed])
      yield* tick()
      expect(yield* polls).toEqual([])
      yield* TestClock.adjust("301 seconds")
      yield* Effect.all([tick(), tick(), tick()], { concurrency: "unbounded" })
      yield* tick()
      expect((yield* polls).map((it) => [it.topic, it.id])).toEqual([["crawl.poll", "s1@300000"]])
    })
    yield* Effect.provide(
      program,
      world(() => "")
    )
  })
)

effect("slots missed while nobody ran are polled once, late", () =>
  Effect.gen(function* () {
    const program = Effect.gen(function* () {
      yield* (yield* Sources).put([feed])
      yield* TestClock.adjust("1 hour")
      yield* tick()
      yield* tick()
      expect(yield* polls).toHaveLength(1)
      const [source] = yield* (yield* Sources).list
      expect(source?.next_poll_at).toBe(3_900_000)
    })
    yield* Effect.provide(
      program,
      world(() => "")
    )
  })
)

effect("a disabled source is not polled", () =>
  Effect.gen(function* () {
    const program = Effect.gen(function* () {
      yield* (yield* Sources).put([{ ...feed, enabled: false }])
      yield* TestClock.adjust("1 hour")
      expect(yield* tick()).toBe(0)
    })
    yield* Effect.provide(
      program,
      world(() => "")
    )
  })
)

effect("a cron fires on the wall clock of its zone", () =>
  Effect.sync(() => {
    const daily = { ...feed, every_ms: null, cron: "30 9 * * *" }
    const noon = Date.UTC(2026, 10, 30, 3, 0)
    expect(new Date(nextSlot(daily, noon)).toISOString()).toBe("2026-12-01T00:30:00.000Z")
  })
)

for (const [what, change, reason] of [
  ["disabled", { enabled: false }, "is disabled"],
  ["removed", null, "was removed"]
] as const) {
  effect(`a poll that waits when its source is ${what} ends unasked, and its explanation says so`, () => {
    const asked = new Map<string, number>()
    const program = Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([feed])
      yield* TestClock.adjust("5 minutes")
      yield* tick()
      yield* change === null ? sources.remove(feed.id) : sources.put([{ ...feed, ...change }])
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(chain)
      expect(asked.size).toBe(0)
      expect(yield* polls).toEqual([])
      expect(yield* MemoryPages.use((it) => it.outcomes)).toMatchObject([
        {
          url: feed.url,
          verdict: "refused",
          codes: ["unasked"],
          evidence: { reason: `not asked: source s1 ${reason}` }
        }
      ])
    })
    return Effect.provide(
      program,
      world(() => feedPage([]), { asked })
    )
  })
}

effect("polls that piled up behind a pause are one request; the next slot's is another", () => {
  const asked = new Map<string, number>()
  const crawled = Effect.gen(function* () {
    const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
    for (let turn = 0; turn < 100 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
    yield* Fiber.join(chain)
    expect(yield* polls).toEqual([])
    return asked.get(feed.url)
  })
  const program = Effect.gen(function* () {
    yield* (yield* Sources).put([feed])
    for (let slot = 0; slot < 5; slot += 1) {
      yield* TestClock.adjust("5 minutes")
      yield* tick()
    }
    expect(yield* polls).toHaveLength(5)
    expect(yield* crawled).toBe(1)
    yield* TestClock.adjust("5 minutes")
    yield* tick()
    expect(yield* crawled).toBe(2)
  })
  return Effect.provide(
    program,
    world(() => feedPage([]), { asked })
  )
})

effect("polls of sources without end are remembered up to a bound, the latest ones", () =>
  Effect.gen(function* () {
    const sources = Sources.of({ ...(yield* Sources), find: (id) => Effect.succeed({ ...feed, id }) })
    const polled: Polled = new Map()
    const ask = (id: string) =>
      unasked(polled, pollJob({ ...feed, id }, 300_000, 0)).pipe(Effect.provideService(Sources, sources))
    for (let at = 0; at <= polledMax; at += 1) yield* ask(`s${at}`)
    expect([polled.size, polled.has("s0"), polled.has(`s${polledMax}`)]).toEqual([polledMax, false, true])
  }).pipe(Effect.provide(world(() => "")))
)
