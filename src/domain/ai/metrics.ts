import { Metric } from "effect"
import type { AiCode } from "./codes.ts"
import { type AiJobStatus, AiJobType } from "./job.ts"

/** What AI work counts (S3.26). Every label comes from a closed set. */
const results = ["success", "retry", "suspended", "failed", "released", "fenced"] as const
export type AiJobResult = (typeof results)[number]
const enqueueResults = ["new", "known"] as const

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const enqueued = counter("ai_jobs_enqueued_total", "AI jobs asked for, and whether they were new.")
/** `ai_jobs_enqueued_total{type,result}` */
export const aiEnqueued = (type: AiJobType, result: (typeof enqueueResults)[number]) =>
  Metric.withAttributes(enqueued, { type, result })

const processed = counter("ai_jobs_processed_total", "Runs of AI jobs, by how they ended.")
/** `ai_jobs_processed_total{type,result,error_code}` */
export const aiProcessed = (type: AiJobType, result: AiJobResult, error_code: AiCode | "none") =>
  Metric.withAttributes(processed, { type, result, error_code })

const duration = Metric.histogram("ai_job_duration_seconds", {
  description: "One run of an AI job.",
  boundaries: [0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 60]
})
/** `ai_job_duration_seconds{type}` */
export const aiJobSeconds = (type: AiJobType) => Metric.withAttributes(duration, { type })

const queue = Metric.gauge("ai_jobs_queue_size", { description: "AI jobs by type and state." })
/** `ai_jobs_queue_size{type,status}`, refreshed when the metrics are read. */
export const aiQueueSize = (type: AiJobType, status: AiJobStatus) => Metric.withAttributes(queue, { type, status })
/** `ai_jobs_oldest_pending_seconds` */
export const aiOldestPending = Metric.gauge("ai_jobs_oldest_pending_seconds", {
  description: "Age of the oldest pending AI job."
})

/** `ai_articles_completed_total`: articles whose last job succeeded. */
export const aiCompleted = counter("ai_articles_completed_total", "Articles with all five results.")
/** `ai_sweeper_recovered_total` */
export const aiRecovered = counter("ai_sweeper_recovered_total", "AI jobs taken back from workers that died or hang.")
/** `ai_fenced_writes_total`: outcomes of workers that had lost their lease. */
export const aiFenced = counter("ai_fenced_writes_total", "Outcomes refused because the lease had gone to another.")

const requests = counter("openai_api_requests_total", "Calls of the model, by outcome.")
/** `openai_api_requests_total{result}`: `ok` or the code of the failure. */
export const modelRequests = (result: AiCode | "ok") => Metric.withAttributes(requests, { result })
/** `openai_api_latency_seconds` */
export const modelSeconds = Metric.histogram("openai_api_latency_seconds", {
  description: "Time of one call of the model.",
  boundaries: [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60]
})
const tokens = counter("openai_tokens_total", "Tokens of the model's calls.")
/** `openai_tokens_total{kind}` */
export const modelTokens = (kind: "input" | "output") => Metric.withAttributes(tokens, { kind })
/** `openai_cost_usd_total` */
export const modelCost = Metric.counter("openai_cost_usd_total", {
  description: "Cost of the model's calls, US dollars."
})
/** `ai_cache_hits_total` */
export const aiCacheHits = counter("ai_cache_hits_total", "Jobs answered by a stored result of the same question.")

const ruleResults = ["asked", "refused", "enabled", "waits", "drifted"] as const
const rules = counter(
  "rule_learning_total",
  "Parsing rules by a model: asked for, refused, enabled, kept for an operator, disabled by drift."
)
/** `rule_learning_total{result}` */
export const ruleLearning = (result: (typeof ruleResults)[number]) => Metric.withAttributes(rules, { result })

/** Counters that start at zero, so that a rate sees their first increment. */
export const aiInitial = [
  ...AiJobType.literals.flatMap((type) => enqueueResults.map((result) => aiEnqueued(type, result))),
  ...AiJobType.literals.map((type) => aiProcessed(type, "success", "none")),
  ...ruleResults.map(ruleLearning),
  modelRequests("ok"),
  modelTokens("input"),
  modelTokens("output"),
  modelCost,
  aiCompleted,
  aiRecovered,
  aiFenced,
  aiCacheHits
]
