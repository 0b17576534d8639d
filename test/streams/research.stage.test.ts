import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { Fatal, Retryable, Suspendable } from "../../src/domain/errors.ts"
import type { Find } from "../../src/domain/research/assemble.ts"
import { dayOf, paths } from "../../src/domain/research/path.ts"
import { Batches, Datasets, Discovery } from "../../src/domain/research.ts"
import { Control } from "../../src/infra/control.ts"
import { asking, engine, lastTry, until, worker } from "../support/discovery/engine.ts"
import { seedUrls } from "../support/discovery/world.ts"
import { live } from "../support/effect.ts"
import { temporaryDir } from "../support/store.ts"

const find = (url: string): Find => ({ url, title: null, description: null, language: null })
const begin = Effect.fnUntraced(function* (
  category: string,
  urls: ReadonlyArray<string>,
  methods = ["crtsh"] as const
) {
  const control = yield* Control
  return (yield* control["queues.research"]({ country: "SG", category, urls, research_methods: [...methods] })).batch_id
})
const datasetOf = Effect.fnUntraced(function* (path: string | null | undefined) {
  return JSON.parse((yield* (yield* Datasets).read(path ?? "")) ?? "null")
})
const count = (of: ReadonlyArray<string>, it: string) => of.filter((other) => other === it).length

describe("a message of a chunk", () => {
  live("is worked on in slices: what a crash leaves to be asked is the slice it was in, and no answer is lost", () => {
    const asked: Array<string> = []
    let wall = 40
    const source = asking(({ subject }) =>
      Effect.suspend(() => {
        asked.push(subject)
        return asked.length > wall ? Effect.never : Effect.succeed([find(`https://news.${subject}/`)])
      })
    )
    return Effect.gen(function* () {
      const urls = seedUrls(60)
      const id = yield* begin("slices", urls)
      const first = yield* worker
      while (asked.length <= wall) yield* Effect.sleep("10 millis")
      const kept = yield* datasetOf(paths.progress(id, 1, 1))
      expect(kept.answers.length).toBe(25)
      yield* first.end
      wall = Number.POSITIVE_INFINITY
      yield* worker
      const { chunks, status } = yield* until(id, "completed", "partial", "failed")
      expect(status).toBe("completed")
      const { records } = yield* datasetOf(chunks[0]?.path)
      expect(records.length).toBe(120)
      for (const { query } of kept.answers) expect(count(asked, query.replace("%.", ""))).toBe(1)
      expect(new Set(asked).size).toBe(60)
      expect(asked.length).toBeLessThanOrEqual(60 + 25)
      // Its parts' files go a moment after it is done.
      while ((yield* (yield* Datasets).list("research/processing/parts")).length > 0) yield* Effect.sleep("10 millis")
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  })

  live("takes nothing over from a part of the same name that an earlier store left behind", () => {
    const source = asking(({ subject }) => Effect.succeed([find(`https://news.${subject}/`)]))
    return Effect.gen(function* () {
      const datasets = yield* Datasets
      const day = dayOf(Date.now())
      const [left, mine] = [["https://old.sg/"], ["https://new.sg/"]]
      const old = { urls: left, answers: [] }
      yield* datasets.replace(paths.part(`batch_${day}_sg-left_001`, 1, 1), JSON.stringify(old))
      yield* datasets.replace(paths.progress(`batch_${day}_sg-left_001`, 1, 1), JSON.stringify(old))
      const id = yield* begin("left", mine)
      expect(id).toBe(`batch_${day}_sg-left_001`)
      yield* worker
      const { chunks } = yield* until(id, "completed")
      const { records } = yield* datasetOf(chunks[0]?.path)
      expect(records.map((it: { raw_url: string }) => it.raw_url)).toEqual(["https://new.sg/", "https://news.new.sg/"])
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  })
})

describe("a batch that stands still", () => {
  live("goes on when it is resumed: suspended parts are due again, failed ones come out of the dead letters", () => {
    const ill = new Map<string, Suspendable | Fatal | Retryable>()
    const source = asking((it) => {
      const error = ill.get(it.method)
      return error === undefined ? Effect.succeed([find("https://www.a.sg/")]) : Effect.fail(error)
    })
    return Effect.gen(function* () {
      const control = yield* Control
      const urls = seedUrls(120)
      ill.set("google_search", new Suspendable({ code: "quota", message: "used up" }))
      ill.set("crtsh", new Retryable({ code: "http_429", message: "asks for time", after: 1 }))
      const answer = yield* control["queues.research"]({
        country: "SG",
        category: "still",
        urls,
        research_methods: ["google_search", "crtsh"]
      })
      const id = answer.batch_id
      const running = yield* Effect.flip(control["queues.resume"]({ batch_id: id }))
      expect([running.code, running.message]).toEqual([
        "conflict",
        `batch ${id} is queued: nothing of it waits to be resumed`
      ])
      yield* lastTry
      yield* worker
      const stood = yield* until(id, "suspended")
      expect(stood.chunks.map((it) => it.state)).toEqual(["suspended", "failed"])
      while ((yield* control["dlq.list"]({ topic: "research" })).letters.length < 2) yield* Effect.sleep("20 millis")
      ill.clear()
      expect(yield* control["queues.resume"]({ batch_id: id })).toEqual({ batch_id: id, parts: 3 })
      const done = yield* until(id, "completed", "partial", "failed", "suspended")
      expect(done.status).toBe("completed")
      const over = yield* Effect.flip(control["queues.resume"]({ batch_id: id }))
      expect([over.code, over.message]).toEqual([
        "conflict",
        `batch ${id} is completed: nothing of it waits to be resumed`
      ])
      const none = yield* Effect.flip(control["queues.resume"]({ batch_id: "batch_2020-01-01_sg-news_001" }))
      expect([none.code, none.field]).toEqual(["not_found", "batch_id"])
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  })

  live("is no longer called failed once a dead letter of it was replayed by itself", () => {
    let ill = true
    const source = asking(() =>
      Effect.suspend(() =>
        ill
          ? Effect.fail(new Fatal({ code: "bad_request", message: "x" }))
          : Effect.succeed([find("https://www.a.sg/")])
      )
    )
    return Effect.gen(function* () {
      const control = yield* Control
      const id = yield* begin("replay", ["https://a.sg/"])
      yield* lastTry
      yield* worker
      yield* until(id, "failed")
      while ((yield* control["dlq.list"]({ topic: "research" })).letters.length === 0) yield* Effect.sleep("50 millis")
      ill = false
      const { letters } = yield* control["dlq.list"]({ topic: "research" })
      yield* control["dlq.replay"]({ ids: letters.map((it) => it.id) })
      expect((yield* until(id, "completed")).status).toBe("completed")
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  })
})

describe("a batch's numbers", () => {
  live("that a crash left between reserving and storing are a gap: nothing is lost, nothing stands twice", () => {
    const source = asking(({ subject }) => Effect.succeed([find(`https://news.${subject}/`)]))
    return Effect.gen(function* () {
      const batches = yield* Batches
      const shelf = { country: "SG", category: "gap" }
      expect(yield* batches.reserve(shelf, dayOf(Date.now()), 2, 0)).toEqual({ batch: 1, first: 1 })
      const [one, two] = [yield* begin("gap", ["https://a.sg/"]), yield* begin("gap", ["https://b.sg/"])]
      yield* worker
      yield* until(one, "completed")
      yield* until(two, "completed")
      const entries = yield* batches.entries(shelf)
      expect(entries.map((it) => [it.batch_id.slice(-3), it.dataset_id.slice(-4)])).toEqual([
        ["002", "0003"],
        ["003", "0004"]
      ])
      expect((yield* batches.recent(10, 0)).map((it) => it.batch_id)).toEqual([two, one])
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  })
})
