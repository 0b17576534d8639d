import { Context, type Duration, type Effect } from "effect"
import type { Millis } from "../crawl.ts"
import type { BadData, Unavailable } from "../errors.ts"
import type { RetryPolicy } from "../job.ts"
import type { Prompt } from "../prompt.ts"
import type { Answer } from "./answer.ts"
import type { AiCode } from "./codes.ts"
import type { AiJob, AiJobStatus, AiJobType, ResumeReason } from "./job.ts"

/** A job to be: asked for twice, it is one. */
export interface NewAiJob {
  readonly article_id: string
  readonly type: AiJobType
  readonly prompt_version: string
  readonly max_retries: number
  readonly requested_at: Millis
}

/** One claim of a job: what a later write must name. */
export interface AiReceipt {
  readonly id: string
  readonly epoch: number
}

/** What one call cost, whatever came of its answer. */
export interface AiUsage {
  /** Job, epoch and number of the call: the same call is counted once. */
  readonly id: string
  readonly job_id: string
  readonly type: AiJobType
  readonly host: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number
  readonly latency_ms: number
  readonly at: Millis
}

/** How a run of a job ended. `result` null: nothing to keep. */
export type AiOutcome =
  | {
      readonly tag: "success"
      readonly result: unknown
      readonly flags: ReadonlyArray<string>
      readonly cache_key: string | null
      readonly followUps: ReadonlyArray<NewAiJob>
    }
  | {
      readonly tag: "retry"
      readonly code: AiCode
      readonly message: string
      readonly next_run_at: Millis
      /** What is counted: an attempt, and beside it an unusable answer. */
      readonly retry_count: number
      readonly bad_outputs: number
    }
  | { readonly tag: "suspend" | "fail"; readonly code: AiCode; readonly message: string }
  /** Handed back unworked: nothing is counted. */
  | { readonly tag: "release" }

export interface AiSettlement {
  readonly receipt: AiReceipt
  readonly model: string | null
  readonly outcome: AiOutcome
  readonly usage: ReadonlyArray<AiUsage>
}

export interface AiJobQuery {
  readonly status?: AiJobStatus
  readonly type?: AiJobType
  readonly article_id?: string
  /** Jobs with a larger id, in the order of ids. */
  readonly after?: string
  readonly limit: number
}

/** A stored result with what is known of it. */
export interface AiStored {
  readonly result: unknown
  readonly flags: ReadonlyArray<string>
  readonly model: string
}

/**
 * The table of AI jobs: the truth of who works on what. `claim` is one conditional update that skips rows others hold; every
 * later write names the claim's epoch, so whoever lost a lease changes nothing. Due jobs (RETRY_WAIT) are claimed like
 * pending ones. Results and follow-up jobs are stored in the statement that ends their job.
 */
export class AiJobs extends Context.Service<
  AiJobs,
  {
    /** Answers how many were new. */
    readonly enqueue: (jobs: ReadonlyArray<NewAiJob>) => Effect.Effect<number, Unavailable | BadData>
    readonly claim: (wanted: {
      readonly types: ReadonlyArray<{ readonly type: AiJobType; readonly max: number }>
      readonly limit: number
      readonly now: Millis
    }) => Effect.Effect<ReadonlyArray<AiJob>, Unavailable>
    /** Answers which of them are still held. */
    readonly renew: (receipts: ReadonlyArray<AiReceipt>) => Effect.Effect<ReadonlySet<string>, Unavailable>
    /** Answers per settlement whether it had an effect: false for one whose lease was lost (fenced). */
    readonly settle: (settlements: ReadonlyArray<AiSettlement>) => Effect.Effect<ReadonlyArray<boolean>, Unavailable>
    /** Jobs whose lease ran out wait again, due at once; after `crashesMax` of these a job is given up. */
    readonly recover: (now: Millis) => Effect.Effect<number, Unavailable>
    /** S3.17: RUNNING since before `stuckBefore` → RETRY_WAIT after a backoff; RETRY_WAIT due → PENDING. */
    readonly sweep: (
      now: Millis,
      stuckBefore: Millis,
      backoff: RetryPolicy
    ) => Effect.Effect<{ readonly stuck: number; readonly due: number }, Unavailable>
    /** When the next waiting job is due; null: none waits. */
    readonly nextDue: Effect.Effect<Millis | null, Unavailable>
    /** Ends when there may be new work of this process or, where the store tells, of another. */
    readonly arrival: Effect.Effect<void>
    readonly list: (query: AiJobQuery) => Effect.Effect<ReadonlyArray<AiJob>, Unavailable>
    readonly find: (id: string) => Effect.Effect<AiJob | null, Unavailable>
    /** SUSPENDED → PENDING with no retry counted; audited. Answers the job, or what it is instead; null: unknown. */
    readonly resume: (id: string, actor: string) => Effect.Effect<ResumeAnswer, Unavailable>
    /** Every job suspended for this reason; audited. Answers how many. */
    readonly resumeAll: (reason: ResumeReason, actor: string) => Effect.Effect<number, Unavailable>
    /** Whatever is not at its end → FAILED `cancelled`; audited. */
    readonly cancel: (id: string, actor: string) => Effect.Effect<ResumeAnswer, Unavailable>
    readonly counts: Effect.Effect<
      ReadonlyArray<{
        readonly type: AiJobType
        readonly status: AiJobStatus
        readonly jobs: number
        /** When the oldest of them was asked for. */
        readonly oldest: Millis
      }>,
      Unavailable
    >
    /** The stored result of a job of an article, whichever prompt version gave it last. */
    readonly result: (article_id: string, type: AiJobType) => Effect.Effect<AiStored | null, Unavailable>
    /** A result of the same work: same input, prompt version and model. */
    readonly cached: (key: string) => Effect.Effect<AiStored | null, Unavailable>
  }
>()("crawler/AiJobs") {}

export interface ResumeAnswer {
  readonly changed: boolean
  readonly job: AiJob | null
}

/** What the fleet may do with its provider now. */
export type Pass =
  | { readonly tag: "open" }
  /** Closed by a suspension, and this caller may try one job. */
  | { readonly tag: "probe" }
  | { readonly tag: "closed"; readonly code: string; readonly until: Millis }

/** What was spent, and whether the provider may be called: shared by the whole fleet. */
export class AiLedger extends Context.Service<
  AiLedger,
  {
    /** Cost of all calls since an instant, in US dollars. */
    readonly spent: (since: Millis) => Effect.Effect<number, Unavailable>
    /** One caller a minute gets `probe` after the gate was closed, whoever asks. */
    readonly pass: (now: Millis) => Effect.Effect<Pass, Unavailable>
    /** Looks without taking a probe. */
    readonly look: (now: Millis) => Effect.Effect<Pass, Unavailable>
    readonly close: (code: AiCode, now: Millis) => Effect.Effect<void, Unavailable>
    readonly open: Effect.Effect<void, Unavailable>
  }
>()("crawler/AiLedger") {}

/** Least time between two probes of a closed provider (ms). @source field case B35 */
export const probeEvery = 60_000

/** A call that brought no answer. `after`: the least wait the provider asked for, ms. */
export interface ModelFailure {
  readonly code: AiCode
  readonly message: string
  readonly after: number | null
}

/** A language model: text in, an answer in the form of a schema out. It has no tools, and its words are only text. */
export class Model extends Context.Service<
  Model,
  {
    readonly name: string
    readonly ask: (question: {
      readonly type: AiJobType
      readonly system: string
      readonly user: string
      readonly schema: Readonly<Record<string, unknown>>
      readonly outputTokensMax: number
    }) => Effect.Effect<
      {
        readonly answer: Answer
        readonly model: string
        readonly input_tokens: number
        readonly output_tokens: number
      },
      ModelFailure
    >
  }
>()("crawler/Model") {}

/** The prompts in force, one per job type. */
export class Prompts extends Context.Service<Prompts, Readonly<Record<AiJobType, Prompt>>>()("crawler/Prompts") {}

/** The numbers of AI work; meanings, defaults and reasons stand in `infra/config.ts` under the names in brackets. */
export class AiPolicy extends Context.Service<
  AiPolicy,
  {
    /** Articles get jobs (AI_ENQUEUE), this process works on them (AI_WORKER_ENABLED), it sweeps (AI_SWEEPER_ENABLED). */
    readonly enqueues: boolean
    readonly works: boolean
    readonly sweeps: boolean
    /** Code points an article has at least to be worth a summary (MIN_CONTENT_LENGTH_FOR_AI). @source S3.8 */
    readonly charsMin: number
    /** Jobs of one type taken at once (AI_WORKER_BATCH_SIZE). */
    readonly batch: number
    /** Jobs worked on at once in this process (AI_WORKER_CONCURRENCY). */
    readonly concurrency: number
    /** Six fields: when a worker looks for work that nobody told it of (AI_WORKER_CRON), and the sweeper sweeps. */
    readonly workerCron: string
    readonly sweeperCron: string
    readonly retry: RetryPolicy
    readonly lease: Duration.Duration
    readonly jobTimeout: Duration.Duration
    readonly stuckAfter: Duration.Duration
    readonly outputTokensMax: number
    /** Characters of an article that are sent (AI_INPUT_CHARS). */
    readonly inputCharsMax: number
    /** US dollars a UTC day (AI_BUDGET_DAILY_USD); 0: no bound. */
    readonly budgetUsd: number
    /** Rules are proposed by the model (RULE_LEARNING): after how many pages (…_PAGES), watched over how many (…_DRIFT_PAGES). */
    readonly learning: { readonly enabled: boolean; readonly pages: number; readonly driftPages: number }
    /** US dollars per million tokens (AI_PRICE_INPUT, AI_PRICE_OUTPUT). */
    readonly price: { readonly input: number; readonly output: number }
  }
>()("crawler/AiPolicy") {}
