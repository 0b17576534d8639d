import { test } from "bun:test"
import { Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"

/** Longest a test may take in real time, ms: virtual time costs none, so only a hang reaches it. */
const effectTimeoutMs = 10_000
const liveTimeoutMs = 60_000

/** A test in virtual time: nothing sleeps, `TestClock.adjust` moves the clock. Time starts at 0. */
export const effect = <A, E>(name: string, program: () => Effect.Effect<A, E, Scope.Scope>): void =>
  test(
    name,
    () => Effect.runPromise(program().pipe(Effect.asVoid, Effect.scoped, Effect.provide(TestClock.layer()))),
    effectTimeoutMs
  )

/** A test on the real clock, for adapters whose other side (a database, a file, a socket) has a clock of its own. */
export const live = <A, E>(
  name: string,
  program: () => Effect.Effect<A, E, Scope.Scope>,
  timeoutMs: number = liveTimeoutMs
): void => test(name, () => Effect.runPromise(program().pipe(Effect.asVoid, Effect.scoped)), timeoutMs)
