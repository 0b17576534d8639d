import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import { type Bus, Sources } from "../../../src/domain/ports.ts"
import type { Source } from "../../../src/domain/source.ts"
import { type ClockName, sentences } from "./clock.ts"
import { consumer, ids, message, subscription, topics, total } from "./consumer.ts"

export const source = (id: string, more: Partial<Source> = {}): Source => ({
  id,
  name: `소스 ${id}`,
  url: `https://${id}.kr/rss`,
  kind: "feed",
  every_ms: 300_000,
  cron: null,
  zone: "Asia/Seoul",
  category: "economy",
  country: "KR",
  section: null,
  priority: "high",
  enabled: true,
  created_at: 1_700_000_000_123,
  next_poll_at: 1_700_000_000_000,
  page_url: null,
  max_pages: null,
  polled_at: null,
  last: null,
  ...more
})

/** What every store of sources promises. The layer is built anew for each sentence and must start empty. */
export const sourcesSuite = <E>(
  name: string,
  layer: Layer.Layer<Sources | Bus, E>,
  options: { readonly clock: ClockName }
): void => {
  const it = sentences(name, options.clock, layer)
  listing(it)
  firing(it, options.clock)
}

type It = ReturnType<typeof sentences<Sources | Bus, unknown>>
const minute = 60_000
const start = 1_700_000_000_000

const listing = (it: It) => {
  it("a source comes back as it was put, and the latest put holds", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([
        source("a"),
        source("b", { cron: "*/5 * * * *", every_ms: null, category: null, priority: null })
      ])
      yield* sources.put([source("a", { enabled: false, name: "new name" })])
      const all = (yield* sources.list).toSorted((left, right) => left.id.localeCompare(right.id))
      expect(all).toEqual([
        source("a", { enabled: false, name: "new name" }),
        source("b", { cron: "*/5 * * * *", every_ms: null, category: null, priority: null })
      ])
    }))

  it("a source is found by its id, with what its last poll came to, which no edit and no earlier result undoes", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([source("a"), source("b")])
      const found = { at: start + minute, outcome: "found", message: "25 links, 3 new", links: 25, fresh: 3 }
      const failed = { at: start, outcome: "http_5xx", message: "a.kr answered 503\0", links: null, fresh: null }
      yield* sources.ended("a", failed)
      expect((yield* sources.find("a"))?.last?.outcome).toBe("http_5xx")
      yield* sources.ended("a", found)
      yield* sources.ended("a", failed)
      yield* sources.ended("nobody", found)
      yield* sources.put([source("a", { enabled: false })])
      expect(yield* sources.find("a")).toEqual(source("a", { enabled: false, last: found }))
      expect((yield* sources.find("b"))?.last).toBe(null)
      expect(yield* sources.find("nobody")).toBe(null)
    }))

  it("a removed source is gone; removing it again says so", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([source("a")])
      expect(yield* sources.remove("a")).toBe(true)
      expect(yield* sources.remove("a")).toBe(false)
      expect(yield* sources.list).toEqual([])
    }))

  it("due are the enabled sources whose time has come, the longest waiting first, as many as asked", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([
        source("third", { next_poll_at: start }),
        source("off", { next_poll_at: start - 9 * minute, enabled: false }),
        source("first", { next_poll_at: start - 2 * minute }),
        source("not yet", { next_poll_at: start + 1 }),
        source("second", { next_poll_at: start - minute })
      ])
      expect((yield* sources.due(start, 10)).map((it) => it.id)).toEqual(["first", "second", "third"])
      expect((yield* sources.due(start, 2)).map((it) => it.id)).toEqual(["first", "second"])
    }))
}

const firing = (it: It, clock: ClockName) => {
  const poll = (held: Source, slot: number) => ({
    source: held,
    slot,
    next: slot + 5 * minute,
    message: message(`poll ${held.id} ${slot}`, { topic: "crawl.poll", key: `${held.id}.kr` })
  })

  it("firing publishes the poll and moves the source on", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([source("a")])
      expect(yield* sources.fire([poll(source("a"), start)])).toBe(1)
      const c = yield* consumer(clock, subscription({ topics: topics("crawl.poll") }))
      expect((yield* c.next).envelope).toMatchObject({ id: `poll a ${start}`, key: "a.kr" })
      expect((yield* sources.list)[0]).toMatchObject({ next_poll_at: start + 5 * minute })
      expect((yield* sources.list)[0]?.polled_at).not.toBeNull()
      expect(yield* sources.due(start, 10)).toEqual([])
    }))

  it("a slot is fired once, however often it is asked for", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([source("a")])
      const fired = poll(source("a"), start)
      expect(yield* sources.fire([fired, fired])).toBe(1)
      expect(yield* sources.fire([fired])).toBe(0)
      expect(yield* total).toBe(1)
    }))

  it("of two schedulers at once, one fires each slot", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      const all = ["a", "b", "c", "d"].map((id) => source(id))
      yield* sources.put(all)
      const polls = all.map((held) => poll(held, start))
      const answers = yield* Effect.all([sources.fire(polls), sources.fire(polls.toReversed())], { concurrency: 2 })
      expect(answers.reduce((sum, fired) => sum + fired, 0)).toBe(4)
      const c = yield* consumer(clock, subscription({ topics: topics("crawl.poll") }))
      expect(ids(yield* c.take(4)).toSorted()).toEqual(polls.map((it) => it.message.id).toSorted())
      expect(yield* c.within(50)).toEqual([])
    }))

  it("the next slot is fired after the first, and never an earlier one", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      yield* sources.put([source("a")])
      yield* sources.fire([poll(source("a"), start)])
      expect(yield* sources.fire([poll(source("a"), start + 5 * minute)])).toBe(1)
      expect(yield* sources.fire([poll(source("a"), start)])).toBe(0)
    }))

  it("a source that is gone is not polled", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      expect(yield* sources.fire([poll(source("gone"), start)])).toBe(0)
      expect(yield* total).toBe(0)
    }))
}
