import { Effect, Layer } from "effect"
import { AiLocks, type Lock } from "../domain/ai/locks.ts"
import { Settings } from "./config.ts"
import { connect, script } from "./redis/client.ts"

/** KEYS lock. ARGV token, ms. -1: taken; else how long somebody else may have it. */
const take = script(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return -1 end
return math.max(1, redis.call('PTTL', KEYS[1]))
`)
/** KEYS lock. ARGV token. */
const release = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`)

/** Locks shared by all processes that name the same Redis. One that is down grants every lock: work is saved again later. */
export const layer: Layer.Layer<AiLocks, never, Settings> = Layer.effect(
  AiLocks,
  Effect.gen(function* () {
    const { REDIS_PREFIX, REDIS_URL } = yield* Settings
    const client = yield* connect(REDIS_URL ?? "", "cache")
    const named = (job: string) => `${REDIS_PREFIX}ai:lock:${job}`
    return AiLocks.of({
      take: (job, ttl_ms) =>
        Effect.suspend(() => {
          const token = crypto.randomUUID()
          const taken: Lock = { tag: "taken", token }
          return client.run(take, [named(job)], [token, Math.max(1, Math.round(ttl_ms))]).pipe(
            Effect.map((answer): Lock => (Number(answer) < 0 ? taken : { tag: "held", for_ms: Number(answer) })),
            Effect.catch((it) => Effect.as(Effect.logDebug(`AI job ${job} runs without a lock: ${it.message}`), taken))
          )
        }),
      release: (job, token) => Effect.ignore(client.run(release, [named(job)], [token]))
    })
  })
)
