import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Bus } from "../../src/domain/ports.ts"
import type { DeadLetter } from "../../src/domain/topics.ts"
import * as bus from "../../src/infra/bus.table.ts"
import { Database } from "../../src/infra/database.ts"
import { layer } from "../../src/infra/deadletters.sql.ts"
import { DeadLetters } from "../../src/infra/deadletters.ts"
import { consumer, message, subscription, total } from "../support/conformance/consumer.ts"
import { live } from "../support/effect.ts"
import { settingsOf, stores } from "../support/store.ts"

const letter = (id: string, more: Partial<DeadLetter> = {}): DeadLetter => {
  const { not_before: _, ...envelope } = message(id, { attempt: 5, payload: { text: "본문" } })
  return {
    id,
    topic: "crawl.normal",
    key: "a.kr",
    stage: "fetcher",
    code: "exhausted",
    message: "5 attempts",
    bytes: JSON.stringify(envelope),
    attempts: 5,
    at: 1_700_000_000_000,
    ...more
  }
}

/** Letters come into being as they do in life: a delivery is settled with them. */
const bury = (letters: ReadonlyArray<DeadLetter>) =>
  Effect.gen(function* () {
    const it = yield* Bus
    yield* it.publish([message("input", { topic: "parsed" })])
    const c = yield* consumer("live", subscription({ topics: [{ topic: "parsed", weight: 1 }] }))
    yield* it.settle([{ receipt: (yield* c.next).receipt, publish: [], dead: letters }])
  })

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf({ BUS_POLL: "50ms" }))
  const on = layer.pipe(Layer.provideMerge(bus.layer), Layer.provideMerge(base))
  const it = <A, E>(
    name: string,
    program: Effect.Effect<A, E, DeadLetters | Bus | Database | import("effect").Scope.Scope>
  ) => live(`dead letters in SQL, ${store.name}: ${name}`, () => program.pipe(Effect.provide(on)))

  it(
    "are listed latest first, page by page, and found by code",
    Effect.gen(function* () {
      const dead = yield* DeadLetters
      yield* bury([1, 2, 3, 4].map((n) => letter(`m${n}`, { at: n * 1000, code: n === 2 ? "robots" : "exhausted" })))
      const first = yield* dead.list({ limit: 2 })
      expect(first.map((l) => l.id)).toEqual(["m4", "m3"])
      expect((yield* dead.list({ limit: 9, after: "m3" })).map((l) => l.id)).toEqual(["m2", "m1"])
      expect((yield* dead.list({ limit: 9, code: "robots" })).map((l) => l.id)).toEqual(["m2"])
      expect(yield* dead.show("m1")).toEqual(letter("m1", { at: 1000 }))
      expect(yield* dead.show("nowhere")).toBeNull()
    })
  )

  it(
    "are replayed as if just sent, and gone then",
    Effect.gen(function* () {
      const dead = yield* DeadLetters
      yield* bury([letter("m"), letter("broken", { bytes: "\ufffd not JSON" })])
      const answer = yield* dead.replay(["m", "broken", "nowhere"])
      expect(answer.replayed).toEqual(["m"])
      expect(answer.refused.map((it) => it.id).toSorted()).toEqual(["broken", "nowhere"])
      const c = yield* consumer("live", subscription())
      expect((yield* c.next).envelope).toMatchObject({ id: "m", attempt: 0, payload: { text: "본문" } })
      expect((yield* dead.list({ limit: 9 })).map((l) => l.id)).toEqual(["broken"])
    })
  )

  it(
    "are dropped by name, and counted",
    Effect.gen(function* () {
      const dead = yield* DeadLetters
      yield* bury([letter("a"), letter("b")])
      expect(yield* dead.drop(["a", "nowhere"])).toEqual(["a"])
      expect((yield* dead.list({ limit: 9 })).map((l) => l.id)).toEqual(["b"])
    })
  )

  it(
    "a row that is no envelope is buried with its bytes, and costs no other message",
    Effect.gen(function* () {
      const database = yield* Database
      yield* database.query(`insert into messages (id, topic, key, occurred_at, headers, payload, not_before)
        values ('broken', 'crawl.normal', 'a.kr', now(), '[1]', '{"독": 1}', now() - interval '1 minute')`)
      yield* Bus.use((bus) => bus.publish([message("fine")]))
      const c = yield* consumer("live", subscription())
      expect((yield* c.next).envelope.id).toBe("fine")
      const [dead] = yield* DeadLetters.use((d) => d.list({ limit: 9 }))
      expect(dead).toMatchObject({ id: "broken", code: "decode", topic: "crawl.normal", key: "a.kr" })
      expect(dead?.bytes).toContain('"독":1')
      yield* Bus.use((bus) => bus.release([]))
      expect(yield* total).toBe(1)
    })
  )
}
