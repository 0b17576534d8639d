import { Duration } from "effect"
import type { Millis } from "./crawl.ts"

/** How one kind of work is retried: `base` doubled per attempt, at most `cap`, at most `attempts` retries. */
export interface RetryPolicy {
  readonly base: Duration.Duration
  readonly cap: Duration.Duration
  readonly attempts: number
  /** Share of the wait that is drawn at random, 0..1, so that retries of one outage spread out. */
  readonly jitter: number
}

/** @source settled 11: fetch 5 s × 2ⁿ up to 5 min with jitter. */
export const fetchRetry: RetryPolicy = { base: Duration.seconds(5), cap: Duration.minutes(5), attempts: 5, jitter: 0.2 }
/** Stages after the fetcher: their input is stored, so a retry costs nobody outside. */
export const stageRetry: RetryPolicy = { base: Duration.seconds(5), cap: Duration.minutes(5), attempts: 5, jitter: 0.2 }

/**
 * Wait before retry number `attempt` (1 is the first). `draw` is a random number in [0, 1); `after` the least wait the
 * other side asked for: the larger wins.
 * @source settled 11
 * @example backoff(fetchRetry, 3, 0) // => Duration.seconds(20)
 */
export const backoff = (
  policy: RetryPolicy,
  attempt: number,
  draw: number,
  after: Duration.Duration = Duration.zero
): Duration.Duration => {
  const doubled = Duration.toMillis(policy.base) * 2 ** (attempt - 1)
  const capped = Math.min(doubled, Duration.toMillis(policy.cap))
  return Duration.max(Duration.millis(Math.round(capped * (1 + policy.jitter * draw))), after)
}

/** The instant nobody reaches: a message due then waits for an operator. */
export const suspendedUntil: Millis = Date.UTC(9999, 0, 1)

/**
 * A message that was being worked on when its holder died this often is under suspicion: it is worked on alone among its
 * kind, so that the next crash tells the guilty one from those that were only near it.
 */
export const suspectFrom = 3
/**
 * Begun this often without an outcome: dead letter `crash_loop`. Three times others were as suspect; five times it was
 * worked on alone, and its holder died each time.
 */
export const crashesMax = suspectFrom + 5
