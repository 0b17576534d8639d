import { Result, Schema } from "effect"
import { Proposal } from "../learning/proposal.ts"
import type { AiCode } from "./codes.ts"
import { type AiJobType, AiJobType as JobType } from "./job.ts"
import { Insight, Quiz, type resultSchemas, Summary, TermCards } from "./results.ts"
import { parseStrict, unfenced } from "./strict.ts"

/** What a model answered, before anything is believed. */
export interface Answer {
  readonly text: string
  /** Why it stopped: `length` and `content_filter` are told apart; all else is an end. */
  readonly finish: "stop" | "length" | "content_filter"
  /** The model's own words that it will not do it; null when it did. */
  readonly refusal: string | null
}

/** Why an answer is no use, with the words for a log. */
export interface Unusable {
  readonly code: AiCode
  readonly message: string
}

const unusable = (code: AiCode, message: string) => Result.fail<Unusable>({ code, message })

const decoders = {
  SUMMARY: Schema.decodeUnknownResult(Summary, { onExcessProperty: "error" }),
  TERM_CARDS: Schema.decodeUnknownResult(TermCards, { onExcessProperty: "error" }),
  INSIGHT: Schema.decodeUnknownResult(Insight, { onExcessProperty: "error" }),
  QUIZ_CONTENT: Schema.decodeUnknownResult(Quiz, { onExcessProperty: "error" }),
  QUIZ_TERM: Schema.decodeUnknownResult(Quiz, { onExcessProperty: "error" }),
  PARSING_RULE: Schema.decodeUnknownResult(Proposal, { onExcessProperty: "error" })
}

/** A result of a job: the union is told apart by the job's type. */
export type AiResult = (typeof resultSchemas)[AiJobType]["Type"]
export const isType = Schema.is(JobType)

const json = (text: string): Result.Result<unknown, Unusable> => {
  const plain = parseStrict(text.trim())
  if (Result.isSuccess(plain)) return Result.succeed(plain.success)
  const inner = unfenced(text)
  if (inner === null) return unusable("unparsable", plain.failure)
  const opened = parseStrict(inner)
  return Result.isSuccess(opened) ? Result.succeed(opened.success) : unusable("fenced", opened.failure)
}

/** A model's answer as the result of a job, or what is wrong with it: each fault has its own code. */
export const readAnswer = (type: AiJobType, answer: Answer): Result.Result<AiResult, Unusable> => {
  if (answer.refusal !== null) return unusable("refused", answer.refusal.slice(0, 500))
  if (answer.finish === "content_filter") return unusable("refused", "stopped by the provider's filter")
  if (answer.finish === "length") return unusable("truncated", `cut after ${answer.text.length} characters`)
  if (answer.text.trim() === "") return unusable("empty", "the answer has no text")
  return Result.flatMap(json(answer.text), (value) =>
    Result.mapError<AiResult, Schema.SchemaError, Unusable>(decoders[type](value), (error) => ({
      code: "schema",
      message: String(error).slice(0, 500)
    }))
  )
}
