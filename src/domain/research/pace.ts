import { Duration } from "effect"
import type { RetryPolicy } from "../job.ts"

/** Waits between the tries of one question to a discovery source: 1, 2, 4, 8 s (S5.28, settled 11). */
export const lookupRetry: RetryPolicy = {
  base: Duration.seconds(1),
  cap: Duration.seconds(8),
  attempts: 4,
  jitter: 0
}
/** A whole message: three retries, then the dead letters (S5.20). */
export const messageRetry: RetryPolicy = { ...lookupRetry, attempts: 3 }

/** Requests in flight: where it starts and its bounds (S5.27). */
export const concurrency = { start: 10, least: 5, most: 50 } as const

/**
 * Requests judged at once. Smaller, and chance alone would move a source whose error rate lies between the two limits; larger, and
 * an outage is noticed late.
 */
export const windowSize = 200

export interface Pace {
  /** As the rule computes it; `permitsOf` rounds it down. */
  readonly concurrency: number
  readonly requests: number
  readonly errors: number
}
export const startPace: Pace = { concurrency: concurrency.start, requests: 0, errors: 0 }

/**
 * The rule itself: errors over 5 % → ×0.8, at least 5; under 1 % → ×1.2, at most 50; else as it is.
 * @source S5.27
 * @example adapt(10, 0) // => 12
 */
export const adapt = (current: number, errorRate: number): number =>
  errorRate > 0.05
    ? Math.max(concurrency.least, current * 0.8)
    : errorRate < 0.01
      ? Math.min(concurrency.most, current * 1.2)
      : current

/** One more answered request; every `windowSize` of them the rule speaks and counting starts anew. */
export const observed = (pace: Pace, failed: boolean): Pace => {
  const requests = pace.requests + 1
  const errors = pace.errors + (failed ? 1 : 0)
  return requests < windowSize
    ? { ...pace, requests, errors }
    : { concurrency: adapt(pace.concurrency, errors / requests), requests: 0, errors: 0 }
}
export const permitsOf = ({ concurrency: current }: Pace): number => Math.floor(current)
