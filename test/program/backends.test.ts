import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { stageNames } from "../../src/domain/stages.ts"
import { complete, possible } from "../../src/program/backends.ts"
import { effect } from "../support/effect.ts"
import { settingsOf } from "../support/store.ts"

const database = { DATABASE_URL: "postgres://crawler@db/crawler" }
const cache = { REDIS_URL: "redis://cache:6379" }
const broker = { KAFKA_BROKERS: "kafka:9092" }

const refused: ReadonlyArray<readonly [settings: Record<string, string>, names: RegExp]> = [
  [broker, /^KAFKA_BROKERS without DATABASE_URL/],
  [{ ...broker, ...cache }, /^KAFKA_BROKERS without DATABASE_URL/],
  [cache, /^REDIS_URL without DATABASE_URL/]
]
for (const [settings, names] of refused) {
  effect(`${Object.keys(settings).join(" and ")} alone cannot be right: exit 78`, () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Effect.scoped(Layer.build(possible.pipe(Layer.provide(settingsOf(settings))))))
      expect(failure.exit).toBe("configuration")
      expect(failure.message).toMatch(names)
    })
  )
}

for (const settings of [
  {},
  database,
  { ...database, ...cache },
  { ...database, ...broker },
  { ...database, ...cache, ...broker }
]) {
  effect(`${Object.keys(settings).join(", ") || "no server"}: a deployment that works`, () =>
    Effect.scoped(Layer.build(possible.pipe(Layer.provide(settingsOf(settings)))))
  )
}

const all = new Map(stageNames.map((it) => [it, null]))
const some = new Map([["fetcher", null]])
effect("a subset of stages without REDIS_URL is refused: exit 78", () =>
  Effect.gen(function* () {
    const failure = yield* Effect.flip(complete(some).pipe(Effect.provide(settingsOf(database))))
    expect(failure.exit).toBe("configuration")
    expect(failure.message).toContain("--stages fetcher without REDIS_URL")
    yield* complete(some).pipe(Effect.provide(settingsOf({ ...database, ...cache })))
    yield* complete(all).pipe(Effect.provide(settingsOf(database)))
  })
)
