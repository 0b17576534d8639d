import { Clock, Effect, Metric, Result } from "effect"
import type { AiResult } from "../domain/ai/answer.ts"
import { readAnswer } from "../domain/ai/answer.ts"
import type { AiJob } from "../domain/ai/job.ts"
import { modelCost, modelRequests, modelSeconds, modelTokens } from "../domain/ai/metrics.ts"
import type { RunFailure } from "../domain/ai/outcome.ts"
import { AiLedger, AiPolicy, type AiUsage, Model, type ModelFailure } from "../domain/ai/ports.ts"
import { jsonSchemaOf } from "../domain/ai/results.ts"
import { faultOf, ungrounded } from "../domain/grounding.ts"
import { linesOf, type Material, messagesOf, type Prompt } from "../domain/prompt.ts"
import { steadfast } from "./stage.ts"

/** One question with all that its answer is judged by. */
export interface Question {
  readonly job: AiJob
  readonly prompt: Prompt
  readonly material: Material
  readonly language: string | null
  readonly host: string
  readonly outputTokensMax: number
}

/** A result, what is doubtful about it, and who gave it. */
export interface Given {
  readonly result: AiResult
  readonly flags: ReadonlyArray<string>
  readonly model: string
}

/** Calls of one run: a summary that says more than its article is asked for once more. */
const callsMax = 2

export type Note = (usage: AiUsage) => void
const isFailure = (it: unknown): it is RunFailure => typeof it === "object" && it !== null && "code" in it

/** Whether the gate lets a call through now; a probe has its pass already. */
export const mayAsk = Effect.fnUntraced(function* (probing: boolean) {
  if (probing) return true
  const ledger = yield* AiLedger
  const { tag } = yield* steadfast(ledger.look(yield* Clock.currentTimeMillis))
  return tag === "open"
})

/** One call, noted and counted whatever comes of it. */
export const call = Effect.fnUntraced(function* (question: Question, number: number, note: Note) {
  const model = yield* Model
  const { price } = yield* AiPolicy
  const { job, prompt, material, language, host, outputTokensMax } = question
  const start = yield* Clock.currentTimeMillis
  const words = messagesOf(prompt, material, language)
  const asked = model.ask({ type: job.type, ...words, schema: jsonSchemaOf(job.type), outputTokensMax })
  const reply = yield* asked.pipe(
    Effect.tapError((failure: ModelFailure) => Metric.update(modelRequests(failure.code), 1))
  )
  const at = yield* Clock.currentTimeMillis
  const { input_tokens, output_tokens } = reply
  const cost_usd = (input_tokens * price.input + output_tokens * price.output) / 1_000_000
  note({
    id: `${job.id}.${job.lease_epoch}.${number}`,
    job_id: job.id,
    type: job.type,
    host,
    model: reply.model,
    input_tokens,
    output_tokens,
    cost_usd,
    latency_ms: at - start,
    at
  })
  yield* Metric.update(modelRequests("ok"), 1)
  yield* Metric.update(modelSeconds, (at - start) / 1000)
  yield* Metric.update(modelTokens("input"), input_tokens)
  yield* Metric.update(modelTokens("output"), output_tokens)
  yield* Metric.update(modelCost, cost_usd)
  return reply
})

/**
 * Asks and judges: what comes back is well-formed, in the right language, verbatim where it must be, and flagged where it
 * says numbers or names that its article does not have. Each call is noted, whatever came of it.
 */
export const answerTo = Effect.fnUntraced(function* (
  question: Question,
  note: Note
): Effect.fn.Return<Given, RunFailure, Model | AiPolicy> {
  const { job, prompt, material, language } = question
  const ground = { text: material.text, language, instructions: linesOf(prompt) }
  let doubtful: Given | null = null
  for (let number = 1; number <= callsMax; number += 1) {
    const reply = yield* call(question, number, note)
    const read = readAnswer(job.type, reply.answer)
    const fault = Result.isFailure(read) ? read.failure : faultOf(read.success, ground)
    if (Result.isFailure(read) || isFailure(fault)) {
      // A second, worse answer does not take away the first.
      if (doubtful !== null) return doubtful
      return yield* Effect.fail<RunFailure>({ code: "unparsable", message: "", ...fault, after: null })
    }
    if (ungrounded(read.success, material.text).length === 0)
      return { result: read.success, flags: [], model: reply.model }
    doubtful = { result: read.success, flags: ["ungrounded"], model: reply.model }
  }
  return doubtful ?? (yield* Effect.fail<RunFailure>({ code: "empty", message: "no answer", after: null }))
})
