import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Windows } from "../../src/domain/upgrade.ts"
import { layer } from "../../src/infra/windows.redis.ts"
import { live } from "../support/effect.ts"
import { withService } from "../support/services.ts"
import { settingsOf } from "../support/store.ts"

withService("REDIS_URL", (url) => {
  const on = layer.pipe(Layer.provide(settingsOf({ REDIS_URL: url, REDIS_PREFIX: `test:${crypto.randomUUID()}:` })))

  live("windows in Redis: a member counts once, however often it is added", () =>
    Effect.gen(function* () {
      const windows = yield* Windows
      expect(yield* windows.add("a", "one", 1000, 5000)).toBe(1)
      expect(yield* windows.add("a", "one", 2000, 5000)).toBe(1)
      expect(yield* windows.add("a", "two", 3000, 5000)).toBe(2)
    }).pipe(Effect.provide(on))
  )

  live("windows in Redis: what is older than the span is forgotten, by its first instant", () =>
    Effect.gen(function* () {
      const windows = yield* Windows
      yield* windows.add("b", "one", 1000, 5000)
      yield* windows.add("b", "one", 5500, 5000)
      expect(yield* windows.add("b", "two", 6000, 5000)).toBe(1)
    }).pipe(Effect.provide(on))
  )

  live("windows in Redis: a cleared window begins anew, and no window is another's", () =>
    Effect.gen(function* () {
      const windows = yield* Windows
      yield* windows.add("c", "one", 1000, 5000)
      yield* windows.add("d", "one", 1000, 5000)
      yield* windows.clear("c")
      expect(yield* windows.add("c", "two", 1001, 5000)).toBe(1)
      expect(yield* windows.add("d", "two", 1001, 5000)).toBe(2)
    }).pipe(Effect.provide(on))
  )
})
