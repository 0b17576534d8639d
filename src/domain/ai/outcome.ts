import { Duration } from "effect"
import { backoff, type RetryPolicy } from "../job.ts"
import { type AiCode, channelOf } from "./codes.ts"
import { type AiJob, badOutputsMax } from "./job.ts"
import type { AiOutcome } from "./ports.ts"

/** Why a run of a job brought no result. `after`: the least wait the provider asked for, ms. */
export interface RunFailure {
  readonly code: AiCode
  readonly message: string
  readonly after: number | null
}

/** Longest message that is kept. */
const messageMax = 1000

/**
 * What becomes of a job whose run failed. Of backoff and Retry-After the larger wins; attempts and unusable answers are
 * counted apart, and either may be used up.
 * @source S3.15–S3.18, settled 11
 */
export const outcomeOf = (job: AiJob, failure: RunFailure, policy: RetryPolicy, now: number): AiOutcome => {
  const message = failure.message.slice(0, messageMax)
  const { code } = failure
  const channel = channelOf(code)
  if (channel === "suspend") return { tag: "suspend", code, message }
  if (channel === "fatal") return { tag: "fail", code, message }
  const retry_count = job.retry_count + 1
  const bad_outputs = job.bad_outputs + (channel === "output" ? 1 : 0)
  if (retry_count > job.max_retries || bad_outputs > badOutputsMax) return { tag: "fail", code, message }
  const wait = backoff({ ...policy, jitter: 0 }, retry_count, 0, Duration.millis(failure.after ?? 0))
  return { tag: "retry", code, message, next_run_at: now + Duration.toMillis(wait), retry_count, bad_outputs }
}

/** How a job is asked after unusable answers: with twice the room each time, and half the input when it was too long. */
export const roomOf = (
  job: Pick<AiJob, "bad_outputs" | "last_error_code">,
  limits: { readonly outputTokensMax: number; readonly inputCharsMax: number }
): { readonly outputTokensMax: number; readonly inputCharsMax: number } => {
  const factor = 2 ** job.bad_outputs
  return {
    outputTokensMax: limits.outputTokensMax * factor,
    inputCharsMax: job.last_error_code === "too_long" ? Math.floor(limits.inputCharsMax / factor) : limits.inputCharsMax
  }
}

/** Midnight UTC before an instant: a day's budget begins there. */
export const dayStart = (now: number): number => Math.floor(now / 86_400_000) * 86_400_000
