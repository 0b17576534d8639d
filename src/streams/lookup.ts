import { Clock, Effect, Metric, Result } from "effect"
import { type Fatal, type Postponed, Retryable, type Suspendable } from "../domain/errors.ts"
import { backoff } from "../domain/job.ts"
import type { Answered, Find } from "../domain/research/assemble.ts"
import type { Lookup } from "../domain/research/lookup.ts"
import * as metrics from "../domain/research/metrics.ts"
import { concurrency, lookupRetry } from "../domain/research/pace.ts"
import { Discovery } from "../domain/research.ts"
import type { Adaptive } from "./adaptive.ts"
import { inSlot, type Limits } from "./slot.ts"

/** Answers remembered, so that a message tried again asks only what was not answered. */
const memoMax = 2000
/** How long, ms: the sources change slowly, and their operators thank us. */
const memoLife = 3_600_000

/** What the lookups of this process share. */
export interface Asking {
  readonly limits: Limits
  readonly pace: Adaptive
  readonly memo: Map<string, Answered>
}

/** Why a question was not answered. */
type Trouble = Retryable | Suspendable | Fatal | Postponed

/** What tells one question from another. */
const keyOf = ({ method, subject }: Lookup): string => `${method}\n${subject}`

/** One try, inside the slot of the source's host; a suspension passes through the slot as a value, for it is no failure of the host. */
const once = Effect.fnUntraced(function* ({ limits, pace }: Asking, lookup: Lookup) {
  const discovery = yield* Discovery
  const host = discovery.host(lookup)
  const ask = Effect.result(discovery.ask(lookup)).pipe(
    Effect.tap((result) => pace.note(Result.isFailure(result) && result.failure._tag === "Retryable")),
    Effect.flatMap((result): Effect.Effect<Result.Result<ReadonlyArray<Find>, Suspendable>, Retryable | Fatal> => {
      if (Result.isSuccess(result)) return Effect.succeed(Result.succeed(result.success))
      const { failure } = result
      return failure._tag === "Suspendable" ? Effect.succeed(Result.fail(failure)) : Effect.fail(failure)
    })
  )
  const asked =
    host === null
      ? limits.permits.withPermit(ask)
      : limits.door(host)(inSlot(limits, { host, page: keyOf(lookup) }, ask))
  return yield* Effect.flatMap(asked, Effect.fromResult)
})

/** Tries again after 1, 2, 4 and 8 s. What a host asks for by itself (Retry-After, its breaker) is not waited for here. */
const patiently = Effect.fnUntraced(function* (asking: Asking, lookup: Lookup) {
  let attempt = 1
  while (true) {
    const result: Result.Result<ReadonlyArray<Find>, Trouble> = yield* Effect.result(once(asking, lookup))
    if (Result.isSuccess(result)) return result.success
    const { failure } = result
    if (failure._tag !== "Retryable" || attempt > lookupRetry.attempts || failure.after !== undefined) {
      return yield* failure
    }
    yield* Effect.sleep(backoff(lookupRetry, attempt, 0))
    attempt += 1
  }
})

const remembered = ({ memo }: Asking, key: string, now: number): Answered | null => {
  const known = memo.get(key)
  return known !== undefined && now - known.at < memoLife ? known : null
}
const remember = ({ memo }: Asking, key: string, answer: Answered): void => {
  const oldest = memo.keys().next().value
  if (memo.size >= memoMax && oldest !== undefined) memo.delete(oldest)
  memo.set(key, answer)
}

/**
 * One question, answered `ok`, `empty` or `failed` with its reason. Quota and keys suspend the whole message; a source that asks for
 * time sends the message back until then, unless this is its last try.
 */
const answerOf = Effect.fnUntraced(function* (asking: Asking, lookup: Lookup, last: boolean) {
  const { method, query } = lookup
  const key = keyOf(lookup)
  const known = remembered(asking, key, yield* Clock.currentTimeMillis)
  if (known !== null) return known
  const result = yield* Effect.result(patiently(asking, lookup))
  const at = yield* Clock.currentTimeMillis
  if (Result.isSuccess(result)) {
    const finds = result.success
    const tag = finds.length === 0 ? "empty" : "ok"
    const answer: Answered = { method, query, tag, reason: null, at, finds }
    remember(asking, key, answer)
    yield* Metric.update(metrics.lookups(method, tag), 1)
    return answer
  }
  const { failure } = result
  if (failure._tag === "Suspendable") {
    yield* Metric.update(metrics.lookups(method, "suspended"), 1)
    return yield* failure
  }
  const after =
    failure._tag === "Postponed" ? failure.until - at : failure._tag === "Retryable" ? failure.after : undefined
  if (after !== undefined && !last) {
    return yield* new Retryable({ code: failure.code, message: failure.message, after: Math.max(0, after) })
  }
  yield* Metric.update(metrics.lookups(method, "failed"), 1)
  const failed: Answered = {
    method,
    query,
    tag: "failed",
    reason: `${failure.code}: ${failure.message}`,
    at,
    finds: []
  }
  return failed
})

/** All questions of one message, in their order, as many at a time as the adaptive rule can ever allow. */
export const answersOf = (asking: Asking, lookups: ReadonlyArray<Lookup>, last: boolean) =>
  Effect.forEach(lookups, (lookup) => answerOf(asking, lookup, last), { concurrency: concurrency.most })
