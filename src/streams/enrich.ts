import { createHash } from "node:crypto"
import { Cause, Clock, Duration, Effect, Metric } from "effect"
import type { AiResult } from "../domain/ai/answer.ts"
import { type AiJob, type AiJobType, followUps, readsFrom } from "../domain/ai/job.ts"
import { AiLocks } from "../domain/ai/locks.ts"
import {
  type AiJobResult,
  aiCacheHits,
  aiCompleted,
  aiFenced,
  aiJobSeconds,
  aiProcessed
} from "../domain/ai/metrics.ts"
import { outcomeOf, type RunFailure, roomOf } from "../domain/ai/outcome.ts"
import { AiJobs, AiLedger, type AiOutcome, AiPolicy, type AiUsage, Model, Prompts } from "../domain/ai/ports.ts"
import { decodeResult } from "../domain/ai/stored.ts"
import type { Article } from "../domain/article.ts"
import { Pages } from "../domain/ports.ts"
import { articleMaterial, type Material, resultMaterial } from "../domain/prompt.ts"
import { answerTo, type Given, mayAsk, type Question } from "./answering.ts"
import { type LearningNeeds, learnRule } from "./learning.ts"
import { steadfast } from "./stage.ts"

type Needs = AiJobs | AiLedger | AiPolicy | Model | Prompts | Pages

const failure = (code: RunFailure["code"], message: string) => Effect.fail<RunFailure>({ code, message, after: null })

const articleOf = Effect.fnUntraced(function* (job: AiJob): Effect.fn.Return<Article, RunFailure, Pages> {
  const pages = yield* Pages
  const [article] = yield* steadfast(pages.articles({ ids: [job.article_id], limit: 1 }))
  return article ?? (yield* failure("input_missing", `there is no article ${job.article_id}`))
})

/** What a job reads: its article, or what its predecessor made of it. */
const materialOf = Effect.fnUntraced(function* (
  job: AiJob,
  article: Article,
  inputCharsMax: number
): Effect.fn.Return<Material, RunFailure, AiJobs> {
  const before: AiJobType | null = readsFrom[job.type]
  if (before === null) return articleMaterial(article, inputCharsMax)
  const jobs = yield* AiJobs
  const stored = yield* steadfast(jobs.result(job.article_id, before))
  const result = stored === null ? null : decodeResult(before, stored.result)
  const material = result === null ? null : resultMaterial(result)
  return material ?? (yield* failure("input_missing", `there is no result of ${before}`))
})

const questionOf = Effect.fnUntraced(function* (job: AiJob) {
  const policy = yield* AiPolicy
  const prompt = (yield* Prompts)[job.type]
  const article = yield* articleOf(job)
  const room = roomOf(job, policy)
  const material = yield* materialOf(job, article, room.inputCharsMax)
  const { outputTokensMax } = room
  const question: Question = { job, prompt, material, language: article.language, host: article.host, outputTokensMax }
  return question
})

/** The same words under the same prompt to the same model are the same question, whatever article they came from. */
export const cacheKey = ({ prompt, material, language }: Question, model: string): string =>
  createHash("sha256")
    .update([prompt.type, prompt.version, model, language ?? "", material.text].join("\n"))
    .digest("hex")

const fromCache = Effect.fnUntraced(function* (type: AiJobType, key: string) {
  const jobs = yield* AiJobs
  const stored = yield* steadfast(jobs.cached(key))
  const result: AiResult | null = stored === null ? null : decodeResult(type, stored.result)
  if (stored === null || result === null) return null
  yield* Metric.update(aiCacheHits, 1)
  const given: Given = { result, flags: stored.flags, model: stored.model }
  return given
})

const success = Effect.fnUntraced(function* (job: AiJob, given: Given, key: string) {
  const prompts = yield* Prompts
  const requested_at = yield* Clock.currentTimeMillis
  const next = followUps[job.type].map((type) => {
    const { version } = prompts[type]
    return { article_id: job.article_id, type, prompt_version: version, max_retries: job.max_retries, requested_at }
  })
  const outcome: AiOutcome = {
    tag: "success",
    result: given.result,
    flags: given.flags,
    cache_key: key,
    followUps: next
  }
  return { outcome, model: given.model }
})

interface Run {
  readonly outcome: AiOutcome
  readonly model: string | null
}

/** Asks the model, unless the gate has been closed since the job was claimed: then the job goes back unworked. */
const asked = Effect.fnUntraced(function* (
  question: Question,
  probing: boolean,
  usage: Array<AiUsage>
): Effect.fn.Return<Given | null, RunFailure, Needs> {
  if (!(yield* mayAsk(probing))) return null
  return yield* answerTo(question, (it) => void usage.push(it))
})

const run = Effect.fnUntraced(function* (
  job: AiJob,
  probing: boolean,
  usage: Array<AiUsage>
): Effect.fn.Return<Run, RunFailure, Needs | LearningNeeds> {
  if (job.type === "PARSING_RULE") return yield* learnRule(job, probing, (it) => void usage.push(it))
  const question = yield* questionOf(job)
  const key = cacheKey(question, (yield* Model).name)
  const known = yield* fromCache(job.type, key)
  if (known !== null) return yield* success(job, known, key)
  const given = yield* asked(question, probing, usage)
  return given === null ? { outcome: { tag: "release" }, model: null } : yield* success(job, given, key)
})

/** A failure as an outcome. A suspension closes the gate for the whole fleet before anything else is tried. */
const failed = Effect.fnUntraced(function* (job: AiJob, error: RunFailure) {
  const { retry } = yield* AiPolicy
  const ledger = yield* AiLedger
  const now = yield* Clock.currentTimeMillis
  const outcome = outcomeOf(job, error, retry, now)
  if (outcome.tag === "suspend") {
    yield* steadfast(ledger.close(error.code, now))
    yield* Effect.logWarning(`the model cannot be used (${error.code}): ${error.message}`)
  }
  const result: Run = { outcome, model: null }
  return result
})

/** A job that somebody else is still at waits until that must be over; nothing is counted against it. */
const alone = Effect.fnUntraced(function* <E, R>(job: AiJob, work: Effect.Effect<Run, E, R>) {
  const { jobTimeout } = yield* AiPolicy
  const locks = yield* AiLocks
  const lock = yield* locks.take(job.id, Duration.toMillis(jobTimeout))
  if (lock.tag === "taken") return yield* Effect.ensuring(work, locks.release(job.id, lock.token))
  const { bad_outputs, retry_count } = job
  const next_run_at = (yield* Clock.currentTimeMillis) + lock.for_ms
  const message = "another worker is still at it"
  const waits: Run = {
    outcome: { tag: "retry", code: "lease_lost", message, next_run_at, retry_count, bad_outputs },
    model: null
  }
  return waits
})

const resultLabels = {
  success: "success",
  retry: "retry",
  suspend: "suspended",
  fail: "failed",
  release: "released"
} as const satisfies Record<AiOutcome["tag"], AiJobResult>

const counted = Effect.fnUntraced(function* (job: AiJob, outcome: AiOutcome, effective: boolean) {
  const code = "code" in outcome ? outcome.code : "none"
  yield* Metric.update(aiProcessed(job.type, effective ? resultLabels[outcome.tag] : "fenced", code), 1)
  if (!effective) yield* Metric.update(aiFenced, 1)
  if (effective && outcome.tag === "success" && job.type === "QUIZ_TERM") yield* Metric.update(aiCompleted, 1)
})

/**
 * One run of one job, from its claim to its stored outcome. A defect of ours is a Fatal outcome of this job; a run over
 * its time is a retry; an outcome whose lease was lost changes nothing and is counted as fenced.
 */
export const enrichOne = Effect.fnUntraced(function* (job: AiJob, probing: boolean) {
  const { jobTimeout } = yield* AiPolicy
  const jobs = yield* AiJobs
  const ledger = yield* AiLedger
  const usage: Array<AiUsage> = []
  const start = yield* Clock.currentTimeMillis
  const { outcome, model } = yield* alone(
    job,
    run(job, probing, usage).pipe(
      Effect.timeoutOrElse({ duration: jobTimeout, orElse: () => failure("timeout", "the job took too long") }),
      Effect.catchDefect((defect) => failure("defect", Cause.pretty(Cause.die(defect)).slice(0, 500))),
      Effect.catch((error: RunFailure) => failed(job, error))
    )
  )
  if (probing && usage.length > 0) yield* steadfast(ledger.open)
  const receipt = { id: job.id, epoch: job.lease_epoch }
  const [effective = false] = yield* steadfast(jobs.settle([{ receipt, model, outcome, usage }]))
  yield* counted(job, outcome, effective)
  yield* Metric.update(aiJobSeconds(job.type), ((yield* Clock.currentTimeMillis) - start) / 1000)
})
