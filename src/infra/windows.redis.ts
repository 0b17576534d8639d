import { Duration, Effect, Layer } from "effect"
import { Windows } from "../domain/upgrade.ts"
import { Settings } from "./config.ts"
import { connect, script } from "./redis/client.ts"

/** Members of one window; beyond it the oldest go: no threshold is that high. */
const membersMax = 10_000
/** A window outlives its span by this much (ms), for clocks that differ. */
const marginMs = Duration.toMillis("10 minutes")

/** KEYS window. ARGV member, at, span, margin, most. The first instant of a member stays: counted again, it lives no longer. */
const add = script(`
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
local newest = tonumber(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', newest - tonumber(ARGV[3]))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[5]))
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[3]) + tonumber(ARGV[4]))
return redis.call('ZCARD', KEYS[1])
`)

/** Sliding windows shared by all processes that name the same Redis. */
export const layer: Layer.Layer<Windows, never, Settings> = Layer.effect(
  Windows,
  Effect.gen(function* () {
    const { REDIS_PREFIX, REDIS_URL } = yield* Settings
    const client = yield* connect(REDIS_URL ?? "", "cache")
    const named = (key: string) => `${REDIS_PREFIX}window:${key}`
    return Windows.of({
      add: (key, member, at, span_ms) =>
        Effect.map(client.run(add, [named(key)], [member, at, Math.round(span_ms), marginMs, membersMax]), Number),
      clear: (key) => Effect.asVoid(client.call("DEL", named(key)))
    })
  })
)
