import { Schema } from "effect"
import type { AiResult } from "./ai/answer.ts"
import type { AiJobType } from "./ai/job.ts"
import type { Article } from "./article.ts"

/** A versioned prompt: its instructions are ours; what they speak of travels beside them, as data. */
export interface Prompt {
  readonly type: AiJobType
  /** Part of a job's identity: a new version is new work. */
  readonly version: string
  readonly instructions: string
}

/**
 * Characters nobody sees: zero-width and joining ones, directional marks, variation selectors, tag characters, and
 * controls. Text hidden in them steers a model and no reader notices.
 * @source field case B37
 */
const invisible = /\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu
const comments = /<!--[\s\S]*?(?:-->|$)/gu

/** What a reader of the page sees. @example visible("a\u200bb<!-- c -->") // => "ab" */
export const visible = (text: string): string => text.replace(comments, "").replace(invisible, "")

/** A text no longer than `max` characters, cut at the end of a sentence where one is near. */
export const shortened = (text: string, max: number): string => {
  if (text.length <= max) return text
  const cut = text.slice(0, max).toWellFormed()
  const end = Math.max(cut.lastIndexOf(". "), cut.lastIndexOf("\n"), cut.lastIndexOf("다. "))
  return end > max / 2 ? cut.slice(0, end + 1) : cut
}

/** Instructions long enough to be recognised in an answer. */
export const linesOf = (prompt: Prompt): ReadonlyArray<string> =>
  prompt.instructions.split("\n").map((it) => it.replace(/^[-*\s]+/u, "").trim())

/** What a job reads, as the one data field of its prompt. */
export interface Material {
  readonly data: Readonly<Record<string, string>>
  /** The words a result must be true to. */
  readonly text: string
}

/** An article as a prompt's data. `charsMax`: characters of its text. */
export const articleMaterial = (article: Article, charsMax: number): Material => {
  const title = visible(article.title)
  const text = shortened(visible(article.text), charsMax)
  return { data: { title, text }, text: `${title}\n${text}` }
}

/** What a predecessor's result gives to the next job: the full summary, or the cards. */
export const resultMaterial = (result: AiResult): Material | null => {
  if ("summaryFull" in result) return { data: { summary: result.summaryFull }, text: result.summaryFull }
  if (!("cards" in result)) return null
  const cards = result.cards.map((it) => `${it.term}: ${it.definition}`).join("\n")
  return { data: { cards }, text: cards }
}

const names = new Intl.DisplayNames("en", { type: "language", fallback: "code" })
const encodeData = Schema.encodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))
const isLanguage = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u

/** What is sent: instructions as the system's words, the material as JSON in the user's place. */
export const messagesOf = (
  prompt: Prompt,
  material: Material,
  language: string | null
): { readonly system: string; readonly user: string } => {
  // A page states its language itself, so it is checked before it stands among instructions.
  const code = language !== null && isLanguage.test(language) ? language : null
  const named = code === null ? "the language of the text" : `${names.of(code) ?? code} (${code})`
  return { system: prompt.instructions.replaceAll("{{language}}", named), user: encodeData(material.data) }
}
