import { expect } from "bun:test"
import { Clock, Effect, Layer, Stream } from "effect"
import { type Bus, Frontier } from "../../src/domain/ports.ts"
import * as bus from "../../src/infra/bus.table.ts"
import { Database } from "../../src/infra/database.ts"
import { layer } from "../../src/infra/frontier.sql.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { frontierSuite, planned } from "../support/conformance/frontier.ts"
import { live } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { settingsOf, stores } from "../support/store.ts"
import { world } from "../support/world.ts"

const dues = Database.use((it) =>
  it.query<{ id: string; topic: string; not_before: number }>(
    "select id, topic, ms_of(not_before) as not_before from messages"
  )
)

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf({ BUS_POLL: "50ms" }))
  const on = layer.pipe(Layer.provideMerge(bus.layer), Layer.provideMerge(base))
  frontierSuite(`frontier in SQL, ${store.name}`, on, { clock: "live", dues })
}

const host = "slow.example"
const links = (count: number, pace_ms: number, from = 0) =>
  Array.from({ length: count }, (_, at) => planned(host, String(from + at), { pace_ms }))
const waiting = Effect.map(dues, (rows) =>
  rows.filter((it) => it.id.startsWith(`job ${host}/`)).toSorted((left, right) => left.not_before - right.not_before)
)
const gapsOf = (rows: ReadonlyArray<{ readonly not_before: number }>) =>
  rows.slice(1).map((it, at) => it.not_before - (rows[at]?.not_before ?? 0))

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf({ BUS_POLL: "50ms", FETCH_DELAY: "20ms" }))
  const on = layer.pipe(Layer.provideMerge(bus.layer), Layer.provideMerge(base))
  const it = (sentence: string, program: Effect.Effect<void, unknown, Frontier | Database | Bus>) =>
    live(`frontier in SQL, ${store.name}: ${sentence}`, () => Effect.orDie(Effect.provide(program, on)))

  it(
    "a line dealt by another pace is dealt out anew in its order, and goes on from there; nothing else moves",
    Effect.gen(function* () {
      const frontier = yield* Frontier
      const tomorrow = (yield* Clock.currentTimeMillis) + 86_400_000
      const revisit = planned(host, "revisit", { visit: 1, not_before: tomorrow })
      const other = [planned("other.example", "1"), planned("other.example", "2")]
      yield* frontier.enqueue([...links(6, 60_000), revisit, ...other])
      const before = yield* waiting
      yield* frontier.repace(host, 100)
      const after = yield* waiting
      expect(after.map((it) => it.id)).toEqual(before.map((it) => it.id))
      expect(gapsOf(after.slice(0, 6))).toEqual([100, 100, 100, 100, 100])
      expect(after.at(-1)?.not_before).toBe(tomorrow)
      yield* frontier.enqueue(links(2, 100, 6))
      expect(gapsOf((yield* waiting).slice(0, 8))).toEqual([100, 100, 100, 100, 100, 100, 100])
      const others = (yield* dues).filter((it) => it.id.startsWith("job other"))
      expect(Math.abs((others[0]?.not_before ?? 0) - (others[1]?.not_before ?? 0))).toBe(1000)
    })
  )

  it(
    "links that would all come at once are dealt out as far apart as their host wants it",
    Effect.gen(function* () {
      const frontier = yield* Frontier
      yield* frontier.enqueue(links(4, 0))
      yield* frontier.repace(host, 30_000)
      yield* frontier.repace(host, 30_000)
      expect(gapsOf(yield* waiting)).toEqual([30_000, 30_000, 30_000])
    })
  )

  it(
    "a line of any length is dealt out anew to its end",
    Effect.gen(function* () {
      const frontier = yield* Frontier
      yield* frontier.enqueue(links(2100, 60_000))
      yield* frontier.repace(host, 100)
      expect(new Set(gapsOf(yield* waiting))).toEqual(new Set([100]))
    })
  )

  it(
    "who fetches with a smaller delay than the one they were enqueued with is done at his own pace",
    Effect.gen(function* () {
      const asked = new Map<string, number>()
      yield* (yield* Frontier).enqueue(links(12, 60_000))
      const [shared, web] = [
        yield* Effect.context<Frontier | Bus>(),
        world(() => articlePage("Council votes"), { asked })
      ]
      const hurried = hosts.layer().pipe(Layer.provide(settingsOf({ FETCH_DELAY: "20ms" })))
      const own = Layer.mergeAll(web, hurried, Layer.succeedContext(shared))
      yield* Stream.runDrain(pipeline).pipe(Effect.timeout("20 seconds"), Effect.provide(own))
      expect(asked.size).toBe(12)
    })
  )
}
