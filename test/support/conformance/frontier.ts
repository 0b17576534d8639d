import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import type { CrawlJob } from "../../../src/domain/crawl.ts"
import { Bus, Frontier, type Planned } from "../../../src/domain/ports.ts"
import { type ClockName, sentences } from "./clock.ts"
import { consumer, soon, subscription, total } from "./consumer.ts"

export interface FrontierOptions<R> {
  readonly clock: ClockName
  /** The crawl messages as stored: id, topic and due time (ms). */
  readonly dues: Effect.Effect<
    ReadonlyArray<{ readonly id: string; readonly topic: string; readonly not_before: number }>,
    unknown,
    R
  >
}

export const job = (host: string, path: string, visit = 0): CrawlJob => ({
  id: `job ${host}/${path} ${visit}`,
  source_id: null,
  target: { url: `https://${host}/${path}`, type: "article", category: "economy", title: "제목" },
  host,
  priority: { value: "normal", by: "source" },
  fetcher: "auto",
  follow: { hops: 0, within: "a.kr", lists: false, since: null },
  visit,
  scheduled_at: 1_700_000_000_123,
  retry_count: 0
})

export const planned = (
  host: string,
  path: string,
  more: Partial<Planned> & { readonly visit?: number } = {}
): Planned => {
  const { visit, ...rest } = more
  return {
    job: job(host, path, visit),
    url_key: `${host}/${path}`,
    topic: "crawl.normal",
    pace_ms: 1000,
    not_before: 0,
    ...rest
  }
}

/** Which URLs were asked for before. */
const knowing = <R>(it: ReturnType<typeof sentences<Frontier | Bus | R, unknown>>) => {
  it("a URL is known from its first visit on, however it was asked for; a later visit alone does not make it so", () =>
    Effect.gen(function* () {
      const frontier = yield* Frontier
      yield* frontier.enqueue([planned("a.kr", "1"), planned("a.kr", "2"), planned("a.kr", "3", { visit: 7 })])
      const known = yield* frontier.known(["a.kr/2", "a.kr/3", "a.kr/4", "a.kr/1"])
      expect([...known].toSorted()).toEqual(["a.kr/1", "a.kr/2"])
      expect([...(yield* frontier.known([]))]).toEqual([])
    }))
}

/** What every frontier promises. The layer is built anew for each sentence and must start empty. */
export const frontierSuite = <R, E>(
  name: string,
  layer: Layer.Layer<Frontier | Bus | R, E>,
  options: FrontierOptions<R>
): void => {
  const it = sentences(name, options.clock, layer)
  known(it, options)
  knowing(it)
  paces(it, options)
}

type It<R> = ReturnType<typeof sentences<Frontier | Bus | R, unknown>>
const enqueue = (links: ReadonlyArray<Planned>) => Frontier.use((frontier) => frontier.enqueue(links))
const paths = (count: number) => Array.from({ length: count }, (_, n) => String(n))

const known = <R>(it: It<R>, { clock }: FrontierOptions<R>) => {
  it("a new link becomes a crawl message, keyed by its host", () =>
    Effect.gen(function* () {
      const link = planned("a.kr", "1", { topic: "crawl.high" })
      expect(yield* enqueue([link])).toEqual([true])
      const c = yield* consumer(clock, subscription({ topics: [{ topic: "crawl.high", weight: 1 }] }))
      const { envelope } = yield* c.next
      expect(envelope).toMatchObject({ id: link.job.id, key: "a.kr", attempt: 0, payload: link.job })
    }))

  it("a known visit is dropped, in a later call and inside one call", () =>
    Effect.gen(function* () {
      const [one, two] = [planned("a.kr", "1"), planned("a.kr", "2")]
      expect(yield* enqueue([one, one, two])).toEqual([true, false, true])
      expect(yield* enqueue([two, one])).toEqual([false, false])
      expect(yield* total).toBe(2)
    }))

  it("a dropped link stays dropped after its message is done", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* enqueue([planned("a.kr", "1")])
      const c = yield* consumer(clock, subscription())
      yield* bus.settle([{ receipt: (yield* c.next).receipt, publish: [], dead: [] }])
      expect(yield* enqueue([planned("a.kr", "1")])).toEqual([false])
      expect(yield* total).toBe(0)
    }))

  it("another visit of a known URL is new", () =>
    Effect.gen(function* () {
      yield* enqueue([planned("a.kr", "1")])
      expect(yield* enqueue([planned("a.kr", "1", { visit: 1 }), planned("a.kr", "1", { visit: 0 })])).toEqual([
        true,
        false
      ])
    }))

  it("two calls at once take each link once", () =>
    Effect.gen(function* () {
      const links = paths(50).map((path) => planned(Number(path) % 2 === 0 ? "a.kr" : "b.kr", path))
      const calls = [enqueue(links), enqueue(links.toReversed()), enqueue(links.slice(10, 40))]
      const answers = yield* Effect.all(calls, { concurrency: 3 })
      expect(answers.flat().filter(Boolean).length).toBe(50)
      expect(yield* total).toBe(50)
    }))

  it("no links are no failure", () =>
    Effect.gen(function* () {
      expect(yield* enqueue([])).toEqual([])
    }))

  it("a link that cannot be stored costs no other link", () =>
    Effect.gen(function* () {
      const dirty = { ...planned("a.kr", "dirty"), url_key: "a\u0000", job: job("a.kr", "x\u0000y") }
      yield* enqueue([planned("a.kr", "1"), dirty, planned("a.kr", "2")]).pipe(
        Effect.catchTag("BadData", () => Effect.void)
      )
      expect(yield* enqueue([planned("a.kr", "1"), planned("a.kr", "2")])).toEqual([false, false])
      expect(yield* total).toBeGreaterThanOrEqual(2)
    }))
}

const paces = <R>(it: It<R>, { clock, dues }: FrontierOptions<R>) => {
  const line = (host: string, topic = "crawl.normal") =>
    Effect.map(dues, (rows) =>
      rows
        .filter((it) => it.topic === topic && it.id.startsWith(`job ${host}/`))
        .map((it) => it.not_before)
        .toSorted((left, right) => left - right)
    )
  const gaps = (instants: ReadonlyArray<number>) => instants.slice(1).map((at, n) => at - (instants[n] ?? 0))

  it("the links of one host are due one pace apart, the first at once", () =>
    Effect.gen(function* () {
      const start = yield* soon(0)
      yield* enqueue(paths(5).map((path) => planned("a.kr", path)))
      const instants = yield* line("a.kr")
      expect(gaps(instants)).toEqual([1000, 1000, 1000, 1000])
      expect(instants[0]).toBeGreaterThanOrEqual(start)
      expect(instants[0]).toBeLessThanOrEqual(yield* soon(0))
    }))

  it("a later call goes on where the host's line ends", () =>
    Effect.gen(function* () {
      yield* enqueue(paths(3).map((path) => planned("a.kr", path)))
      yield* enqueue(["x", "y"].map((path) => planned("a.kr", path)))
      expect(gaps(yield* line("a.kr"))).toEqual([1000, 1000, 1000, 1000])
    }))

  it("calls at once leave no two links of a host less than a pace apart", () =>
    Effect.gen(function* () {
      const part = (name: string) => enqueue(paths(5).map((path) => planned("a.kr", `${name}${path}`)))
      yield* Effect.all([part("x"), part("y"), part("z")], { concurrency: 3 })
      const between = gaps(yield* line("a.kr"))
      expect(between.length).toBe(14)
      expect(Math.min(...between)).toBeGreaterThanOrEqual(1000)
    }))

  it("each host has its own line, and each priority", () =>
    Effect.gen(function* () {
      const start = yield* soon(0)
      yield* enqueue([
        ...paths(3).map((path) => planned("a.kr", path)),
        planned("b.kr", "1"),
        planned("a.kr", "urgent", { topic: "crawl.high" })
      ])
      const now = yield* soon(0)
      for (const first of [yield* line("b.kr"), yield* line("a.kr", "crawl.high")]) {
        expect(first.length).toBe(1)
        expect(first[0]).toBeGreaterThanOrEqual(start)
        expect(first[0]).toBeLessThanOrEqual(now)
      }
      expect(clock).toBeDefined()
    }))

  it("a link for much later (a revisit) keeps its instant and holds up nobody", () =>
    Effect.gen(function* () {
      const tomorrow = yield* soon(86_400_000)
      yield* enqueue([planned("a.kr", "1", { visit: 1, not_before: tomorrow })])
      yield* enqueue([planned("a.kr", "2"), planned("a.kr", "3")])
      const [first, second, last] = yield* line("a.kr")
      expect(last).toBe(tomorrow)
      expect(first).toBeLessThanOrEqual(yield* soon(0))
      expect((second ?? 0) - (first ?? 0)).toBe(1000)
    }))
}
