import { expect } from "bun:test"
import { Clock, Effect, Layer } from "effect"
import { Hosts } from "../../src/domain/ports.ts"
import { layer } from "../../src/infra/hosts.database.ts"
import { hostsSuite } from "../support/conformance/hosts.ts"
import { live } from "../support/effect.ts"
import { embeddedStore, settingsOf } from "../support/store.ts"

const env = { FETCH_DELAY: "200ms", BREAKER_FAILURES: "3", BREAKER_OPEN: "1s", FETCH_TIMEOUT: "100ms" }
const on = Layer.provideMerge(Layer.fresh(layer()), Layer.merge(embeddedStore, settingsOf(env)))

hostsSuite("hosts in memory, kept", on, { clock: "live", delayMs: 200, breakerFailures: 3, breakerOpenMs: 1000 })

/** The next process on the same store. */
const next = <A, E>(work: Effect.Effect<A, E, Hosts>) => Effect.provide(work, Layer.fresh(layer()))
const granted = Effect.fnUntraced(function* (host: string) {
  const slot = yield* Hosts.use((it) => it.acquire(host))
  if (slot.tag !== "granted") throw new Error(`${host} waits: ${slot.reason}`)
  return slot.token
})

live("hosts in memory, kept: pauses, open breakers and asked gaps outlive the process", () =>
  Effect.gen(function* () {
    const pause_until = (yield* Clock.currentTimeMillis) + 60_000
    yield* next(
      Effect.gen(function* () {
        const hosts = yield* Hosts
        yield* hosts.release("paused.kr", yield* granted("paused.kr"), { fault: "none", pause_until })
        yield* hosts.setDelay("slow.kr", 5000)
        for (let n = 0; n < 3; n++) {
          yield* Effect.sleep(n === 0 ? 0 : 210)
          const done = yield* hosts.release("broken.kr", yield* granted("broken.kr"), {
            fault: "host",
            pause_until: null
          })
          expect(done).toEqual({ tripped: n === 2 })
        }
      })
    )
    yield* next(
      Effect.gen(function* () {
        const hosts = yield* Hosts
        expect(yield* hosts.acquire("paused.kr")).toMatchObject({ reason: "retry_after", until: pause_until })
        expect(yield* hosts.acquire("broken.kr")).toMatchObject({ reason: "breaker" })
        expect((yield* hosts.acquire("new.kr")).tag).toBe("granted")
        expect(yield* hosts.delay("slow.kr")).toBe(5000)
      })
    )
  }).pipe(Effect.provide(Layer.merge(embeddedStore, settingsOf(env))))
)
