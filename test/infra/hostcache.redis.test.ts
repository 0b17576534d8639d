import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { noConfig } from "../../src/domain/override.ts"
import { HostCache, Scores } from "../../src/domain/priority.ports.ts"
import { Database } from "../../src/infra/database.ts"
import { layer } from "../../src/infra/hostcache.redis.ts"
import { connect } from "../../src/infra/redis/client.ts"
import * as scores from "../../src/infra/scores.sql.ts"
import { live } from "../support/effect.ts"
import { configured, inTime } from "../support/priority.ts"
import { withService } from "../support/services.ts"
import { embeddedStore, settingsOf } from "../support/store.ts"

const prefix = `test:${process.pid}:`
const score = { value: 0.75, calculated_at: 1_800_000_000_000, window_ms: 21_600_000 }

withService("REDIS_URL", (url) => {
  const settings = settingsOf({ REDIS_URL: url, REDIS_PREFIX: prefix, PRIORITY_CACHE_TTL: "5s" })
  const client = connect(url, "cache")
  const emptied = Effect.gen(function* () {
    const keys = yield* (yield* client).call("KEYS", `${prefix}*`)
    if (Array.isArray(keys) && keys.length > 0) yield* (yield* client).call("DEL", ...keys.map(String))
  }).pipe(Effect.scoped)
  const cache = layer.pipe(Layer.provide(Layer.effectDiscard(emptied)), Layer.provideMerge(settings))

  live("the shared cache tells hosts without a score from hosts it has not met", () =>
    Effect.gen(function* () {
      const it = yield* HostCache
      yield* it.keepScores([
        { host: "a.kr", score, priority: "high", ttl_ms: 60_000 },
        { host: "cold.kr", score: null, priority: null, ttl_ms: 60_000 }
      ])
      expect((yield* it.known(["a.kr", "cold.kr", "new.kr"])).map((kept) => kept.score)).toEqual([
        score,
        null,
        undefined
      ])
      expect(yield* it.known([])).toEqual([])
      const reply = yield* (yield* client).call("GET", `${prefix}host_score:a.kr`)
      expect(JSON.parse(String(reply))).toMatchObject({
        score: 0.75,
        priority: "high",
        calculated_at: 1_800_000_000_000
      })
      const many = Array.from({ length: 1201 }, (_, n) => `h${n}.kr`)
      yield* it.keepScores(many.map((host) => ({ host, score, priority: "high", ttl_ms: 60_000 })))
      expect((yield* it.known(many)).every((kept) => kept.score?.value === 0.75)).toBe(true)
    }).pipe(Effect.provide(cache))
  )

  live("what was read before a change is not kept after it", () =>
    Effect.gen(function* () {
      const it = yield* HostCache
      const paths = [{ path: "/x", priority: "low" as const }]
      const rules = { config: { ...noConfig, threshold: 0.9 }, rules: paths, read_at: 1_800_000_000_000 }
      yield* it.keepRules([{ host: "a.kr", rules, ttl_ms: 60_000 }])
      expect((yield* it.known(["a.kr", "b.kr"])).map((kept) => kept.rules)).toEqual([rules, undefined])
      yield* it.dropRules(["a.kr"])
      yield* it.keepRules([{ host: "a.kr", rules, ttl_ms: 60_000 }])
      expect((yield* it.known(["a.kr"]))[0]?.rules).toBeUndefined()
    }).pipe(Effect.provide(cache))
  )

  live("lookups go through it to the database and back", () =>
    Effect.gen(function* () {
      yield* configured("a.kr", { base_priority: "low", override_until: yield* inTime(60_000), score_threshold: 0.9 })
      const facts = Scores.use((it) => it.facts(["a.kr"]))
      const first = (yield* facts).get("a.kr")
      expect(first).toEqual({ value: null, threshold: 0.9, override: "low", rules: [] })
      // The database knows nothing any more, and memory is told to forget: what is left is the shared cache.
      yield* Database.use((it) => it.script("truncate fetcher_rules"))
      yield* Scores.use((it) => it.forget())
      expect((yield* facts).get("a.kr")).toEqual(first)
      expect((yield* (yield* HostCache).known(["a.kr"]))[0]?.rules?.config.threshold).toBe(0.9)
    }).pipe(Effect.provide(scores.layer.pipe(Layer.provideMerge(Layer.mergeAll(embeddedStore, cache)))))
  )
})

live("a server that is down knows nothing and delays nobody", () =>
  Effect.gen(function* () {
    const it = yield* HostCache
    yield* it.keepScores([{ host: "a.kr", score, priority: "high", ttl_ms: 1000 }])
    yield* it.dropRules(["a.kr"])
    expect(yield* it.known(["a.kr"])).toEqual([{ score: undefined, rules: undefined }])
  }).pipe(Effect.provide(layer.pipe(Layer.provide(settingsOf({ REDIS_URL: "redis://127.0.0.1:9/0" })))))
)
