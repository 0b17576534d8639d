import { expect } from "bun:test"
import { Clock, Effect, type Layer } from "effect"
import type { Ended } from "../../../src/domain/hosts.ts"
import { Hosts } from "../../../src/domain/ports.ts"
import { type ClockName, pass, sentences, until } from "./clock.ts"

export interface HostsOptions {
  readonly clock: ClockName
  /** What the adapter was built with: one request in flight per host, this delay (ms) and this breaker. */
  readonly delayMs: number
  readonly breakerFailures: number
  readonly breakerOpenMs: number
}

/** What every keeper of host state promises. The layer is built anew for each sentence and must start empty. */
export const hostsSuite = <E>(name: string, layer: Layer.Layer<Hosts, E>, options: HostsOptions): void => {
  const it = sentences(name, options.clock, layer)
  slots(it, options)
  delays(it, options)
  breaker(it, options)
  pages(it, options)
}

type It = ReturnType<typeof sentences<Hosts, unknown>>
const acquire = (host: string, page?: string) => Hosts.use((hosts) => hosts.acquire(host, page))
const release = (host: string, token: string, outcome: Partial<Ended> = {}) =>
  Hosts.use((hosts) => hosts.release(host, token, { fault: "none", pause_until: null, ...outcome }))
/** A slot, as soon as there is one. */
const granted = (clock: ClockName, host: string, page?: string) =>
  until(
    clock,
    `a slot of ${host}`,
    Effect.map(acquire(host, page), (slot) => (slot.tag === "granted" ? slot.token : undefined))
  )
/** Why there is no slot, and how long from now; fails the test where there is one. */
const refused = (host: string, page?: string) =>
  Effect.gen(function* () {
    const slot = yield* acquire(host, page)
    if (slot.tag === "granted") throw new Error(`${host} was granted a slot`)
    return { reason: slot.reason, wait: slot.until - (yield* Clock.currentTimeMillis), until: slot.until }
  })

const slots = (it: It, { clock }: HostsOptions) => {
  it("a host has one request in flight", () =>
    Effect.gen(function* () {
      yield* granted(clock, "a.kr")
      const { reason, wait } = yield* refused("a.kr")
      expect(reason).toBe("in_flight")
      expect(wait).toBeGreaterThan(0)
    }))

  it("of many that ask at once, one is granted", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => acquire("a.kr")),
        { concurrency: 20 }
      )
      expect(answers.filter((slot) => slot.tag === "granted").length).toBe(1)
    }))

  it("a host does not wait for another", () =>
    Effect.gen(function* () {
      yield* granted(clock, "a.kr")
      expect((yield* acquire("b.kr")).tag).toBe("granted")
    }))

  it("a token that is not the holder's releases nothing", () =>
    Effect.gen(function* () {
      const first = yield* granted(clock, "a.kr")
      yield* release("a.kr", "nobody's")
      expect((yield* refused("a.kr")).reason).toBe("in_flight")
      yield* release("a.kr", first)
      yield* granted(clock, "a.kr")
      yield* release("a.kr", first)
      expect((yield* refused("a.kr")).reason).toBe("in_flight")
    }))
}

const delays = (it: It, { clock, delayMs }: HostsOptions) => {
  it("two requests to a host are its delay apart", () =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* release("a.kr", yield* granted(clock, "a.kr"))
      const { reason, wait } = yield* refused("a.kr")
      expect(reason).toBe("delay")
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(delayMs)
      yield* granted(clock, "a.kr")
      expect((yield* Clock.currentTimeMillis) - start).toBeGreaterThanOrEqual(delayMs)
    }))

  it("a host that asks for more time gets it, one that asks for less does not give any", () =>
    Effect.gen(function* () {
      const hosts = yield* Hosts
      expect(yield* hosts.delay("a.kr")).toBe(delayMs)
      yield* hosts.setDelay("slow.kr", 3 * delayMs)
      yield* hosts.setDelay("fast.kr", 1)
      expect(yield* hosts.delay("slow.kr")).toBe(3 * delayMs)
      expect(yield* hosts.delay("fast.kr")).toBe(delayMs)
      yield* release("slow.kr", yield* granted(clock, "slow.kr"))
      expect((yield* refused("slow.kr")).wait).toBeGreaterThan(delayMs)
    }))

  it("Retry-After is waited for to its very instant", () =>
    Effect.gen(function* () {
      const token = yield* granted(clock, "a.kr")
      const pause_until = (yield* Clock.currentTimeMillis) + 5 * delayMs
      yield* release("a.kr", token, { pause_until })
      expect(yield* refused("a.kr")).toMatchObject({ reason: "retry_after", until: pause_until })
      yield* granted(clock, "a.kr")
      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(pause_until)
    }))
}

const breaker = (it: It, { clock, breakerFailures, breakerOpenMs, delayMs }: HostsOptions) => {
  const fail = (count: number) =>
    Effect.gen(function* () {
      for (let n = 0; n < count; n++) yield* release("a.kr", yield* granted(clock, "a.kr"), { fault: "host" })
    })

  it("failures in a row open the breaker, one less does not", () =>
    Effect.gen(function* () {
      yield* fail(breakerFailures - 1)
      expect((yield* refused("a.kr")).reason).toBe("delay")
      yield* fail(1)
      const { reason, wait } = yield* refused("a.kr")
      expect(reason).toBe("breaker")
      expect(wait).toBeLessThanOrEqual(breakerOpenMs)
      expect(wait).toBeGreaterThan(breakerOpenMs / 2)
    }))

  it("a success in between starts the count anew", () =>
    Effect.gen(function* () {
      yield* fail(breakerFailures - 1)
      yield* release("a.kr", yield* granted(clock, "a.kr"))
      yield* fail(breakerFailures - 1)
      expect((yield* refused("a.kr")).reason).toBe("delay")
    }))

  it("after its time an open breaker lets one probe through, and its success closes it", () =>
    Effect.gen(function* () {
      yield* fail(breakerFailures)
      yield* pass(clock, breakerOpenMs)
      const probe = yield* granted(clock, "a.kr")
      expect((yield* acquire("a.kr")).tag).toBe("wait")
      yield* release("a.kr", probe)
      yield* fail(breakerFailures - 1)
      expect((yield* refused("a.kr")).reason).toBe("delay")
    }))

  it("a probe that fails opens the breaker for longer", () =>
    Effect.gen(function* () {
      yield* fail(breakerFailures)
      yield* pass(clock, breakerOpenMs)
      yield* fail(1)
      const { reason, wait } = yield* refused("a.kr")
      expect(reason).toBe("breaker")
      expect(wait).toBeGreaterThan(1.5 * breakerOpenMs)
    }))

  it("one host's breaker is nobody else's", () =>
    Effect.gen(function* () {
      yield* fail(breakerFailures)
      expect((yield* acquire("b.kr")).tag).toBe("granted")
      expect(delayMs).toBeLessThan(breakerOpenMs)
    }))
}

const pages = (it: It, { clock, breakerFailures, breakerOpenMs }: HostsOptions) => {
  const fail = (page: string) =>
    Effect.gen(function* () {
      yield* release("a.kr", yield* granted(clock, "a.kr", page), { fault: "page", page })
    })
  const each = (count: number) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => `/${n}`),
      fail
    )

  it("one page that fails again and again counts once; the same failures of the host itself count each", () =>
    Effect.gen(function* () {
      for (let n = 0; n <= breakerFailures; n++) yield* fail("/bad")
      expect((yield* refused("a.kr")).reason).toBe("delay")
      for (let n = 1; n < breakerFailures; n++) {
        yield* release("a.kr", yield* granted(clock, "a.kr", "/bad"), { fault: "host", page: "/bad" })
      }
      expect((yield* refused("a.kr")).reason).toBe("breaker")
    }))

  it("different pages that fail open the breaker, and an end that tells nothing changes nothing", () =>
    Effect.gen(function* () {
      yield* each(breakerFailures - 1)
      yield* release("a.kr", yield* granted(clock, "a.kr"), { fault: "unknown" })
      expect((yield* refused("a.kr")).reason).toBe("delay")
      yield* fail("/last")
      expect((yield* refused("a.kr")).reason).toBe("breaker")
    }))

  it("a page that failed leaves the probe to others, whose success makes it a page like any other", () =>
    Effect.gen(function* () {
      yield* each(breakerFailures)
      yield* pass(clock, breakerOpenMs)
      expect((yield* refused("a.kr", "/0")).reason).toBe("breaker")
      yield* release("a.kr", yield* granted(clock, "a.kr", "/good"))
      for (let n = 0; n <= breakerFailures; n++) yield* fail("/0")
      expect((yield* refused("a.kr", "/0")).reason).toBe("delay")
    }))

  it("where nobody else asks it is the probe, and its failure opens the breaker for no longer than before", () =>
    Effect.gen(function* () {
      yield* each(breakerFailures)
      yield* pass(clock, breakerOpenMs)
      yield* fail("/0")
      const { reason, wait } = yield* refused("a.kr", "/good")
      expect(reason).toBe("breaker")
      expect(wait).toBeLessThanOrEqual(breakerOpenMs)
      expect(wait).toBeGreaterThan(breakerOpenMs / 2)
    }))
}
