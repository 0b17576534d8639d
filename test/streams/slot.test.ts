import { expect } from "bun:test"
import { Clock, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Retryable } from "../../src/domain/errors.ts"
import { crashesMax } from "../../src/domain/job.ts"
import { Frontier, Robots } from "../../src/domain/ports.ts"
import { chainStages } from "../../src/domain/stages.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { Run } from "../../src/streams/chain.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage, listPage } from "../support/pages.ts"
import { seed } from "../support/pipeline.ts"
import { type Web, world } from "../support/world.ts"

const stories = (host: string, count: number) =>
  Array.from({ length: count }, (_, at) => `https://${host}/news/2026/11/30/story-${at}`)

effect("a dead host is dialled five times, then its breaker opens and the rest is parked, not failed", () =>
  Effect.gen(function* () {
    const asked = new Map<string, number>()
    const web: Web = (_url, _request) => new Retryable({ code: "network", message: "refused" })
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue(stories("dead.example", 50).map((url) => seed(url)))
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      // The breaker's first window: 60 s.
      for (let second = 0; second < 55; second += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(chain)
      expect([...asked.values()].reduce((sum, it) => sum + it, 0)).toBe(5)
      expect(yield* (yield* MemoryBus).deadLetters).toEqual([])
    })
    yield* Effect.provide(program, world(web, { asked }))
  })
)

effect("a page that answers 500 to all its tries keeps no other page of its host waiting", () =>
  Effect.gen(function* () {
    const asked = new Map<string, number>()
    const [bad = "", good = ""] = stories("a.example", 2)
    const broken = new Retryable({ code: "http_5xx", message: "a.example answered 500" })
    const web: Web = (url) => (url === bad ? broken : articlePage("Council votes on the bridge"))
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue([seed(bad)])
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let turn = 0; turn < 600 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
      expect(asked.get(bad)).toBe(6)
      expect((yield* (yield* MemoryBus).deadLetters).map((it) => it.code)).toEqual(["exhausted"])
      yield* (yield* Frontier).enqueue([seed(good)])
      const next = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let turn = 0; turn < 5 && next.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
      expect(asked.get(good)).toBe(1)
    })
    yield* Effect.provide(program, world(web, { asked }))
  })
)

effect("rules of a host that nobody asked for are read first, one delay before its first page", () =>
  Effect.gen(function* () {
    const times: Array<readonly [string, number]> = []
    const note = (what: string) => Effect.map(Clock.currentTimeMillis, (now) => void times.push([what, now]))
    const known = new Set<string>()
    const robots = Layer.succeed(
      Robots,
      Robots.of({
        known: (url) => Effect.sync(() => known.has(new URL(url).host)),
        check: (url) =>
          Effect.gen(function* () {
            const { host } = new URL(url)
            if (!known.has(host)) yield* note("robots")
            known.add(host)
            return { allowed: true, reason: "allowed by robots.txt", crawl_delay_ms: 3000 }
          })
      })
    )
    const web: Web = (url) => {
      times.push([url.slice(-1), -1])
      return articlePage(`Story at ${url.slice(-20)}`)
    }
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue(stories("slow.example", 2).map((url) => seed(url)))
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      const seen: Array<number> = []
      for (let tick = 0; tick < 200 && chain.pollUnsafe() === undefined; tick += 1) {
        const before = times.length
        yield* TestClock.adjust("100 millis")
        if (times.length > before) seen.push(yield* Clock.currentTimeMillis)
      }
      expect(times.map(([what]) => what)).toEqual(["robots", "0", "1"])
      // robots.txt asks for three seconds: the page after it and the next one keep them.
      expect((seen.at(-1) ?? 0) - (seen[0] ?? 0)).toBeGreaterThanOrEqual(6000)
    })
    yield* Effect.provide(program, Layer.merge(world(web), robots))
  })
)

effect("a host whose robots.txt cannot be had is asked for it less and less", () =>
  Effect.gen(function* () {
    const reads: Array<number> = []
    const lifeMs = 300_000
    const isKnown = (now: number) => now < (reads.at(-1) ?? -lifeMs) + lifeMs
    const robots = Layer.succeed(
      Robots,
      Robots.of({
        known: () => Effect.map(Clock.currentTimeMillis, isKnown),
        check: () =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (!isKnown(now)) reads.push(now)
            const until = (reads.at(-1) ?? now) + lifeMs
            return { allowed: false, reason: "robots.txt answered 503", crawl_delay_ms: null, until }
          })
      })
    )
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue(stories("dead.example", 100).map((url) => seed(url)))
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let minute = 0; minute < 180; minute += 1) yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(chain)
      // Each trouble is remembered for five minutes: 36 times in three hours, were there no breaker.
      expect(reads.length).toBeLessThan(16)
    })
    yield* Effect.provide(
      program,
      Layer.merge(
        world(() => ""),
        robots
      )
    )
  })
)

effect("a page whose fetch ends the process each time is a dead letter after five lives; its neighbours are not", () =>
  Effect.gen(function* () {
    const [poison = "", good = ""] = stories("a.example", 2)
    const asked = new Map<string, number>()
    const web: Web = (url) =>
      url === poison ? articlePage("Never seen by anybody") : articlePage("Council votes on the bridge")
    const program = Effect.gen(function* () {
      const { crash, deadLetters, messages } = yield* MemoryBus
      yield* (yield* Frontier).enqueue([seed(poison)])
      for (let life = 0; life < crashesMax; life += 1) {
        const chain = yield* Effect.forkChild(
          Effect.provide(Stream.runDrain(pipeline), Run.layer(new Set(chainStages)))
        )
        // The fetch takes 20 ms: it has begun, and is not done.
        for (let turn = 0; turn < 1000 && (asked.get(poison) ?? 0) <= life; turn += 1)
          yield* TestClock.adjust("1 millis")
        yield* Fiber.interrupt(chain)
        yield* crash
        yield* TestClock.adjust("1 second")
      }
      yield* (yield* Frontier).enqueue([seed(good)])
      const chain = yield* Effect.forkChild(Effect.provide(Stream.runDrain(pipeline), Run.layer(new Set(chainStages))))
      for (let turn = 0; turn < 100 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
      expect((yield* deadLetters).map((it) => [it.code, it.attempts])).toEqual([["crash_loop", crashesMax]])
      expect(yield* messages).toEqual([])
    })
    yield* Effect.provide(program, world(web, { asked }))
  })
)

effect("a long list travels to another process in parts, and only the first one stands for the page", () =>
  Effect.gen(function* () {
    const links = stories("a.example", 900)
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue([seed("https://a.example/", "list")])
      const run = yield* Run
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let turn = 0; turn < 50; turn += 1) yield* TestClock.adjust("100 millis")
      yield* Deferred.succeed(run.stop, undefined)
      for (let turn = 0; turn < 300 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
      return yield* (yield* MemoryBus).messages
    })
    const stages = new Set(["fetcher", "validator", "parser"])
    const left = yield* Effect.provide(
      program,
      world(() => listPage(links), { stages, policy: { untilDrained: false } })
    )
    const sizes = left.map((it) => {
      const payload = it.payload as { readonly links: ReadonlyArray<unknown> }
      return [it.topic, payload.links.length]
    })
    expect(sizes).toEqual([
      ["parsed", 500],
      ["parsed", 400]
    ])
  })
)

effect("told to stop, a process begins no request: what waits for its host goes back at once, uncharged", () =>
  Effect.gen(function* () {
    const asked = new Map<string, number>()
    const web: Web = () => articlePage("Council votes on the bridge")
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue(stories("a.example", 3).map((url) => seed(url)))
      const run = yield* Run
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let turn = 0; turn < 35; turn += 1) yield* TestClock.adjust("100 millis")
      const before = asked.size
      yield* Deferred.succeed(run.stop, undefined)
      for (let turn = 0; turn < 20; turn += 1) yield* TestClock.adjust("1 millis")
      expect(chain.pollUnsafe()).toBeDefined()
      expect(asked.size).toBe(before)
      const left = yield* (yield* MemoryBus).messages
      expect(left.length + asked.size).toBe(3)
      expect(left.map((it) => it.attempt)).toEqual(left.map(() => 0))
      expect(left.length).toBeGreaterThan(0)
    })
    yield* Effect.provide(program, world(web, { asked, env: { FETCH_DELAY: "2s" }, policy: { untilDrained: false } }))
  })
)
