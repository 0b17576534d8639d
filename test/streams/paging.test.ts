import { expect } from "bun:test"
import { Clock, Effect, Fiber, type Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Pages, Sources } from "../../src/domain/ports.ts"
import { Runs } from "../../src/domain/runs.ts"
import { pollJob } from "../../src/domain/slots.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { turnPage } from "../../src/streams/paging.ts"
import { tick } from "../../src/streams/schedule.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { source } from "../support/conformance/sources.ts"
import { effect } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { world } from "../support/world.ts"

const section = source("sec", {
  kind: "list",
  url: "https://paged.example/list",
  page_url: "https://paged.example/list?page={page}",
  max_pages: 4,
  created_at: 0,
  next_poll_at: 0
})
const perPage = 5
const linkOf = (n: number) => `https://paged.example/news/2026/11/30/story-${n}`

/** A section of `pages` list pages, five articles each, the newest first. */
const web = (pages: number) => (url: string) => {
  if (!url.includes("/list"))
    return articlePage(`The story of ${url.split("-").at(-1)} that was told in the news today`)
  const page = Number(URL.parse(url)?.searchParams.get("page") ?? 1)
  const items = Array.from({ length: page > pages ? 0 : perPage }, (_, at) => {
    const n = (page - 1) * perPage + at
    return `<li><a href="${linkOf(n)}">The story of ${n} that was told in the news today</a></li>`
  })
  return `<html><head><title>Section</title></head><body><ul>${items.join("")}</ul></body></html>`
}

const drain = Effect.gen(function* () {
  const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
  for (let turn = 0; turn < 300 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("250 millis")
  yield* Fiber.join(chain)
})
const poll = Effect.andThen(tick(), drain)

const lists = (asked: ReadonlyMap<string, number>) =>
  Object.fromEntries([...asked].filter(([url]) => url.includes("/list")).map(([url, n]) => [url.split("list")[1], n]))

/** A world with one section of `pages` pages; `more` of its source. */
const crawling = <A, E>(
  pages: number,
  program: (asked: ReadonlyMap<string, number>) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof world>>>,
  more: Partial<typeof section> = {}
) => {
  const asked = new Map<string, number>()
  return Effect.gen(function* () {
    yield* (yield* Sources).put([{ ...section, ...more }])
    return yield* program(asked)
  }).pipe(Effect.provide(world(web(pages), { asked })))
}

effect("a section is read page by page while its links are new, up to its bound", () =>
  crawling(9, (asked) =>
    Effect.gen(function* () {
      yield* poll
      expect(lists(asked)).toEqual({ "": 1, "?page=2": 1, "?page=3": 1, "?page=4": 1 })
      expect((yield* (yield* Pages).articles({ limit: 100 })).length).toBe(4 * perPage)
    })
  )
)

effect("a page without links is the last one", () =>
  crawling(2, (asked) =>
    Effect.gen(function* () {
      yield* poll
      expect(lists(asked)).toEqual({ "": 1, "?page=2": 1, "?page=3": 1 })
    })
  )
)

effect("a later poll ends after eight known links in a row, over two pages", () =>
  crawling(9, (asked) =>
    Effect.gen(function* () {
      yield* poll
      yield* TestClock.adjust("5 minutes")
      yield* poll
      expect(lists(asked)).toEqual({ "": 2, "?page=2": 2, "?page=3": 1, "?page=4": 1 })
    })
  )
)

effect("a run over a section is judged as a whole: its lists, its new links and their articles", () =>
  crawling(9, () =>
    Effect.gen(function* () {
      yield* poll
      const [run, ...others] = yield* (yield* Runs).close(yield* Clock.currentTimeMillis, 600_000)
      expect(others).toEqual([])
      expect(run).toMatchObject({
        host: "paged.example",
        slot: 0,
        lists: 1,
        answered: 1,
        links: 20,
        fresh: 20,
        saved: 20
      })
      yield* TestClock.adjust("5 minutes")
      yield* poll
      const [again] = yield* (yield* Runs).close(yield* Clock.currentTimeMillis, 600_000)
      expect(again).toMatchObject({ lists: 1, answered: 1, links: 10, fresh: 0 })
    })
  )
)

effect("a list without an address of further pages has one", () =>
  crawling(
    9,
    (asked) =>
      Effect.gen(function* () {
        yield* poll
        expect(lists(asked)).toEqual({ "": 1 })
      }),
    { page_url: null }
  )
)

effect("a crash between asking for a further page and knowing this one's links loses no page and doubles none", () =>
  crawling(9, (asked) =>
    Effect.gen(function* () {
      yield* tick()
      // The first half of what a router does, then nothing: its page is delivered again.
      yield* turnPage(pollJob({ ...section, max_pages: 4 }, 0, 0), { keys: ["new"], known: new Set() })
      yield* drain
      expect(lists(asked)).toEqual({ "": 1, "?page=2": 1, "?page=3": 1, "?page=4": 1 })
      expect((yield* (yield* Pages).articles({ limit: 100 })).length).toBe(4 * perPage)
    })
  )
)

effect("the wait before a further page is drawn between its bounds, and asking twice is asking once", () =>
  crawling(9, () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      const now = yield* Clock.currentTimeMillis
      const job = pollJob(section, 0, 0)
      const links = { keys: ["new"], known: new Set<string>() }
      yield* turnPage(job, links)
      yield* turnPage(job, links)
      const [message, ...others] = yield* MemoryBus.use((it) => it.messages)
      expect([message?.topic, message?.id, others.length]).toEqual(["crawl.poll", "sec@0.2", 0])
      expect(message?.not_before).toBeGreaterThanOrEqual(now + 250)
      expect(message?.not_before).toBeLessThanOrEqual(now + 700)
    })
  )
)
