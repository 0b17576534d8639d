import { expect } from "bun:test"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Hosts } from "../../src/domain/ports.ts"
import { layer, slotLife } from "../../src/infra/hosts.memory.ts"
import { hostsSuite } from "../support/conformance/hosts.ts"
import { effect } from "../support/effect.ts"
import { settings } from "../support/net.ts"

const env = { FETCH_DELAY: "1s", BREAKER_FAILURES: "5", BREAKER_OPEN: "60s", FETCH_TIMEOUT: "30s" }
const memory = (options = {}) => Layer.provide(layer(options), settings(env))

hostsSuite("hosts in memory", memory(), {
  clock: "virtual",
  delayMs: 1000,
  breakerFailures: 5,
  breakerOpenMs: 60_000
})

effect("a slot whose fiber died is free again after two fetch limits and a margin", () =>
  Effect.gen(function* () {
    const hosts = yield* Hosts
    yield* hosts.acquire("a.kr")
    const life = slotLife(Duration.seconds(30))
    yield* TestClock.adjust(Duration.subtract(life, Duration.millis(1)))
    expect((yield* hosts.acquire("a.kr")).tag).toBe("wait")
    yield* TestClock.adjust("1 milli")
    expect((yield* hosts.acquire("a.kr")).tag).toBe("granted")
  }).pipe(Effect.provide(memory()))
)

effect("after a restart no host is dialled before the quiet time and its own delay have passed", () =>
  Effect.gen(function* () {
    const hosts = yield* Hosts
    yield* hosts.setDelay("slow.kr", 5000)
    expect(yield* hosts.acquire("a.kr")).toEqual({ tag: "wait", until: 2000, reason: "delay" })
    yield* TestClock.adjust("2 seconds")
    expect((yield* hosts.acquire("a.kr")).tag).toBe("granted")
    expect(yield* hosts.acquire("slow.kr")).toEqual({ tag: "wait", until: 5000, reason: "delay" })
    yield* TestClock.adjust("3 seconds")
    expect((yield* hosts.acquire("slow.kr")).tag).toBe("granted")
  }).pipe(Effect.provide(memory({ quiet: Duration.seconds(2) })))
)

effect("full of busy hosts it lets no stranger in; as soon as one is idle it does", () =>
  Effect.gen(function* () {
    const hosts = yield* Hosts
    const names = Array.from({ length: 100_000 }, (_, n) => `h${n}.kr`)
    const slots = yield* Effect.forEach(names, (host) => hosts.acquire(host))
    expect(slots.every(({ tag }) => tag === "granted")).toBe(true)
    yield* TestClock.adjust("2 seconds")
    expect((yield* hosts.acquire("stranger.kr")).tag).toBe("wait")
    const [first] = slots
    if (first?.tag === "granted") yield* hosts.release("h0.kr", first.token, { fault: "none", pause_until: null })
    yield* TestClock.adjust("1 second")
    expect((yield* hosts.acquire("h0.kr")).tag).toBe("granted")
    yield* TestClock.adjust(slotLife(Duration.seconds(30)))
    expect((yield* hosts.acquire("stranger.kr")).tag).toBe("granted")
  }).pipe(Effect.provide(memory()))
)
