import { expect } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/errors.ts"
import { Pages, type Signal, Signals, Upkeep } from "../../src/domain/ports.ts"
import { Database } from "../../src/infra/database.ts"
import * as pages from "../../src/infra/pages.sql.ts"
import * as signals from "../../src/infra/signals.sql.ts"
import { layer } from "../../src/infra/upkeep.sql.ts"
import { rawBody } from "../support/conformance/pages.ts"
import { effect, live } from "../support/effect.ts"
import { settingsOf, stores } from "../support/store.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const partitions = Database.use((it) =>
  it.query<{ name: string }>("select relname as name from pg_class where relname ~ '^raw_contents_[0-9]+$' order by 1")
).pipe(Effect.map((rows) => rows.map((it) => it.name.slice(-8))))

for (const store of stores) {
  const on = Layer.mergeAll(layer, pages.layer, signals.layer).pipe(
    Layer.provideMerge(Layer.merge(store.layer, settingsOf({ RAW_TTL: "24h" })))
  )
  type Needs = Database | Upkeep | Pages | Signals
  const it = <A, E>(name: string, program: Effect.Effect<A, E, Needs>) =>
    effect(`upkeep, ${store.name}: ${name}`, () => program.pipe(Effect.provide(on)))

  it(
    "raw pages live their time to the end of its day and go with their partition",
    Effect.gen(function* () {
      const store = yield* Pages
      const upkeep = yield* Upkeep
      const database = yield* Database
      yield* TestClock.setTime(Date.parse("2031-05-10T12:00:00Z"))
      const now = yield* Clock.currentTimeMillis
      yield* store.saveRaws([rawBody("today", new Uint8Array([1]), { fetched_at: now })])
      const outcome = {
        raw_id: "today",
        url: "https://a.kr/1",
        host: "a.kr",
        verdict: "ok",
        evidence: {},
        codes: []
      } as const
      yield* store.saveOutcomes([{ ...outcome, at: now }])
      const there = Effect.map(database.query("select from raw_contents where id = 'today'"), (rows) => rows.length)
      yield* upkeep.run
      expect(yield* partitions).toEqual(expect.arrayContaining(["20310511", "20310512"]))
      yield* TestClock.setTime(Date.parse("2031-05-11T23:59:00Z"))
      yield* upkeep.run
      expect(yield* there).toBe(1)
      if (database.dataDir !== null) expect(readdirSync(join(database.dataDir, "raws"))).toContain("2031-05-11")
      yield* TestClock.setTime(Date.parse("2031-05-12T00:00:00Z"))
      yield* upkeep.run
      expect(yield* there).toBe(0)
      expect(yield* partitions).not.toContain("20310511")
      if (database.dataDir !== null) expect(readdirSync(join(database.dataDir, "raws"))).not.toContain("2031-05-11")
      // What its validation came to is told on (S1.9).
      expect((yield* database.query("select from validation_outcomes where raw_id = 'today'")).length).toBe(1)
    })
  )

  it(
    "a raw page whose day has no partition makes it, also after upkeep dropped it",
    Effect.gen(function* () {
      const store = yield* Pages
      const database = yield* Database
      const old = Date.parse("2001-01-01T00:00:00Z")
      for (const id of ["a", "b"]) {
        yield* store.saveRaws([rawBody(id, new Uint8Array([1]), { fetched_at: old })])
        expect((yield* database.query("select from raw_contents where id = $1", [id])).length).toBe(1)
        yield* TestClock.setTime(old + 9 * dayMs)
        yield* Upkeep.use((it) => it.run)
        expect((yield* database.query("select from raw_contents where id = $1", [id])).length).toBe(0)
      }
    })
  )

  it(
    "signals are summed per quarter of an hour and forgotten after a week",
    Effect.gen(function* () {
      const database = yield* Database
      const at = Date.parse("2031-01-01T00:00:10Z")
      yield* TestClock.setTime(at + hourMs)
      const signal = (more: Partial<Signal>): Signal => ({
        host: "a.kr",
        at,
        kind: "article",
        fetcher: "http",
        status: 200,
        latency_ms: 100,
        lag_ms: null,
        category: "economy",
        ...more
      })
      yield* Signals.use((it) =>
        it.record([
          signal({}),
          signal({ kind: "detected", at: at + 40_000, lag_ms: 5000 }),
          signal({ at: at + 900_000 }),
          signal({ kind: "fetch", status: 404 })
        ])
      )
      const sums = database.query(
        "select ms_of(bucket) as bucket, samples, errors, passed, lags, lag_ms, impact from host_signals order by 1"
      )
      const bucket = Date.parse("2031-01-01T00:00:00Z")
      expect(yield* sums).toEqual([
        { bucket, samples: 1, errors: 1, passed: 1, lags: 1, lag_ms: 5000, impact: 1 },
        { bucket: bucket + 900_000, samples: 0, errors: 0, passed: 1, lags: 0, lag_ms: 0, impact: 1 }
      ])
      yield* TestClock.setTime(at + 6 * dayMs)
      yield* Upkeep.use((it) => it.run)
      expect((yield* sums).length).toBe(2)
      yield* TestClock.setTime(at + 8 * dayMs)
      yield* Upkeep.use((it) => it.run)
      expect(yield* sums).toEqual([])
    })
  )

  it(
    "lines of hosts that deal out nothing any more are forgotten",
    Effect.gen(function* () {
      const database = yield* Database
      yield* TestClock.setTime(Date.parse("2031-01-01T00:00:00Z"))
      const now = yield* Clock.currentTimeMillis
      yield* database.query("insert into host_paces values ('old', 't', at_ms($1)), ('new', 't', at_ms($2))", [
        now - 2 * hourMs,
        now - 60_000
      ])
      yield* Upkeep.use((it) => it.run)
      expect(yield* database.query("select host from host_paces")).toEqual([{ host: "new" }])
    })
  )

  effect(`upkeep, ${store.name}: a task that fails is told once, and all others are done`, () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const done: Array<string> = []
      let trouble: Effect.Effect<never, Unavailable> | null = Effect.fail(
        new Unavailable({ dependency: "database", message: "gone" })
      )
      const own = yield* Database
      const troubled = Database.of({
        ...own,
        query: (text, given) => {
          if (text.includes("host_signals") && trouble !== null) return trouble
          done.push(text)
          return own.query(text, given)
        },
        script: (text) =>
          Effect.andThen(
            own.script(text),
            Effect.sync(() => void done.push(text))
          )
      })
      const logger = Logger.make(({ message }) => {
        told.push(String(message))
      })
      const upkeep = yield* Layer.build(Layer.fresh(layer).pipe(Layer.provide(Layer.succeed(Database, troubled))))
      const round = Upkeep.use((it) => it.run).pipe(
        Effect.provideContext(upkeep),
        Effect.provide(Logger.layer([logger])),
        Effect.andThen(TestClock.adjust("2 minutes"))
      )
      yield* round
      yield* own.query("insert into host_paces values ('new', 't', now())")
      yield* round
      trouble = Effect.die(new Error("broken"))
      yield* round
      expect(told.filter((it) => it.includes("old signals")).length).toBe(1)
      expect(done.filter((it) => it.includes("delete from host_paces")).length).toBe(3)
      if (own.embedded) expect(done).toContain("checkpoint")
      trouble = null
      yield* round
      expect(told.filter((it) => it.includes("old signals: done again")).length).toBe(1)
    }).pipe(Effect.provide(Layer.merge(store.layer, settingsOf({ RAW_TTL: "24h" }))))
  )

  live(`upkeep, ${store.name}: a body saved by one process is read by another, byte for byte`, () =>
    Effect.gen(function* () {
      const bodies = [
        new Uint8Array(),
        Uint8Array.from({ length: 256 }, (_, byte) => byte),
        new TextEncoder().encode("가나다라 ".repeat(20_000)),
        crypto.getRandomValues(new Uint8Array(60_000))
      ]
      const saved = bodies.map((body, n) => rawBody(`raw ${n}`, body))
      // Each has memory of its own: what the second reads comes from the store.
      const one = yield* Layer.build(Layer.fresh(pages.layer))
      const other = yield* Layer.build(Layer.fresh(pages.layer))
      yield* Pages.use((it) => it.saveRaws(saved)).pipe(Effect.provideContext(one))
      for (const { raw, body } of saved) {
        const read = yield* Pages.use((it) => it.raw(raw.id)).pipe(Effect.provideContext(other))
        expect(read?.raw).toEqual(raw)
        expect(Buffer.compare(read?.body ?? Buffer.from("?"), body)).toBe(0)
      }
    }).pipe(Effect.provide(Layer.merge(store.layer, settingsOf())))
  )
}
