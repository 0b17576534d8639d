import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { AiLocks } from "../../src/domain/ai/locks.ts"
import * as memory from "../../src/infra/locks.memory.ts"
import * as redis from "../../src/infra/locks.redis.ts"
import { locksSuite } from "../support/conformance/locks.ts"
import { live } from "../support/effect.ts"
import { withService } from "../support/services.ts"
import { settingsOf } from "../support/store.ts"

locksSuite("locks in memory", memory.layer, { clock: "virtual" })

const on = (REDIS_URL: string) =>
  Layer.suspend(() =>
    redis.layer.pipe(Layer.provide(settingsOf({ REDIS_URL, REDIS_PREFIX: `test:${crypto.randomUUID()}:` })))
  )
withService("REDIS_URL", (url) => locksSuite("locks in Redis", on(url), { clock: "live" }))

live("where Redis is down every lock is granted", () =>
  Effect.gen(function* () {
    const locks = yield* AiLocks
    expect((yield* locks.take("1", 1000)).tag).toBe("taken")
    expect((yield* locks.take("1", 1000)).tag).toBe("taken")
    yield* locks.release("1", "nobody")
  }).pipe(Effect.provide(on("redis://127.0.0.1:1")))
)
