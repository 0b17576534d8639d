import { Effect, type Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { effect, live } from "../effect.ts"

/** How a suite lets time pass: virtual for adapters in memory, real for those whose other side has its own clock. */
export type ClockName = "virtual" | "live"

/** Longest a condition is waited for, ms: reaching it fails the test. */
const deadlineMs = 15_000
const stepMs = 10

export const pass = (clock: ClockName, ms: number): Effect.Effect<void> =>
  clock === "virtual" ? TestClock.adjust(ms) : Effect.sleep(ms)

/** Lets time pass until `look` sees something (anything but undefined), or dies at the deadline naming what was awaited. */
export const until = <A, E, R>(
  clock: ClockName,
  what: string,
  look: Effect.Effect<A | undefined, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (let waited = 0; waited < deadlineMs; waited += stepMs) {
      const seen = yield* look
      if (seen !== undefined) return seen
      yield* pass(clock, stepMs)
    }
    return yield* Effect.die(new Error(`waited ${deadlineMs} ms in vain for ${what}`))
  })

/** Registers one sentence of a suite: on a layer built for it alone, which must start empty. */
export const sentences =
  <P, L>(suite: string, clock: ClockName, layer: Layer.Layer<P, L>) =>
  <A, E>(name: string, program: () => Effect.Effect<A, E, P | Scope.Scope>): void => {
    const run = clock === "virtual" ? effect : live
    run(`${suite}: ${name}`, () => program().pipe(Effect.provide(layer)))
  }
