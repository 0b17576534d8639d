import { expect } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { Reader } from "../../src/domain/ports.ts"
import type { Hints } from "../../src/domain/reading.ts"
import * as inline from "../../src/infra/reader.inline.ts"
import { remembered } from "../../src/infra/reader.memo.ts"
import * as worker from "../../src/infra/reader.worker.ts"
import { live } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { policyOf, settings } from "../support/world.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const hints: Hints = {
  url: "https://a.example/news/1",
  expected: "article",
  status: 200,
  content_type: "text/html",
  truncated: false,
  fetched_at: Date.UTC(2026, 10, 30),
  html: false
}
const page = bytes(articlePage("Council votes on the bridge"))
const config = (env: Record<string, string> = {}) => Layer.merge(settings(env), policyOf({ readers: 2 }))

for (const [name, layer] of Object.entries({ inline: inline.layer, worker: worker.layer })) {
  live(`reader ${name}: a page becomes a reading, the same from either adapter`, () =>
    Effect.gen(function* () {
      const reading = yield* Reader.use((it) => it.read("1", page, hints))
      expect(reading.kind).toBe("article")
      expect(reading.content?.title).toBe("Council votes on the bridge")
    }).pipe(Effect.provide(layer.pipe(Layer.provide(config()))))
  )

  live(`reader ${name}: many pages at once, and bytes that are no page, each get their reading`, () =>
    Effect.gen(function* () {
      const reader = yield* Reader
      const bodies = Array.from({ length: 20 }, (_, at) => (at % 5 === 4 ? bytes("\u0000\u0001") : page))
      const kinds = yield* Effect.forEach(
        bodies,
        (body, at) => Effect.map(reader.read(`p${at}`, body, { ...hints, expected: "auto" }), (it) => it.kind),
        { concurrency: "unbounded" }
      )
      expect(kinds.filter((it) => it === "article")).toHaveLength(16)
    }).pipe(Effect.provide(layer.pipe(Layer.provide(config()))))
  )

  live(`reader ${name}: a view of a larger buffer is read as what it shows`, () =>
    Effect.gen(function* () {
      const large = new Uint8Array(page.length + 1000)
      large.set(page, 500)
      for (const [id, view] of Object.entries({
        view: large.subarray(500, 500 + page.length),
        buffer: Buffer.from(large.buffer, 500, page.length),
        pooled: Buffer.from("<html><body><p>short</p></body></html>")
      })) {
        const before = [...view]
        yield* Reader.use((it) => it.read(id, view, hints))
        expect([...view]).toEqual(before)
      }
      const reading = yield* Reader.use((it) => it.read("again", large.subarray(500, 500 + page.length), hints))
      expect(reading.content?.title).toBe("Council votes on the bridge")
    }).pipe(Effect.provide(layer.pipe(Layer.provide(config()))))
  )
}

live("a page over READER_TIMEOUT is Fatal reader_limit, and the next page is read", () =>
  Effect.gen(function* () {
    const reader = yield* Reader
    const endless = bytes(`<html><body>${"<div><p>word word word</p>".repeat(2_000_000)}</body></html>`)
    const late = yield* Effect.flip(reader.read("late", endless, hints))
    expect(late).toMatchObject({ _tag: "Fatal", code: "reader_limit" })
    // The new thread's first page is read cold: on a busy machine that may take more than one try.
    const next = yield* Effect.retry(reader.read("next", page, hints), { times: 50 })
    expect(next.kind).toBe("article")
  }).pipe(Effect.provide(worker.layer.pipe(Layer.provide(config({ READER_TIMEOUT: "100ms" })))))
)

live("a page asked for twice at the same time is read once; a failure is forgotten", () =>
  Effect.gen(function* () {
    let reads = 0
    const reading = yield* Reader.use((it) => it.read("1", page, hints)).pipe(
      Effect.provide(inline.layer.pipe(Layer.provide(config())))
    )
    const read = remembered(
      () =>
        Effect.sync(() => {
          reads += 1
          return reading
        }).pipe(Effect.delay("10 millis")),
      2
    )
    yield* Effect.all([read("a", page, hints), read("a", page, hints)], { concurrency: 2 })
    yield* read("a", page, hints)
    expect(reads).toBe(1)
    for (const id of ["b", "c", "a"]) yield* read(id, page, hints)
    expect(reads).toBe(4)
  })
)

live(
  "reader worker: a thread that cannot take a lost one's place at once does so later, and the pages wait for it",
  () =>
    Effect.gen(function* () {
      const Real = globalThis.Worker
      let made = 0
      // What the machine may do to a new thread: the second does not load.
      globalThis.Worker = class extends Real {
        constructor(href: string | URL) {
          made += 1
          super(made === 2 ? new URL("./not-there.ts", import.meta.url).href : href)
        }
      }
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          globalThis.Worker = Real
        })
      )
      const layer = worker.layer.pipe(Layer.provide(Layer.merge(settings(), policyOf({ readers: 1 }))))
      yield* Effect.gen(function* () {
        const reader = yield* Reader
        const lost = yield* Effect.forkChild(reader.read("lost", page, hints), { startImmediately: true })
        yield* Fiber.interrupt(lost)
        const reading = yield* reader.read("next", page, hints).pipe(Effect.timeout("10 seconds"))
        expect([reading.kind, made]).toEqual(["article", 3])
      }).pipe(Effect.provide(layer))
    })
)

live("a page whose reading is given up is read by whoever waited for it", () =>
  Effect.gen(function* () {
    const reading = yield* Reader.use((it) => it.read("1", page, hints)).pipe(
      Effect.provide(inline.layer.pipe(Layer.provide(config())))
    )
    let reads = 0
    const read = remembered(
      () =>
        Effect.suspend(() => {
          reads += 1
          return reads === 1 ? Effect.never : Effect.succeed(reading)
        }),
      2
    )
    const first = yield* Effect.forkChild(read("a", page, hints), { startImmediately: true })
    const second = yield* Effect.forkChild(read("a", page, hints), { startImmediately: true })
    yield* Fiber.interrupt(first)
    expect((yield* Fiber.join(second)).kind).toBe("article")
    expect(reads).toBe(2)
  })
)
