import { expect } from "bun:test"
import { Clock, Effect, Layer } from "effect"
import type { Ended } from "../../src/domain/hosts.ts"
import { Hosts } from "../../src/domain/ports.ts"
import { Settings } from "../../src/infra/config.ts"
import { Database } from "../../src/infra/database.ts"
import { layer } from "../../src/infra/hosts.redis.ts"
import { connect } from "../../src/infra/redis/client.ts"
import { hostsSuite } from "../support/conformance/hosts.ts"
import { live } from "../support/effect.ts"
import { withService } from "../support/services.ts"
import { embeddedStore, settingsOf } from "../support/store.ts"

const prefix = `test:${process.pid}:`
const generation = `${prefix}hosts`
const env = {
  FETCH_DELAY: "200ms",
  BREAKER_FAILURES: "3",
  BREAKER_OPEN: "1s",
  FETCH_TIMEOUT: "100ms",
  REDIS_PREFIX: prefix
}

/** Forgets what earlier sentences left. `known`: as if the server had been in use for long. */
const emptied = (known: boolean) =>
  Effect.gen(function* () {
    const { REDIS_URL } = yield* Settings
    const client = yield* connect(REDIS_URL ?? "", "hosts")
    const keys = yield* client.call("KEYS", `${prefix}*`)
    if (Array.isArray(keys) && keys.length > 0) yield* client.call("DEL", ...keys.map(String))
    if (known) yield* client.call("HSET", generation, "quiet", "0", "loaded", "1")
  }).pipe(Effect.scoped)

const on = (url: string, known = true) => {
  const base = Layer.merge(embeddedStore, settingsOf({ ...env, REDIS_URL: url }))
  const empty = Layer.effectDiscard(emptied(known))
  return layer.pipe(Layer.provide(empty), Layer.provideMerge(base))
}
const release = (host: string, token: string, more: Partial<Ended> = {}) =>
  Hosts.use((it) => it.release(host, token, { fault: "none", pause_until: null, ...more }))
const granted = (host: string) =>
  Effect.map(
    Hosts.use((it) => it.acquire(host)),
    (slot) => {
      if (slot.tag !== "granted") throw new Error(`${host} waits: ${slot.reason}`)
      return slot.token
    }
  )

withService("REDIS_URL", (url) => {
  hostsSuite("hosts in Redis", on(url), { clock: "live", delayMs: 200, breakerFailures: 3, breakerOpenMs: 1000 })

  live("hosts in Redis: a server that has forgotten everything lets nobody be dialled for one slot lease", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* database.query("insert into host_generations (id) values ('before')")
      const hosts = yield* Hosts
      const now = yield* Clock.currentTimeMillis
      expect((yield* hosts.acquire("a.kr")).tag).toBe("wait")
      const slot = yield* hosts.acquire("a.kr")
      expect(slot.tag === "wait" && slot.until - now).toBeGreaterThan(15_000)
    }).pipe(Effect.provide(on(url, false)))
  )

  live("hosts in Redis: a cache that is filled for the first time has nobody to wait for", () =>
    Effect.gen(function* () {
      const hosts = yield* Hosts
      yield* hosts.acquire("a.kr")
      expect((yield* hosts.acquire("a.kr")).tag).toBe("granted")
    }).pipe(Effect.provide(on(url, false)))
  )

  live("hosts in Redis: pauses, open breakers and asked gaps outlive the server's memory", () =>
    Effect.gen(function* () {
      const hosts = yield* Hosts
      const pause_until = (yield* Clock.currentTimeMillis) + 60_000
      yield* release("paused.kr", yield* granted("paused.kr"), { pause_until })
      yield* hosts.setDelay("slow.kr", 5000)
      for (let n = 0; n < 3; n++) {
        yield* Effect.sleep(n === 0 ? 0 : 210)
        yield* release("broken.kr", yield* granted("broken.kr"), { fault: "host" })
      }
      yield* emptied(false)
      yield* hosts.acquire("a.kr")
      expect(yield* hosts.acquire("paused.kr")).toMatchObject({ reason: "retry_after", until: pause_until })
      expect(yield* hosts.acquire("broken.kr")).toMatchObject({ reason: "breaker" })
      expect(yield* hosts.delay("slow.kr")).toBe(5000)
    }).pipe(Effect.provide(on(url)))
  )

  live("hosts in Redis: a server that is not there is Unavailable, so hosts wait", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Hosts.use((it) => it.acquire("a.kr")))
      expect(failure._tag).toBe("Unavailable")
    }).pipe(
      Effect.provide(
        layer.pipe(
          Layer.provide(Layer.merge(embeddedStore, settingsOf({ ...env, REDIS_URL: "redis://127.0.0.1:1/0" })))
        )
      )
    )
  )
})
