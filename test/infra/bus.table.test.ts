import { expect } from "bun:test"
import { Duration, Effect, Layer } from "effect"
import { Bus } from "../../src/domain/ports.ts"
import type { DeadLetter } from "../../src/domain/topics.ts"
import { layer } from "../../src/infra/bus.table.ts"
import { Database } from "../../src/infra/database.ts"
import { publish } from "../../src/infra/sql/bus.ts"
import { arrayOf, encodeMessage } from "../../src/infra/sql/messages.ts"
import { busSuite } from "../support/conformance/bus.ts"
import { consumer, ids, message, subscription } from "../support/conformance/consumer.ts"
import { live } from "../support/effect.ts"
import { settingsOf, stores } from "../support/store.ts"

const leaseMs = 1000
const settings = settingsOf({ BUS_LEASE: `${leaseMs}ms`, BUS_POLL: "50ms" })

const deadLetters = Database.use((it) =>
  it.query<DeadLetter>(
    "select id, topic, key, stage, code, message, bytes, attempts, ms_of(at) as at from dead_letters order by at, id"
  )
)
const crash = Database.use((it) =>
  it.query("update messages set leased_until = leased_until - interval '1 hour' where leased")
)

for (const store of stores) {
  const on = Layer.provideMerge(layer, Layer.merge(store.layer, settings))
  busSuite(`bus as a table, ${store.name}`, on, { clock: "live", leaseMs, deadLetters, crash })
}

for (const store of stores) {
  const on = Layer.provideMerge(layer, Layer.merge(store.layer, settings))
  live(`bus as a table, ${store.name}: a key with a long backlog hides no other, however many they are`, () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish(Array.from({ length: 1500 }, (_, n) => message(`hot ${n}`, { key: "hot.kr", not_before: n })))
      const others = Array.from({ length: 250 }, (_, n) => `other ${n}`)
      yield* bus.publish(others.map((id) => message(id, { key: `${id}.kr`, not_before: 5000 })))
      const c = yield* consumer("live", subscription({ perKey: 2, limit: 300 }))
      const taken = ids(yield* c.take(252))
      expect(taken.filter((id) => id.startsWith("hot")).toSorted()).toEqual(["hot 0", "hot 1"])
      expect(new Set(taken).size).toBe(252)
      expect(yield* c.within(50)).toEqual([])
    }).pipe(Effect.provide(on))
  )
}

for (const store of stores) {
  // Nobody looks by itself while this test waits.
  const rare = settingsOf({ BUS_POLL: "30s" })
  const on = Layer.provideMerge(layer, Layer.merge(store.layer, rare))
  live(`bus as a table, ${store.name}: publishing nothing tells its consumers of what came beside the bus`, () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const c = yield* consumer("live", subscription())
      expect(yield* c.within(500)).toEqual([])
      const database = yield* Database
      yield* database.query(publish, [arrayOf([encodeMessage(message("beside"), 1).json])])
      yield* bus.publish([])
      expect(ids(yield* Effect.timeout(c.take(1), Duration.seconds(10)))).toEqual(["beside"])
    }).pipe(Effect.provide(on))
  )
}
