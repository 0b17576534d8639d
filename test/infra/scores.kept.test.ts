import { expect } from "bun:test"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/errors.ts"
import { noConfig } from "../../src/domain/override.ts"
import type { Standing } from "../../src/domain/priority.facts.ts"
import { type Keeping, kept, type Load } from "../../src/infra/scores.kept.ts"
import { effect } from "../support/effect.ts"

const keeping: Keeping = { hostsMax: 3, ttl_ms: 5000, now: Clock.currentTimeMillis, hit: () => Effect.void }
const standing = (threshold: number, more: Partial<Standing["config"]> = {}): Standing => ({
  score: null,
  rules: [],
  config: { ...noConfig, threshold, ...more }
})
const thresholdOf = (memory: ReturnType<typeof kept>, host: string) =>
  Effect.map(memory.of([host]), (found) => found.get(host)?.config.threshold)

/** A load that counts and answers with how often it was asked; `gate`: the first one waits for it. */
const counted = (gate?: Deferred.Deferred<void>) => {
  let loads = 0
  const load: Load = (hosts) =>
    Effect.suspend(() => {
      loads += 1
      const answer = new Map(hosts.map((host) => [host, standing(loads)] as const))
      return loads === 1 && gate !== undefined ? Effect.as(Deferred.await(gate), answer) : Effect.succeed(answer)
    })
  return { load, loads: () => loads }
}

effect("whoever waited for a load that was interrupted loads for himself", () =>
  Effect.gen(function* () {
    const { load, loads } = counted(yield* Deferred.make<void>())
    const memory = kept(keeping, load)
    const first = yield* Effect.forkChild(memory.of(["a.kr"]))
    yield* Effect.yieldNow
    const second = yield* Effect.forkChild(thresholdOf(memory, "a.kr"))
    yield* Effect.yieldNow
    expect(loads()).toBe(1)
    yield* Fiber.interrupt(first)
    expect(yield* Fiber.join(second)).toBe(2)
  })
)

effect("a load that a change overtook is answered, and not kept", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const { load } = counted(gate)
    const memory = kept(keeping, load)
    const early = yield* Effect.forkChild(thresholdOf(memory, "a.kr"))
    yield* Effect.yieldNow
    memory.forget(["a.kr"])
    expect(yield* thresholdOf(memory, "a.kr")).toBe(2)
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.join(early)).toBe(1)
    expect(yield* thresholdOf(memory, "a.kr")).toBe(2)
  })
)

effect("a load that failed is nobody's answer for longer than its failure", () =>
  Effect.gen(function* () {
    let down = true
    const load: Load = (hosts) =>
      down
        ? Effect.fail(new Unavailable({ dependency: "database", message: "down" }))
        : Effect.succeed(new Map(hosts.map((host) => [host, standing(0.5)] as const)))
    const memory = kept(keeping, load)
    expect((yield* Effect.flip(memory.of(["a.kr"])))._tag).toBe("Unavailable")
    down = false
    expect(yield* thresholdOf(memory, "a.kr")).toBe(0.5)
  })
)

effect("the oldest entry makes room, and an entry lives its time or until its override ends", () =>
  Effect.gen(function* () {
    const { load, loads } = counted()
    const memory = kept(keeping, load)
    for (const host of ["a", "b", "c", "d"]) yield* memory.of([host])
    expect(["a", "b", "c", "d"].map((host) => memory.peek(host, 0)?.config.threshold)).toEqual([undefined, 2, 3, 4])
    yield* TestClock.adjust("5 seconds")
    yield* memory.of(["d", "d"])
    expect(loads()).toBe(5)

    const ending = kept(keeping, (hosts, now) =>
      Effect.succeed(
        new Map(hosts.map((it) => [it, standing(1, { override: { value: "low", until: now + 1000 } })] as const))
      )
    )
    yield* ending.of(["a"])
    const now = yield* Clock.currentTimeMillis
    expect([ending.peek("a", now + 999), ending.peek("a", now + 1000)].map((it) => it?.config.override?.value)).toEqual(
      ["low", undefined]
    )
  })
)
