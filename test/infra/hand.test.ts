import { expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Hand } from "../../src/infra/hand.ts"
import { effect } from "../support/effect.ts"

/** Four deliveries out, and somebody who waits until more are worth asking for. */
const waiting = Effect.gen(function* () {
  const out = new Map(["a", "b", "c", "d"].map((it) => [it, it]))
  const hand = new Hand(out)
  yield* hand.filled
  const gathering = yield* Effect.forkChild(hand.gather, { startImmediately: true })
  const end = (id: string) => {
    out.delete(id)
    hand.eased()
  }
  return { hand, end, gathering }
})

effect("a consumer asks for more when half of what it has is over", () =>
  Effect.gen(function* () {
    const { end, gathering } = yield* waiting
    end("a")
    yield* TestClock.adjust("100 millis")
    expect(gathering.pollUnsafe()).toBeUndefined()
    end("b")
    yield* Fiber.join(gathering)
  })
)

effect("a consumer whose deliveries take long asks for more after half a second", () =>
  Effect.gen(function* () {
    const { gathering } = yield* waiting
    yield* TestClock.adjust("499 millis")
    expect(gathering.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(gathering)
  })
)

effect("a consumer that has nothing, or is told to stop, does not wait", () =>
  Effect.gen(function* () {
    yield* new Hand(new Map()).gather
    const { hand, gathering } = yield* waiting
    hand.letGo()
    yield* Fiber.join(gathering)
  })
)
