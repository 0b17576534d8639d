import { expect } from "bun:test"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Fatal, Retryable, Suspendable } from "../../src/domain/errors.ts"
import { suspectFrom, suspendedUntil } from "../../src/domain/job.ts"
import { Bus, Fetcher, Frontier, Pages, Robots } from "../../src/domain/ports.ts"
import type { Envelope, Outgoing } from "../../src/domain/topics.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { MemoryPages } from "../../src/infra/pages.memory.ts"
import { Run } from "../../src/streams/chain.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage, feedPage, listPage } from "../support/pages.ts"
import { crawl, drained, seed } from "../support/pipeline.ts"
import { openRobots, type Web, world } from "../support/world.ts"

const story = "https://a.example/news/2026/11/30/council-votes-1"
const other = "https://a.example/news/2026/11/30/river-rises-2"

effect("an article page becomes one stored and delivered article", () =>
  Effect.gen(function* () {
    const { articles, delivered, letters } = yield* crawl(() => articlePage("Council votes on the bridge"), story)
    expect(articles.map((it) => [it.url, it.title])).toEqual([[story, "Council votes on the bridge"]])
    expect(delivered.map((it) => it.id)).toEqual(articles.map((it) => it.id))
    expect(letters).toEqual([])
  })
)

effect("a list leads to its articles, each once", () =>
  Effect.gen(function* () {
    const web: Web = (url) =>
      url.endsWith("/") ? listPage([story, other, `${story}?utm_source=x`]) : articlePage(`Story at ${url.slice(-20)}`)
    const { articles, asked } = yield* crawl(web, "https://a.example/", "list")
    expect(articles.map((it) => it.url).sort()).toEqual([story, other])
    expect([...asked.values()]).toEqual([1, 1, 1])
  })
)

effect("a feed leads to its articles", () =>
  Effect.gen(function* () {
    const web: Web = (url) =>
      url.endsWith("rss.xml") ? feedPage([story, other]) : articlePage(`Story at ${url.slice(-20)}`)
    const { articles } = yield* crawl(web, "https://a.example/rss.xml", "feed")
    expect(articles).toHaveLength(2)
  })
)

effect("a page that times out is tried again after a wait and then stored", () =>
  Effect.gen(function* () {
    const web: Web = (_url, request) =>
      request < 3 ? new Retryable({ code: "timeout", message: "slow" }) : articlePage("Council votes on the bridge")
    const { articles, asked } = yield* crawl(web, story)
    expect(articles).toHaveLength(1)
    expect(asked.get(story)).toBe(3)
  })
)

effect("retries that are used up end as a dead letter with the job's bytes", () =>
  Effect.gen(function* () {
    const { letters, asked } = yield* crawl(() => new Retryable({ code: "network", message: "reset" }), story)
    expect(letters.map((it) => [it.stage, it.code, it.key])).toEqual([["fetcher", "exhausted", "a.example"]])
    expect(JSON.parse(letters[0]?.bytes ?? "{}").payload.target.url).toBe(story)
    expect(asked.get(story)).toBe(6)
  })
)

effect("a fatal failure is a dead letter at once", () =>
  Effect.gen(function* () {
    const { letters, asked } = yield* crawl(() => new Fatal({ code: "body_too_large", message: "12 MiB" }), story)
    expect(letters.map((it) => it.code)).toEqual(["body_too_large"])
    expect(asked.get(story)).toBe(1)
  })
)

effect("Retry-After pauses the host and charges the URL no attempt", () =>
  Effect.gen(function* () {
    const limited = new Retryable({ code: "http_429", message: "slow down", after: 7000 })
    const { articles, letters } = yield* crawl(
      (_url, request) => (request < 9 ? limited : articlePage("Council votes on the bridge")),
      story
    )
    expect(letters).toEqual([])
    expect(articles).toHaveLength(1)
  })
)

effect("a truncated page is fetched again, not read again", () =>
  Effect.gen(function* () {
    const cut = { status: 200, body: "<html><body><p>cut", truncated: true }
    const { articles, asked } = yield* crawl(
      (_url, request) => (request === 1 ? cut : articlePage("Council votes on the bridge")),
      story
    )
    expect(articles).toHaveLength(1)
    expect(asked.get(story)).toBe(2)
  })
)

effect("what robots.txt forbids is an outcome with its reason, never a request and never a dead letter", () =>
  Effect.gen(function* () {
    const asked = new Map<string, number>()
    const closed = Layer.succeed(
      Robots,
      Robots.of({
        known: () => Effect.succeed(true),
        check: () => Effect.succeed({ allowed: false, reason: "disallow: /news/", crawl_delay_ms: null })
      })
    )
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue([seed(story)])
      yield* drained
      expect((yield* (yield* MemoryPages).outcomes).map((it) => [it.verdict, it.codes, it.evidence])).toEqual([
        ["refused", ["robots"], { reason: "disallow: /news/" }]
      ])
      expect(yield* (yield* MemoryBus).deadLetters).toEqual([])
    })
    yield* Effect.provide(
      program,
      Layer.merge(
        world(() => "", { asked }),
        closed
      )
    )
    expect(asked.size).toBe(0)
    expect(openRobots).toBeDefined()
  })
)

const poison = (payload: unknown, headers: Record<string, string> = {}): Outgoing => ({
  id: "poison",
  topic: "crawl.normal",
  key: "a.example",
  occurred_at: 0,
  attempt: 0,
  trace_id: "t",
  headers,
  payload,
  not_before: 0
})

const publishing = (messages: ReadonlyArray<Outgoing>) =>
  Effect.gen(function* () {
    yield* (yield* Bus).publish(messages)
    yield* drained
    return yield* (yield* MemoryBus).deadLetters
  }).pipe(Effect.provide(world(() => articlePage("Council votes on the bridge"))))

effect("a poison message is a dead letter with its bytes, and the stream goes on", () =>
  Effect.gen(function* () {
    const good = { ...poison(seed(story).job), id: "good" }
    const letters = yield* publishing([poison({ nonsense: true }), good])
    expect(letters.map((it) => it.code)).toEqual(["decode"])
    const kept: Envelope = JSON.parse(letters[0]?.bytes ?? "{}")
    expect(kept.payload).toEqual({ nonsense: true })
  })
)

effect("a message of an unknown schema version is a dead letter; the version before ours is still read", () =>
  Effect.gen(function* () {
    const unknown = poison(seed(story).job, { schema: "999" })
    const previous = { ...poison(seed(other).job, { schema: "0" }), id: "previous" }
    const letters = yield* publishing([unknown, previous])
    expect(letters.map((it) => [it.id, it.code])).toEqual([["poison~fetcher", "schema_unsupported"]])
  })
)

effect("a key that is not the URL's host is a dead letter", () =>
  Effect.gen(function* () {
    const letters = yield* publishing([{ ...poison(seed(story).job), key: "b.example" }])
    expect(letters.map((it) => it.code)).toEqual(["key_mismatch"])
  })
)

effect("a job whose host is not that of its URL is a dead letter, whatever its key says", () =>
  Effect.gen(function* () {
    const { job } = seed(story)
    const letters = yield* publishing([{ ...poison({ ...job, host: "evil.example" }), key: "evil.example" }])
    expect(letters.map((it) => it.code)).toEqual(["key_mismatch"])
  })
)

effect("a stage that runs elsewhere gets its input by topic, with the acknowledgement", () =>
  Effect.gen(function* () {
    const program = Effect.gen(function* () {
      yield* (yield* Frontier).enqueue([seed(story)])
      const run = yield* Run
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let turn = 0; turn < 50; turn += 1) yield* TestClock.adjust("100 millis")
      yield* Deferred.succeed(run.stop, undefined)
      for (let turn = 0; turn < 300 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.join(chain)
      return yield* (yield* MemoryBus).messages
    })
    const stages = new Set(["fetcher", "validator"])
    const left = yield* Effect.provide(
      program,
      world(() => articlePage("Council votes on the bridge"), { stages, policy: { untilDrained: false } })
    )
    expect(left.map((it) => [it.topic, it.key])).toEqual([["validated", "a.example"]])
  })
)

effect("what an operator must resume waits in messages, uncharged", () =>
  Effect.gen(function* () {
    const { route } = yield* Effect.promise(() => import("../../src/streams/stage.ts"))
    const envelope = poison(seed(story).job)
    const receipt = { id: "poison", topic: "crawl.normal", lease: 1 } as const
    const back = { topic: "crawl.normal", key: "a.example", payload: envelope.payload } as const
    const { fetchRetry } = yield* Effect.promise(() => import("../../src/domain/job.ts"))
    const routing = { stage: "fetcher", retry: fetchRetry, requeue: () => back }
    const settlement = yield* route(
      { envelope, receipt, crashes: 0 },
      new Suspendable({ code: "quota", message: "empty" }),
      routing
    )
    expect(settlement.publish.map((it) => [it.not_before, it.attempt])).toEqual([[suspendedUntil, 0]])
    expect(settlement.dead).toEqual([])
  })
)

effect("messages under suspicion are worked on one at a time; the others are not held up", () =>
  Effect.gen(function* () {
    const hosts = ["a", "b", "c", "d"].map((it) => `https://${it}.example/news/2026/11/30/story-1`)
    let now = 0
    let most = 0
    const program = Effect.gen(function* () {
      const bus = yield* Bus
      yield* (yield* Frontier).enqueue(hosts.map((url) => seed(url)))
      const { crash } = yield* MemoryBus
      // Lives that end while work on all of them has begun.
      for (let life = 0; life < suspectFrom; life += 1) {
        const subscription = {
          topics: [{ topic: "crawl.high", weight: 1 }],
          limit: 9,
          perKey: 9,
          untilDrained: false
        } as const
        const taken = yield* bus.consume(subscription, Effect.never).pipe(Stream.take(4), Stream.runCollect)
        yield* bus.begin(taken.map((it) => it.receipt))
        yield* crash
      }
      yield* drained
      return yield* (yield* Pages).articles({ limit: 10 })
    })
    const counting = Layer.effect(
      Fetcher,
      Effect.map(Fetcher, (it) =>
        Fetcher.of({
          fetch: (job, known) =>
            Effect.acquireUseRelease(
              Effect.sync(() => {
                now += 1
                most = Math.max(most, now)
              }),
              () => it.fetch(job, known),
              () =>
                Effect.sync(() => {
                  now -= 1
                })
            )
        })
      )
    )
    const web: Web = (url) => articlePage(`Story at ${url.slice(8, 20)}`)
    const articles = yield* Effect.provide(program, Layer.provideMerge(counting, world(web)))
    expect(articles).toHaveLength(4)
    expect(most).toBe(1)
  })
)
