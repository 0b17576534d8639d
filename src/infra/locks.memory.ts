import { Clock, Effect, Layer } from "effect"
import { AiLocks, type Lock } from "../domain/ai/locks.ts"

/** Locks of one process. */
export const layer: Layer.Layer<AiLocks> = Layer.sync(AiLocks, () => {
  const locks = new Map<string, { readonly token: string; readonly until: number }>()
  let tokens = 0
  return AiLocks.of({
    take: Effect.fnUntraced(function* (job, ttl_ms) {
      const now = yield* Clock.currentTimeMillis
      for (const [name, { until }] of locks) if (until <= now) locks.delete(name)
      const held = locks.get(job)
      if (held !== undefined) return { tag: "held", for_ms: held.until - now } satisfies Lock
      const token = String(++tokens)
      locks.set(job, { token, until: now + ttl_ms })
      return { tag: "taken", token } satisfies Lock
    }),
    release: (job, token) =>
      Effect.sync(() => {
        if (locks.get(job)?.token === token) locks.delete(job)
      })
  })
})
