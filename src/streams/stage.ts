import { Cause, Clock, Duration, Effect, Metric, type Option, Random, type Result } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { type BadData, Fatal, type Postponed, type Retryable, type StageError, Unavailable } from "../domain/errors.ts"
import { backoff, type RetryPolicy, suspendedUntil } from "../domain/job.ts"
import { type StageLabel, stageSeconds } from "../domain/metrics.ts"
import { lookAgainMs, waitOut } from "../domain/outage.ts"
import type { Delivery, Settlement } from "../domain/ports.ts"
import { type DeadLetter, type Outgoing, paceHeader, type Topic } from "../domain/topics.ts"

/** One piece of work: a decoded value and the delivery that carries it through every chained stage. */
export interface Work<I> extends Delivery {
  readonly value: I
}

/** `Option.none`: the work ends here, and well (a page nobody wants, an unchanged feed). */
export interface Outcome<I, O> {
  readonly work: Work<I>
  readonly result: Result.Result<Option.Option<O>, StageError | Postponed>
}

/** Every stage has this type: failure is a value, so that one bad page never ends a stream. */
export interface Stage<I, O, Needs> {
  /** Pieces of work at once. */
  readonly concurrency: number
  readonly run: (work: Work<I>) => Effect.Effect<Outcome<I, O>, never, Needs>
}

const pause = Duration.millis(lookAgainMs)

const isUnavailable = <E>(error: E): error is Extract<E, Unavailable> => error instanceof Unavailable

const untilAnswered = <A, E, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Extract<E, Unavailable>>, R> =>
  Effect.andThen(
    Effect.sleep(pause),
    Effect.catchIf(call, isUnavailable<E>, () => Effect.suspend(() => untilAnswered(call)), Effect.fail)
  )

/**
 * Waits until the dependency answers again: the stage pauses, no attempt is counted, nothing is done twice. Plain recursion: what
 * is called some twenty times a page pays for a schedule only when something fails.
 */
export const steadfast = <A, E, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Extract<E, Unavailable>>, R> =>
  Effect.catchIf(call, isUnavailable<E>, (error) => waitOut(error, untilAnswered(call)), Effect.fail)

/** A write to a store: waits while it is down; what it can never take is Fatal, so its input becomes a dead letter. */
export const stored = <A, R>(write: Effect.Effect<A, BadData | Unavailable, R>): Effect.Effect<A, Fatal, R> =>
  steadfast(write).pipe(
    Effect.catchTag("BadData", (bad) => Effect.fail(new Fatal({ code: "bad_data", message: bad.message })))
  )

const timed = <A, E, R>(name: StageLabel, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.currentTimeMillis, (start) =>
    Effect.onExit(work, () =>
      Effect.flatMap(Clock.currentTimeMillis, (end) => Metric.update(stageSeconds(name), (end - start) / 1000))
    )
  )

/** A defect is our own fault: its input is kept as a dead letter instead of ending the stream. */
const settled = <I, O, R>(
  name: StageLabel,
  work: Work<I>,
  done: Effect.Effect<Option.Option<O>, StageError | Postponed | Unavailable, R>
) =>
  timed(name, steadfast(done)).pipe(
    Effect.catchDefect((defect) =>
      Effect.fail(new Fatal({ code: "defect", message: Cause.pretty(Cause.die(defect)).slice(0, 2000) }))
    ),
    Effect.result,
    Effect.map((result): Outcome<I, O> => ({ work, result }))
  )

/** Makes a stage of one effect per piece of work. */
export const stage = <I, O, R>(
  name: StageLabel,
  concurrency: number,
  work: (work: Work<I>) => Effect.Effect<Option.Option<O>, StageError | Postponed | Unavailable, R>
): Stage<I, O, R> => ({ concurrency, run: (it) => settled(name, it, work(it)) })

/** Where a failed input goes and with what: a stage may ask for an earlier topic (a truncated page is fetched again). */
export interface Requeue {
  readonly topic: Topic
  readonly key: string
  readonly payload: unknown
}

export interface Routing {
  readonly stage: string
  readonly retry: RetryPolicy
  /** `charged`: the input counts as an attempt. */
  readonly requeue: (charged: boolean) => Requeue
}

const wait = (policy: RetryPolicy, attempt: number, draw: number, error: Retryable): number =>
  Duration.toMillis(backoff(policy, attempt, draw, Duration.millis(error.after ?? 0)))

const again = (delivery: Delivery, routing: Routing, charged: boolean, not_before: Millis, now: Millis): Outgoing => {
  const { envelope } = delivery
  const attempt = envelope.attempt + (charged ? 1 : 0)
  // Its next due time has a reason of its own.
  const { [paceHeader]: _, ...headers } = envelope.headers
  return {
    ...envelope,
    headers,
    ...routing.requeue(charged),
    id: `${envelope.id.split("~")[0]}~${routing.stage}.${attempt}.${now.toString(36)}`,
    occurred_at: envelope.occurred_at,
    attempt,
    not_before
  }
}

/** The dead letter of an input: its bytes as they would travel, and why. */
const deadLetter = (
  delivery: Delivery,
  stageName: string,
  error: { readonly code: string; readonly message: string },
  bytes: string,
  at: Millis
): DeadLetter => ({
  id: `${delivery.envelope.id}~${stageName}`,
  topic: delivery.envelope.topic,
  key: delivery.envelope.key,
  stage: stageName,
  code: error.code,
  message: error.message,
  bytes,
  attempts: delivery.envelope.attempt + 1,
  at
})

/** The end of a delivery whose input goes to the dead letters as it came. */
export const burial = (
  delivery: Delivery,
  stageName: string,
  error: { readonly code: string; readonly message: string }
): Effect.Effect<Settlement> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    receipt: delivery.receipt,
    publish: [],
    dead: [deadLetter(delivery, stageName, error, JSON.stringify(delivery.envelope), now)]
  }))

/**
 * The one place that routes the channels: Retryable → again after a wait, Suspendable → parked until an operator
 * resumes it, Postponed → due later, Fatal (and retries used up) → dead letter. Each is stored with the
 * acknowledgement of its delivery.
 */
export const route = Effect.fnUntraced(function* (
  delivery: Delivery,
  error: StageError | Postponed,
  routing: Routing
): Effect.fn.Return<Settlement> {
  const now = yield* Clock.currentTimeMillis
  const draw = yield* Random.next
  const { receipt } = delivery
  const requeue = (charged: boolean, due: Millis): Settlement => ({
    receipt,
    publish: [again(delivery, routing, charged, due, now)],
    dead: []
  })
  const bury = (code: string, message: string): Settlement => {
    const back = routing.requeue(false)
    // The whole envelope, as it would travel again: a replay needs nothing else.
    const bytes = JSON.stringify({ ...delivery.envelope, ...back })
    const letter = deadLetter(delivery, routing.stage, { code, message }, bytes, now)
    return { receipt, publish: [], dead: [{ ...letter, topic: back.topic, key: back.key }] }
  }
  switch (error._tag) {
    case "Postponed":
      return requeue(false, Math.max(now, error.until))
    case "Suspendable":
      return requeue(false, suspendedUntil)
    case "Fatal":
      return bury(error.code, error.message)
    case "Retryable": {
      const attempt = delivery.envelope.attempt + 1
      if (attempt > routing.retry.attempts)
        return bury("exhausted", `${attempt} attempts: ${error.code}: ${error.message}`)
      return requeue(true, now + wait(routing.retry, attempt, draw, error))
    }
  }
})
