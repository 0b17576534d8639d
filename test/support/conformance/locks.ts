import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import { AiLocks } from "../../../src/domain/ai/locks.ts"
import { type ClockName, pass, sentences } from "./clock.ts"

/** What every keeper of locks promises. The layer is built anew for each sentence. */
export const locksSuite = <E>(
  name: string,
  layer: Layer.Layer<AiLocks, E>,
  options: { readonly clock: ClockName }
): void => {
  const it = sentences(name, options.clock, layer)

  it("of two who want a lock one gets it, and the other learns for how long", () =>
    Effect.gen(function* () {
      const locks = yield* AiLocks
      const both = yield* Effect.all([locks.take("1", 5000), locks.take("1", 5000)], { concurrency: 2 })
      expect(both.map((lock) => lock.tag).toSorted()).toEqual(["held", "taken"])
      const held = both.find((lock) => lock.tag === "held")
      expect(held?.tag === "held" && held.for_ms > 0 && held.for_ms <= 5000).toBe(true)
      expect((yield* locks.take("2", 5000)).tag).toBe("taken")
    }))

  it("a released lock is free; one that passed to another is not released by who had it", () =>
    Effect.gen(function* () {
      const locks = yield* AiLocks
      const first = yield* locks.take("1", 5000)
      if (first.tag === "held") return yield* Effect.die(new Error("held"))
      yield* locks.release("1", first.token)
      expect((yield* locks.take("1", 5000)).tag).toBe("taken")
      yield* locks.release("1", first.token)
      expect((yield* locks.take("1", 5000)).tag).toBe("held")
    }))

  it("a lock ends by itself", () =>
    Effect.gen(function* () {
      const locks = yield* AiLocks
      yield* locks.take("1", 100)
      yield* pass(options.clock, 150)
      expect((yield* locks.take("1", 100)).tag).toBe("taken")
    }))
}
