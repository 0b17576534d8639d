import { Schema } from "effect"
import { AiJob, AiJobStatus, AiJobType, ResumeReason } from "../../domain/ai/job.ts"
import { Id, Limit } from "./answers.ts"
import { operation } from "./operation.ts"

const optional = Schema.optionalKey

/** Whether jobs may run now, for the whole fleet. */
export const Provider = Schema.Struct({
  /** The code that closed the provider; null: it is open. */
  closed_by: Schema.NullOr(Schema.String),
  next_probe_at: Schema.NullOr(Schema.String),
  spent_today_usd: Schema.Finite,
  /** 0: no bound. */
  budget_usd: Schema.Finite,
  /** True: today's budget is spent, so pending jobs wait for tomorrow. */
  waits_for_budget: Schema.Boolean
})

/** AI jobs (S3.19, S3.20). */
export const jobOperations = {
  "jobs.list": operation("GET", "/ai/jobs", "read", "AI jobs by id, and whether they may run; page with `after`.", {
    input: {
      status: optional(AiJobStatus),
      type: optional(AiJobType),
      article: optional(Id),
      after: optional(Id),
      limit: optional(Limit)
    },
    output: Schema.Struct({ jobs: Schema.Array(AiJob), next: Schema.NullOr(Schema.String), provider: Provider })
  }),
  "jobs.show": operation("GET", "/ai/jobs/:id", "read", "One AI job with its result.", {
    input: { id: Id },
    output: Schema.Struct({ ...AiJob.fields, result: Schema.Unknown, flags: Schema.Array(Schema.String) })
  }),
  "jobs.resume": operation("POST", "/admin/ai/jobs/:id/resume", "admin", "Let a suspended job run again.", {
    input: { id: Id },
    output: AiJob,
    query: true
  }),
  "jobs.resumeAll": operation("POST", "/admin/ai/jobs/resume", "admin", "Let jobs suspended for a reason run again.", {
    input: { reason: ResumeReason },
    output: Schema.Struct({ resumed: Schema.Int }),
    query: true
  }),
  "jobs.cancel": operation("POST", "/admin/ai/jobs/:id/cancel", "admin", "End a job that is not done.", {
    input: { id: Id },
    output: AiJob,
    query: true
  })
} as const
