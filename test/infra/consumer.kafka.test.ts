import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Bus } from "../../src/domain/ports.ts"
import * as table from "../../src/infra/bus.table.ts"
import { Consumer } from "../../src/infra/consumer.kafka.ts"
import { Database } from "../../src/infra/database.ts"
import { ids, message, subscription } from "../support/conformance/consumer.ts"
import { live } from "../support/effect.ts"
import { embeddedStore, settingsOf } from "../support/store.ts"

const timing = { leaseMs: 60_000, pollMs: 50 }
const on = Layer.provideMerge(table.layer, Layer.merge(embeddedStore, settingsOf({})))

/** Rows of these names as a relay leaves them, and a consumer that may have one delivery of a key out. */
const world = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const database = yield* Database
  yield* (yield* Bus).publish(names.map((it) => message(it)))
  yield* database.query("update messages set leased = true, sent = true, leased_until = now() + interval '1 hour'")
  const done: Array<string> = []
  const consumer = new Consumer(subscription({ perKey: 1 }), database, timing, () => Effect.void)
  const hear = (name: string) => consumer.hear({ ...message(name), done: () => done.push(name) }, 0)
  return { consumer, done, hear }
})

live("a message forgotten when partitions were dealt out anew takes nobody's place", () =>
  Effect.gen(function* () {
    const { consumer, hear } = yield* world("a", "b")
    hear("a")
    consumer.forget()
    expect(yield* consumer.claim).toEqual([])
    hear("b")
    expect(ids(yield* consumer.claim)).toEqual(["b"])
    consumer.ended("b")
    hear("a")
    expect(ids(yield* consumer.claim)).toEqual(["a"])
  }).pipe(Effect.provide(on))
)

live("a message that comes twice is taken once, and Kafka is told of both", () =>
  Effect.gen(function* () {
    const { consumer, done, hear } = yield* world("a", "b")
    hear("a")
    expect(ids(yield* consumer.claim)).toEqual(["a"])
    hear("a")
    hear("b")
    expect(yield* consumer.claim).toEqual([])
    consumer.ended("a")
    expect(ids(yield* consumer.claim)).toEqual(["b"])
    consumer.ended("b")
    expect(yield* consumer.claim).toEqual([])
    expect(done.toSorted()).toEqual(["a", "a", "b"])
  }).pipe(Effect.provide(on))
)
