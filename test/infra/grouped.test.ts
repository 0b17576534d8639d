import { expect } from "bun:test"
import { Effect, Layer, Schedule, Stream } from "effect"
import { BadData, Unavailable } from "../../src/domain/errors.ts"
import { Bus, Frontier, Pages, type Receipt } from "../../src/domain/ports.ts"
import * as grouped from "../../src/infra/grouped.ts"
import * as memory from "../../src/infra/store.memory.ts"
import { message } from "../support/conformance/consumer.ts"
import { planned } from "../support/conformance/frontier.ts"
import { live } from "../support/effect.ts"
import { settingsOf } from "../support/store.ts"

const row = {
  url_key: "k",
  url: "https://a.kr/1",
  host: "a.kr",
  validators: { etag: "x", last_modified: null },
  fetched_at: 1,
  status: 200
}
const taken = Effect.gen(function* () {
  const bus = yield* Bus
  yield* bus.publish([message("m")])
  const topics = [{ topic: "crawl.normal", weight: 1 }] as const
  const [delivery] = yield* bus
    .consume({ topics, limit: 1, perKey: 1, untilDrained: false }, Effect.never)
    .pipe(Stream.take(1), Stream.runCollect)
  return delivery?.receipt ?? ({ id: "none", topic: "crawl.normal", lease: 0 } satisfies Receipt)
})

/** The stores of one process; their first `failures` writes of validators meet a store that is down; "bad" ones are refused. */
const world = (failures: number) => {
  let left = failures
  const down = new Unavailable({ dependency: "database", message: "down" })
  const faulty = Layer.effect(
    Pages,
    Effect.map(Pages, (pages) => ({
      ...pages,
      saveValidators: (rows: Parameters<typeof pages.saveValidators>[0]) =>
        Effect.suspend((): ReturnType<typeof pages.saveValidators> => {
          if (left-- > 0) return Effect.fail(down)
          const bad = rows.some((it) => it.validators.etag === "bad")
          return bad ? Effect.fail(new BadData({ message: "bad" })) : pages.saveValidators(rows)
        })
    }))
  )
  const stores = faulty.pipe(Layer.provideMerge(memory.layer()))
  return grouped.layer.pipe(Layer.provideMerge(stores), Layer.provideMerge(settingsOf({ STORE_LINGER: "0ms" })))
}

live("what nobody waits for is stored when the settlement after it is", () =>
  Effect.gen(function* () {
    const receipt = yield* taken
    const pages = yield* Pages
    yield* pages.saveValidators([row])
    yield* (yield* Bus).settle([{ receipt, publish: [], dead: [] }])
    expect((yield* pages.url("k"))?.validators.etag).toBe("x")
  }).pipe(Effect.provide(world(0)))
)

live("what nobody waits for is stored soon where no settlement follows", () =>
  Effect.gen(function* () {
    const pages = yield* Pages
    yield* pages.saveValidators([row])
    const looks = Effect.repeat(pages.url("k"), { until: (it) => it !== null, schedule: Schedule.spaced("20 millis") })
    expect((yield* Effect.timeout(looks, "4 seconds"))?.validators.etag).toBe("x")
  }).pipe(Effect.provide(world(0)))
)

live("while what nobody waits for cannot be stored, nothing is settled; then both are", () =>
  Effect.gen(function* () {
    const receipt = yield* taken
    const pages = yield* Pages
    const bus = yield* Bus
    yield* pages.saveValidators([row])
    const end = bus.settle([{ receipt, publish: [], dead: [] }])
    expect((yield* Effect.flip(end))._tag).toBe("Unavailable")
    expect((yield* bus.backlog).map((it) => it.leased)).toEqual([1])
    yield* end
    expect((yield* bus.backlog).map((it) => it.leased)).toEqual([0])
    expect((yield* pages.url("k"))?.validators.etag).toBe("x")
  }).pipe(Effect.provide(world(1)))
)

live("a row that the store refuses takes neither its neighbours nor the settlement with it", () =>
  Effect.gen(function* () {
    const receipt = yield* taken
    const pages = yield* Pages
    const bus = yield* Bus
    const bad = { ...row, url_key: "b", validators: { etag: "bad", last_modified: null } }
    yield* pages.saveValidators([bad, row])
    yield* bus.settle([{ receipt, publish: [], dead: [] }])
    expect((yield* pages.url("k"))?.validators.etag).toBe("x")
    expect((yield* bus.backlog).map((it) => it.leased)).toEqual([0])
  }).pipe(Effect.provide(world(0)))
)

live("links that are stored together are each told from their neighbours: every caller learns of its own", () =>
  Effect.gen(function* () {
    const frontier = yield* Frontier
    const [one, two, three] = [planned("a.kr", "1"), planned("b.kr", "2"), planned("b.kr", "3")] as const
    const calls = [frontier.enqueue([one]), frontier.enqueue([two, three]), frontier.enqueue([one, three])]
    expect(yield* Effect.all(calls, { concurrency: "unbounded" })).toEqual([[true], [true, true], [false, false]])
  }).pipe(Effect.provide(world(0)))
)
