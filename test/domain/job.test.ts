import { expect, test } from "bun:test"
import { Duration, Schema } from "effect"
import { backoff, crashesMax, fetchRetry, type RetryPolicy, stageRetry, suspectFrom } from "../../src/domain/job.ts"
import { law } from "../support/law.ts"

const seconds = (policy: RetryPolicy, attempt: number, draw: number, after?: Duration.Duration) =>
  Duration.toSeconds(backoff(policy, attempt, draw, after))

test("the example of the docstring holds", () => {
  expect(backoff(fetchRetry, 3, 0)).toEqual(Duration.seconds(20))
})

test("a fetch is retried after 5 s, doubling to 5 min (settled 11)", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((attempt) => seconds(fetchRetry, attempt, 0))
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test("one policy type, several settings: AI 30 s to 10 min, research 1 to 8 s (S3.16, S5.28)", () => {
  const ai: RetryPolicy = { base: Duration.seconds(30), cap: Duration.seconds(600), attempts: 5, jitter: 0 }
  const research: RetryPolicy = { base: Duration.seconds(1), cap: Duration.seconds(8), attempts: 3, jitter: 0 }
  expect([1, 2, 3, 4, 5, 6].map((attempt) => seconds(ai, attempt, 0.9))).toEqual([30, 60, 120, 240, 480, 600])
  expect([1, 2, 3, 4, 5].map((attempt) => seconds(research, attempt, 0.9))).toEqual([1, 2, 4, 8, 8])
})

test("the draw adds at most the policy's share", () => {
  expect(seconds(fetchRetry, 1, 0.5)).toBe(5.5)
  expect(seconds(fetchRetry, 7, 0.5)).toBe(330)
})

test("the wait the other side asked for holds where it is longer", () => {
  expect(seconds(fetchRetry, 1, 0, Duration.minutes(20))).toBe(1200)
  expect(seconds(fetchRetry, 3, 0, Duration.seconds(1))).toBe(20)
})

test("retries end, and so do crashes", () => {
  expect([fetchRetry.attempts, stageRetry.attempts, crashesMax - suspectFrom]).toEqual([5, 5, 5])
})

const Case = Schema.Struct({
  attempt: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2000 })),
  draw: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999_999 })),
  after: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))
})

law("no wait of ours exceeds the cap and its jitter", Case, ({ attempt, draw }) =>
  [fetchRetry, stageRetry].every(
    (policy) => seconds(policy, attempt, draw) <= Duration.toSeconds(policy.cap) * (1 + policy.jitter)
  )
)
law("no wait is shorter than the base or what was asked for", Case, ({ attempt, draw, after }) => {
  const wait = seconds(fetchRetry, attempt, draw, Duration.seconds(after))
  return wait >= 5 && wait >= after
})
law(
  "a later attempt never waits less at the same draw",
  Case,
  ({ attempt, draw }) => seconds(fetchRetry, attempt + 1, draw) >= seconds(fetchRetry, attempt, draw)
)
