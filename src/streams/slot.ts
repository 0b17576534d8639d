import { Clock, Deferred, Duration, Effect, type Result, type Semaphore } from "effect"
import { type Fatal, Postponed, type Retryable, type Unavailable } from "../domain/errors.ts"
import { Policy } from "../domain/policy.ts"
import { Hosts, type Slot } from "../domain/ports.ts"
import type { gate } from "./gate.ts"
import { observeRelease } from "./observe.ts"
import { steadfast } from "./stage.ts"

export type Failure = Retryable | Fatal | Postponed
type Ending = { readonly failed: boolean; readonly pause_until: number | null }

/** What a request's end means for its host: Retry-After pauses it, network failures and 5xx count for its breaker. */
const ending = (host: string, failure: Failure | null, now: number): Ending => {
  if (failure?._tag !== "Retryable") return { failed: false, pause_until: null }
  // A redirect may lead to another host: then that one is at fault.
  const ours = failure.host === undefined || failure.host === host
  const counts = failure.code !== "http_429" && failure.code !== "partial" && failure.code !== "browser"
  return { failed: ours && counts, pause_until: ours && failure.after !== undefined ? now + failure.after : null }
}

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
  host: string,
  request: Effect.Effect<A, Failure | Unavailable, R>
) {
  const hosts = yield* Hosts
  const giveBack = (token: string, failure: Failure | null) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      hosts.release(host, token, ending(host, failure, now)).pipe(
        Effect.flatMap((done) => observeRelease(host, now, done)),
        Effect.ignore
      )
    )
  const once = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const slot = yield* restore(steadfast(hosts.acquire(host)))
      if (slot.tag === "wait") return slot
      return yield* restore(Effect.result(steadfast(request))).pipe(
        Effect.onExit((exit) =>
          giveBack(slot.token, exit._tag === "Success" && exit.value._tag === "Failure" ? exit.value.failure : null)
        )
      )
    })
  )
  return yield* permits.withPermit(once)
})

const isWaiting = <A>(it: Waiting | Result.Result<A, Failure>): it is Waiting => "tag" in it

/**
 * Makes one request inside the host's slot. A wait longer than FETCH_WAIT_MAX goes back to `messages`: nothing sleeps
 * long in a consumer, and what waits holds no permit.
 */
export const inSlot = Effect.fnUntraced(function* <A, R>(
  { permits, leaving }: Limits,
  host: string,
  request: Effect.Effect<A, Failure | Unavailable, R>
) {
  const { fetchWaitMax } = yield* Policy
  const started = yield* Clock.currentTimeMillis
  let until = started
  while (true) {
    if (leaving !== undefined && Deferred.isDoneUnsafe(leaving)) {
      return yield* new Postponed({ code: "busy_host", message: `${host}: this process stops`, until })
    }
    const answer = yield* attempt(permits, host, request)
    if (!isWaiting(answer)) return yield* Effect.fromResult(answer)
    const now = yield* Clock.currentTimeMillis
    if (answer.until - started > Duration.toMillis(fetchWaitMax)) {
      const code = answer.reason === "breaker" ? "breaker" : "busy_host"
      return yield* new Postponed({ code, message: `${host}: ${answer.reason}`, until: answer.until })
    }
    until = answer.until
    const wait = Effect.sleep(Duration.millis(Math.max(1, answer.until - now)))
    yield* leaving === undefined ? wait : Effect.raceFirst(wait, Deferred.await(leaving))
  }
})
