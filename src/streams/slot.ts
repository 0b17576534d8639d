import { Clock, Deferred, Duration, Effect, type Exit, type Result, type Semaphore } from "effect"
import { type FetchError, Postponed, type Unavailable } from "../domain/errors.ts"
import { type Errand, endOf } from "../domain/fault.ts"
import { Policy } from "../domain/policy.ts"
import { Hosts, type Slot } from "../domain/ports.ts"
import type { gate } from "./gate.ts"
import { observeRelease } from "./observe.ts"
import { steadfast } from "./stage.ts"

/** How a request may fail once it is made: a dependency that is down is waited for. */
export type Failure = Exclude<FetchError, Unavailable>
/** What every fetch of this process shares: FETCH_CONCURRENCY permits, and each host's door. */
export interface Limits {
  readonly permits: Semaphore.Semaphore
  readonly door: ReturnType<typeof gate>
  /** Once done, no request is begun: what still waits goes back, so that a process that is told to stop is gone soon. */
  readonly leaving?: Deferred.Deferred<void>
}

type Waiting = Extract<Slot, { readonly tag: "wait" }>

/**
 * One try: a permit, then the host's slot, then the request; or how long the host must wait. The permit comes first, so
 * that a granted slot means a request that starts now: gaps are kept at the wire. Giving a slot back cannot be interrupted.
 */
const attempt = Effect.fnUntraced(function* <A, R>(
  permits: Semaphore.Semaphore,
  errand: Errand,
  request: Effect.Effect<A, FetchError, R>
) {
  const { host, page } = errand
  const hosts = yield* Hosts
  const giveBack = (token: string, exit: Exit.Exit<Result.Result<A, Failure>>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      hosts.release(host, token, endOf(exit, errand, now)).pipe(
        Effect.flatMap((done) => observeRelease(host, now, done)),
        Effect.ignore
      )
    )
  const once = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const slot = yield* restore(steadfast(hosts.acquire(host, page)))
      if (slot.tag === "wait") return slot
      return yield* restore(Effect.result(steadfast(request))).pipe(Effect.onExit((exit) => giveBack(slot.token, exit)))
    })
  )
  return yield* permits.withPermit(once)
})

const isWaiting = <A>(it: Waiting | Result.Result<A, Failure>): it is Waiting => "tag" in it

/**
 * Makes one request inside the host's slot. A wait longer than FETCH_WAIT_MAX goes back to `messages`: nothing sleeps
 * long in a consumer, and what waits holds no permit. So does each wait for a breaker: one that waited here would stand in
 * the way of the page that is its probe.
 */
export const inSlot = Effect.fnUntraced(function* <A, R>(
  { permits, leaving }: Limits,
  errand: Errand,
  request: Effect.Effect<A, FetchError, R>
) {
  const { host } = errand
  const { fetchWaitMax } = yield* Policy
  const started = yield* Clock.currentTimeMillis
  let until = started
  while (true) {
    if (leaving !== undefined && Deferred.isDoneUnsafe(leaving)) {
      return yield* new Postponed({ code: "busy_host", message: `${host}: this process stops`, until })
    }
    const answer = yield* attempt(permits, errand, request)
    if (!isWaiting(answer)) return yield* Effect.fromResult(answer)
    const now = yield* Clock.currentTimeMillis
    const shut = answer.reason === "breaker"
    if (shut || answer.until - started > Duration.toMillis(fetchWaitMax)) {
      const code = shut ? "breaker" : "busy_host"
      return yield* new Postponed({ code, message: `${host}: ${answer.reason}`, until: answer.until })
    }
    until = answer.until
    const wait = Effect.sleep(Duration.millis(Math.max(1, answer.until - now)))
    yield* leaving === undefined ? wait : Effect.raceFirst(wait, Deferred.await(leaving))
  }
})
