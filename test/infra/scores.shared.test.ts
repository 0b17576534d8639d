import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { HostCache, Scores } from "../../src/domain/priority.ports.ts"
import { Database } from "../../src/infra/database.ts"
import * as scores from "../../src/infra/scores.sql.ts"
import { live } from "../support/effect.ts"
import { configured, factsOf, inTime, scored } from "../support/priority.ts"
import { embeddedStore, settingsOf } from "../support/store.ts"

/** A shared cache as another process would see it. */
const shared = () => {
  const known = <A>(hosts: ReadonlyArray<string>, read: (host: string) => A) => Effect.sync(() => hosts.map(read))
  type Cache = HostCache["Service"]
  const scoreMap = new Map<string, Parameters<Cache["keepScores"]>[0][number]>()
  const ruleMap = new Map<string, Parameters<Cache["keepRules"]>[0][number]>()
  const cache = HostCache.of({
    known: (hosts) => known(hosts, (host) => ({ score: scoreMap.get(host)?.score, rules: ruleMap.get(host)?.rules })),
    keepScores: (rows) => Effect.sync(() => rows.forEach((it) => scoreMap.set(it.host, it))),
    keepRules: (rows) => Effect.sync(() => rows.forEach((it) => ruleMap.set(it.host, it))),
    dropRules: (hosts) => Effect.sync(() => hosts.forEach((it) => ruleMap.delete(it)))
  })
  return { cache, ruleMap, scoreMap }
}

live("scores: a shared cache stands between memory and database, and learns what the database knows", () =>
  Effect.gen(function* () {
    const { cache, ruleMap, scoreMap } = shared()
    const base = Layer.mergeAll(
      embeddedStore,
      settingsOf({ PRIORITY_CACHE_TTL: "0ms", SCORING_INTERVAL: "1m" }),
      Layer.succeed(HostCache, cache)
    )
    yield* Effect.gen(function* () {
      yield* scored("a.kr", 0.75)
      yield* configured("a.kr", { base_priority: "low", override_until: yield* inTime(2000) })
      expect(yield* factsOf("a.kr")).toMatchObject({ value: 0.75, override: "low" })
      expect(scoreMap.get("a.kr")).toMatchObject({ priority: "high", ttl_ms: 60_000 })
      expect(ruleMap.get("a.kr")?.ttl_ms).toBeLessThanOrEqual(2000)
      yield* Database.use((it) => it.script("truncate host_scoring_state, fetcher_rules"))
      expect(yield* factsOf("a.kr")).toMatchObject({ value: 0.75, override: "low" })
      expect(yield* factsOf("b.kr")).toMatchObject({ value: null, override: null })
      expect(scoreMap.get("b.kr")?.score).toBeNull()
    }).pipe(Effect.provide(scores.layer.pipe(Layer.provideMerge(base))))
  })
)

live("scores: what the shared cache heard before listening began again is asked of the database", () =>
  Effect.gen(function* () {
    const { cache, ruleMap } = shared()
    const heard: Array<(host: string | null) => void> = []
    const told = Layer.effect(
      Database,
      Effect.map(Database, (it) =>
        Database.of({ ...it, embedded: false, listen: (_, hear) => Effect.sync(() => void heard.push(hear)) })
      )
    ).pipe(Layer.provide(embeddedStore))
    const base = Layer.mergeAll(told, settingsOf({ PRIORITY_CACHE_TTL: "5s" }), Layer.succeed(HostCache, cache))
    yield* Effect.gen(function* () {
      yield* configured("a.kr", { score_threshold: 0.25 })
      expect(yield* factsOf("a.kr")).toMatchObject({ threshold: 0.25 })
      expect(ruleMap.get("a.kr")?.ttl_ms).toBe(300_000)
      // Changed while the connection that tells was broken.
      yield* configured("a.kr", { score_threshold: 0.75 })
      yield* Effect.sleep(2)
      expect(yield* factsOf("a.kr")).toMatchObject({ threshold: 0.25 })
      for (const hear of heard) hear(null)
      expect(yield* factsOf("a.kr")).toMatchObject({ threshold: 0.75 })
      // What another process put there since is good again.
      const kept = ruleMap.get("a.kr")
      expect(kept?.rules.config.threshold).toBe(0.75)
      yield* Database.use((it) => it.script("truncate fetcher_rules"))
      yield* Scores.use((it) => it.forget())
      expect(yield* factsOf("a.kr")).toMatchObject({ threshold: 0.75 })
    }).pipe(Effect.provide(scores.layer.pipe(Layer.provideMerge(base))))
  })
)
