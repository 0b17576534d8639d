import { Clock, Effect, Metric, Option } from "effect"
import { aiEnqueued } from "../domain/ai/metrics.ts"
import { AiJobs, AiPolicy, Prompts } from "../domain/ai/ports.ts"
import type { ArticleRef } from "../domain/flow.ts"
import { stored } from "./stage.ts"

/**
 * A summary is asked for, once per article and prompt version, if the article is long enough (S3.8). Does nothing where no
 * AI work is set up. Repeated after a crash it is the same job.
 */
export const offerSummary = Effect.fnUntraced(function* (article: ArticleRef) {
  const jobs = yield* Effect.serviceOption(AiJobs)
  const policy = yield* Effect.serviceOption(AiPolicy)
  const prompts = yield* Effect.serviceOption(Prompts)
  if (Option.isNone(jobs) || Option.isNone(policy) || Option.isNone(prompts)) return
  const { charsMin, enqueues, retry } = policy.value
  if (!enqueues || article.saved === "duplicate" || (article.chars ?? 0) < charsMin) return
  const requested_at = yield* Clock.currentTimeMillis
  const { type, version } = prompts.value.SUMMARY
  const job = { article_id: article.id, type, prompt_version: version, max_retries: retry.attempts, requested_at }
  const fresh = yield* stored(jobs.value.enqueue([job]))
  yield* Metric.update(aiEnqueued(type, fresh > 0 ? "new" : "known"), 1)
})
