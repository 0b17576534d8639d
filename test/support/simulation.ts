import { Duration, Effect, Exit, Fiber, Layer, Option, Random, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Article } from "../../src/domain/article.ts"
import { Fatal, Retryable, Unavailable } from "../../src/domain/errors.ts"
import { Bus, Frontier, Outputs, Pages, type Planned, Sources } from "../../src/domain/ports.ts"
import { seedJob } from "../../src/domain/seed.ts"
import { chainStages } from "../../src/domain/stages.ts"
import { parseHttpUrl } from "../../src/domain/url.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { Run } from "../../src/streams/chain.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { source } from "./conformance/sources.ts"
import { articlePage, listPage } from "./pages.ts"
import { type Web, world } from "./world.ts"

/** A small universe: every page, and how its first requests fail, follow from the seed alone. */
interface Universe {
  readonly web: Web
  readonly seeds: ReadonlyArray<string>
  readonly articles: ReadonlyArray<string>
  /** Articles whose pages never come: each must end in a named state. */
  readonly hopeless: ReadonlySet<string>
}

/** Numbers in [0, 1) that follow from a seed (xorshift, Marsaglia 2003). */
const generator = (seed: number) => {
  let state = (seed * 2654435761 + 1) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4294967296
  }
}

const failure = (draw: number, host: string) => {
  if (draw < 0.3) return new Retryable({ code: "http_5xx", message: `${host}: 503` })
  if (draw < 0.5) return new Retryable({ code: "network", message: `${host}: reset` })
  if (draw < 0.7) return new Retryable({ code: "http_429", message: `${host}: 429`, after: 7000 })
  return { status: 200, body: "<html><body><p>cut", truncated: true }
}

const universe = (seed: number): Universe => {
  const draw = generator(seed)
  const hosts = Array.from({ length: 2 + Math.floor(draw() * 4) }, (_, at) => `h${at}.example`)
  const pages = new Map<string, string>()
  const flaky = new Map<string, ReadonlyArray<number>>()
  const articles: Array<string> = []
  const hopeless = new Set<string>()
  for (const host of hosts) {
    const count = 3 + Math.floor(draw() * 12)
    const paths = Array.from({ length: count }, (_, at) => `/news/2026/11/${10 + at}/story-${at}-${seed}`)
    // Links repeat, some with tracking parameters: the same article all the same.
    const links = paths.flatMap((path) => (draw() < 0.3 ? [path, `${path}?utm_source=x`] : [path]))
    // Some sections have two pages of links, and a third that has none.
    const first = draw() < 0.5 ? links.length : Math.ceil(links.length / 2)
    pages.set(`https://${host}/`, listPage(links.slice(0, first)))
    pages.set(`https://${host}/list/2`, listPage(links.slice(first)))
    pages.set(`https://${host}/list/3`, listPage([]))
    for (const path of paths) {
      const url = `https://${host}${path}`
      articles.push(url)
      pages.set(url, articlePage(`Story ${path.slice(-12)} from ${host}`))
      if (draw() < 0.05) hopeless.add(url)
      else if (draw() < 0.3) flaky.set(url, Array.from({ length: 1 + Math.floor(draw() * 2) }, draw))
    }
  }
  const web: Web = (url, request) => {
    const key = url.split("?")[0] ?? url
    const host = new URL(url).hostname
    if (hopeless.has(key)) return new Retryable({ code: "network", message: `${host}: never` })
    const draws = flaky.get(key)
    const fails = draws?.[request - 1]
    if (fails !== undefined) return failure(fails, host)
    return pages.get(key) ?? new Fatal({ code: "http_4xx", message: `${key} is not there` })
  }
  return { web, seeds: hosts.map((host) => `https://${host}/`), articles, hopeless }
}

/** A bus that loses answers (the settlement was stored, the caller hears it failed) and publishes some messages twice. */
const unreliable = (draw: () => number) =>
  Layer.effect(
    Bus,
    Effect.map(Bus, (bus) =>
      Bus.of({
        ...bus,
        settle: (settlements) =>
          Effect.suspend(() => {
            const lot = draw()
            const down = Effect.fail(new Unavailable({ dependency: "bus", message: "answer lost" }))
            if (lot < 0.03) return down
            if (lot < 0.06) return Effect.andThen(bus.settle(settlements), down)
            const twice = settlements.map((it) => ({
              ...it,
              publish: it.publish.flatMap((message) =>
                draw() < 0.05 ? [message, { ...message, id: `${message.id}!` }] : [message]
              )
            }))
            return bus.settle(twice)
          })
      })
    )
  )

/** Stores that take their time, so that a crash finds work at every point between a fetch and its acknowledgement. */
const slow = (draw: () => number) => {
  const late =
    <A extends ReadonlyArray<unknown>, B, E, R>(write: (...given: A) => Effect.Effect<B, E, R>) =>
    (...given: A) =>
      Effect.suspend(() => Effect.delay(write(...given), Duration.millis(Math.floor(draw() * 30))))
  const pages = Effect.map(Pages, (it) =>
    Pages.of({
      ...it,
      saveRaws: late(it.saveRaws),
      saveArticles: late(it.saveArticles),
      saveValidators: late(it.saveValidators),
      saveOutcomes: late(it.saveOutcomes)
    })
  )
  const frontier = Effect.map(Frontier, (it) => Frontier.of({ ...it, enqueue: late(it.enqueue) }))
  const outputs = Effect.map(Outputs, (it) => Outputs.of({ enabled: it.enabled, deliver: late(it.deliver) }))
  return Layer.mergeAll(Layer.effect(Pages, pages), Layer.effect(Frontier, frontier), Layer.effect(Outputs, outputs))
}

/** Runs the pipeline in virtual time until it is drained, crashing it now and then: all leases void, all fibers gone. */
const live = Effect.fnUntraced(function* (draw: () => number) {
  const { crash } = yield* MemoryBus
  let crashes = Math.floor(draw() * 5)
  for (let step = 0; step < 5000; step += 1) {
    // Each life is a process of its own.
    const life = Run.layer(new Set(chainStages))
    const chain = yield* Effect.forkChild(Effect.provide(Stream.runDrain(pipeline), life))
    const until = crashes > 0 ? 1 + Math.floor(draw() * 60) : Number.POSITIVE_INFINITY
    for (let turn = 0; turn < until && chain.pollUnsafe() === undefined; turn += 1) {
      yield* TestClock.adjust(crashes > 0 ? "7 millis" : turn < 200 ? "250 millis" : "20 seconds")
      if (turn > 20_000) return yield* Effect.die(new Error("the pipeline never drained"))
    }
    const done = Option.fromUndefinedOr(chain.pollUnsafe())
    if (Option.isSome(done)) {
      if (Exit.isFailure(done.value)) return yield* Effect.failCause(done.value.cause)
      return
    }
    crashes -= 1
    yield* Fiber.interrupt(chain)
    yield* crash
  }
})

const check = Effect.fnUntraced(function* ({ articles, hopeless }: Universe, delivered: ReadonlyArray<Article>) {
  const pages = yield* Pages
  const stored = yield* pages.articles({ limit: 10_000 })
  const { deadLetters, messages } = yield* MemoryBus
  const letters = yield* deadLetters
  const left = yield* messages
  const expected = articles.filter((it) => !hopeless.has(it))
  const byUrl = new Map<string, number>()
  for (const it of stored) byUrl.set(it.identity, (byUrl.get(it.identity) ?? 0) + 1)
  const told = new Set(delivered.map((it) => it.identity))
  const named = new Set(letters.map((it) => it.key))
  const lost = expected.filter((it) => !byUrl.has(it))
  const doubled = [...byUrl].filter(([, count]) => count > 1)
  const untold = expected.filter((it) => !told.has(it))
  const unnamed = [...hopeless].filter((it) => !named.has(new URL(it).hostname))
  const report = {
    lost,
    doubled,
    untold,
    unnamed,
    left: left.length,
    letters: letters.map((it) => `${it.key} ${it.code}`)
  }
  const extra = stored.length - expected.length
  if (lost.length + doubled.length + untold.length + unnamed.length + left.length !== 0 || extra !== 0) {
    return yield* Effect.die(new Error(JSON.stringify({ extra, ...report }, null, 1)))
  }
})

/** As a poll of a source: its fetch may be answered with 304, which must never hide a page that a crash cut off. */
const polled = (seed: Planned): Planned => {
  const { host } = seed.job
  const paging = { page: 1, last: 4, url: `https://${host}/list/{page}`, streak: 0 }
  return { ...seed, job: { ...seed.job, id: `${host}@0`, source_id: host, visit: 1, paging } }
}

/** One universe from its first link to the last outcome; fails with what was lost, doubled or left without a name. */
export const simulate = (seed: number): Promise<void> => {
  const place = universe(seed)
  const draw = generator(seed * 7919)
  const delivered: Array<Article> = []
  const program = Effect.gen(function* () {
    const frontier = yield* Frontier
    const seeding = { type: "list", hops: 1, lists: false, category: null, visit: 0 } as const
    const urls = place.seeds.flatMap((it) => {
      const url = parseHttpUrl(it)
      return url._tag === "Success" ? [url.success] : []
    })
    const polls = urls.map((url) => polled(seedJob(url, seeding, 0)))
    yield* (yield* Sources).put(polls.map(({ job }) => source(job.host, { url: job.target.url, kind: "list" })))
    yield* frontier.enqueue(polls)
    yield* live(draw).pipe(Effect.provide(Layer.merge(unreliable(draw), slow(draw))))
    yield* check(place, delivered)
  })
  return Effect.runPromise(
    program.pipe(
      Effect.scoped,
      Effect.provide(world(place.web, { delivered, policy: { conditional: true, revisits: [Duration.hours(1)] } })),
      Random.withSeed(seed),
      Effect.provide(TestClock.layer())
    )
  )
}
