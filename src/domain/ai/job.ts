import { Schema } from "effect"
import { Millis } from "../crawl.ts"
import { AiCode } from "./codes.ts"

/** The five kinds of work on an article (S3.9), and a parsing rule for a host: its job has the host where others have an article. */
export const AiJobType = Schema.Literals([
  "SUMMARY",
  "TERM_CARDS",
  "INSIGHT",
  "QUIZ_CONTENT",
  "QUIZ_TERM",
  "PARSING_RULE"
])
export type AiJobType = typeof AiJobType.Type

/** @source S3.13 */
export const AiJobStatus = Schema.Literals(["PENDING", "RUNNING", "SUCCESS", "FAILED", "RETRY_WAIT", "SUSPENDED"])
export type AiJobStatus = typeof AiJobStatus.Type

/** Why an operator resumes suspended jobs in bulk. @source S3.20 */
export const ResumeReason = Schema.Literals(["QUOTA", "AUTH"])
export type ResumeReason = typeof ResumeReason.Type

/** What a job needs first, and what its success leads to: a tree, each step after its predecessor's success. */
export const followUps: Readonly<Record<AiJobType, ReadonlyArray<AiJobType>>> = {
  SUMMARY: ["TERM_CARDS", "INSIGHT", "QUIZ_CONTENT"],
  TERM_CARDS: ["QUIZ_TERM"],
  INSIGHT: [],
  QUIZ_CONTENT: [],
  QUIZ_TERM: [],
  PARSING_RULE: []
}

/** Whose result a job reads; null: it reads the article. @source REQUIREMENTS, "AI results" */
export const readsFrom: Readonly<Record<AiJobType, AiJobType | null>> = {
  SUMMARY: null,
  TERM_CARDS: "SUMMARY",
  INSIGHT: "SUMMARY",
  QUIZ_CONTENT: "SUMMARY",
  QUIZ_TERM: "TERM_CARDS",
  PARSING_RULE: null
}

/** What can happen to a job. */
export type AiEvent =
  | "claim"
  | "succeed"
  | "retry"
  | "suspend"
  | "fail"
  | "release"
  | "lease_lost"
  | "stuck"
  | "due"
  | "resume"
  | "cancel"

/**
 * States and transitions. What is not in the table does not happen: the statements of the store have these states as
 * their conditions.
 * @source S3.13–S3.18
 */
export const transitions: Readonly<Record<AiJobStatus, Partial<Readonly<Record<AiEvent, AiJobStatus>>>>> = {
  PENDING: { claim: "RUNNING", cancel: "FAILED" },
  RUNNING: {
    succeed: "SUCCESS",
    retry: "RETRY_WAIT",
    suspend: "SUSPENDED",
    fail: "FAILED",
    // Handed back unworked: a drain, a spent budget, a closed gate.
    release: "PENDING",
    lease_lost: "RETRY_WAIT",
    stuck: "RETRY_WAIT",
    cancel: "FAILED"
  },
  RETRY_WAIT: { due: "PENDING", cancel: "FAILED" },
  SUSPENDED: { resume: "PENDING", cancel: "FAILED" },
  SUCCESS: {},
  FAILED: {}
}

/** @example next("PENDING", "claim") // => "RUNNING" */
export const next = (from: AiJobStatus, event: AiEvent): AiJobStatus | null => transitions[from][event] ?? null

/** One row of `ai_jobs`. @source REQUIREMENTS, "AI job row" */
export const AiJob = Schema.Struct({
  id: Schema.String,
  article_id: Schema.String,
  type: AiJobType,
  prompt_version: Schema.String,
  /** The model that gave the result, or the one last asked. */
  model: Schema.NullOr(Schema.String),
  status: AiJobStatus,
  retry_count: Schema.Int,
  /** Answers that could not be used; counted apart, since more than two of them are fatal. */
  bad_outputs: Schema.Int,
  max_retries: Schema.Int,
  next_run_at: Schema.NullOr(Millis),
  running_started_at: Schema.NullOr(Millis),
  last_error_code: Schema.NullOr(AiCode),
  last_error_message: Schema.NullOr(Schema.String),
  requested_at: Millis,
  started_at: Schema.NullOr(Millis),
  finished_at: Schema.NullOr(Millis),
  /** Numbers the claims of this job; every later write must name the latest. */
  lease_epoch: Schema.Int
})
export type AiJob = typeof AiJob.Type

/** Leases that may run out without an outcome before a job is given up (`crash_loop`): each time its worker died. */
export const crashesMax = 5
/** Unusable answers that are asked for again, each with more room or a shorter input. @source REQUIREMENTS, "AI error codes" */
export const badOutputsMax = 2
