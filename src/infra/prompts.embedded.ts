import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import insight from "../../prompts/insight.v1.md" with { type: "text" }
import parsingRule from "../../prompts/parsing_rule.v1.md" with { type: "text" }
import quizContent from "../../prompts/quiz_content.v1.md" with { type: "text" }
import quizTerm from "../../prompts/quiz_term.v1.md" with { type: "text" }
import summary from "../../prompts/summary.v1.md" with { type: "text" }
import termCards from "../../prompts/term_cards.v1.md" with { type: "text" }
import type { AiJobType } from "../domain/ai/job.ts"
import { Prompts } from "../domain/ai/ports.ts"
import type { Prompt } from "../domain/prompt.ts"
import { Settings } from "./config.ts"
import { Refusal } from "./exit.ts"

/** Longest prompt of an operator, characters. */
const charsMax = 20_000

/** The prompts of this version. A changed text is a new file with a new number: versions are part of a job's identity. */
const embedded: Readonly<Record<AiJobType, Prompt>> = {
  SUMMARY: { type: "SUMMARY", version: "1", instructions: summary },
  TERM_CARDS: { type: "TERM_CARDS", version: "1", instructions: termCards },
  INSIGHT: { type: "INSIGHT", version: "1", instructions: insight },
  QUIZ_CONTENT: { type: "QUIZ_CONTENT", version: "1", instructions: quizContent },
  QUIZ_TERM: { type: "QUIZ_TERM", version: "1", instructions: quizTerm },
  PARSING_RULE: { type: "PARSING_RULE", version: "1", instructions: parsingRule }
}

/** An operator's prompt is known by its text: a changed one asks anew, and no stored answer passes for it. */
const replaced = (prompt: Prompt, dir: string): Effect.Effect<Prompt, Refusal> => {
  const path = join(dir, `${prompt.type.toLowerCase()}.md`)
  if (!existsSync(path)) return Effect.succeed(prompt)
  return Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (cause) => new Refusal({ exit: "configuration", message: `AI_PROMPTS_DIR: ${path}: ${String(cause)}` })
  }).pipe(
    Effect.filterOrFail(
      (text) => text.trim() !== "" && text.length <= charsMax,
      () =>
        new Refusal({ exit: "configuration", message: `AI_PROMPTS_DIR: ${path}: expected 1 to ${charsMax} characters` })
    ),
    Effect.map((instructions): Prompt => {
      const hash = createHash("sha256").update(instructions).digest("hex").slice(0, 12)
      return { ...prompt, version: `own-${hash}`, instructions }
    })
  )
}

/** The embedded prompts, or those of AI_PROMPTS_DIR (summary.md, term_cards.md, …, parsing_rule.md). */
export const layer: Layer.Layer<Prompts, Refusal, Settings> = Layer.effect(
  Prompts,
  Effect.gen(function* () {
    const { AI_PROMPTS_DIR: dir } = yield* Settings
    if (dir === null) return Prompts.of(embedded)
    if (!existsSync(dir)) {
      return yield* new Refusal({ exit: "configuration", message: `AI_PROMPTS_DIR ${dir}: there is no such folder` })
    }
    const of = (type: AiJobType) => replaced(embedded[type], dir)
    return Prompts.of({
      SUMMARY: yield* of("SUMMARY"),
      TERM_CARDS: yield* of("TERM_CARDS"),
      INSIGHT: yield* of("INSIGHT"),
      QUIZ_CONTENT: yield* of("QUIZ_CONTENT"),
      QUIZ_TERM: yield* of("QUIZ_TERM"),
      PARSING_RULE: yield* of("PARSING_RULE")
    })
  })
)
