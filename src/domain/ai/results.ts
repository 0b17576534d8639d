import { Schema } from "effect"
import { Proposal } from "../learning/proposal.ts"
import type { AiJobType } from "./job.ts"

const three = <S extends Schema.Constraint>(of: S) =>
  Schema.Array(of).check(Schema.isMinLength(3), Schema.isMaxLength(3))
const four = Schema.Array(Schema.String).check(Schema.isMinLength(4), Schema.isMaxLength(4))

export const Summary = Schema.Struct({ summary3: three(Schema.String), summaryFull: Schema.String })
export type Summary = typeof Summary.Type
/** `highlightText` stands word for word in the summary. */
export const TermCards = Schema.Struct({
  cards: three(Schema.Struct({ term: Schema.String, highlightText: Schema.String, definition: Schema.String }))
})
export type TermCards = typeof TermCards.Type
export const Insight = Schema.Struct({
  insights: three(Schema.Struct({ title: Schema.String, detail: Schema.String, whyItMatters: Schema.String }))
})
export const Quiz = Schema.Struct({
  questions: three(
    Schema.Struct({
      question: Schema.String,
      options: four,
      answerIndex: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
      explanations: four
    })
  )
})
export type Quiz = typeof Quiz.Type

/** The schema a model's answer must have, per job. @source REQUIREMENTS, "AI results" */
export const resultSchemas = {
  SUMMARY: Summary,
  TERM_CARDS: TermCards,
  INSIGHT: Insight,
  QUIZ_CONTENT: Quiz,
  QUIZ_TERM: Quiz,
  PARSING_RULE: Proposal
} as const satisfies Record<AiJobType, Schema.Constraint>

/** The same as JSON Schema in the form that strict structured output takes: closed objects, every field required. */
export const jsonSchemaOf = (type: AiJobType): Readonly<Record<string, unknown>> => ({
  ...Schema.toJsonSchemaDocument(resultSchemas[type], { onExcessProperty: "error" }).schema
})
