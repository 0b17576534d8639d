import type { AiResult } from "./ai/answer.ts"
import type { AiCode } from "./ai/codes.ts"
import { scriptOf, scriptShare } from "./ai/script.ts"

/** What a job read: the words its result must be true to. */
export interface Ground {
  readonly text: string
  /** BCP 47 of the article, where known. */
  readonly language: string | null
  /** Long lines of the instructions: none of them is an answer. */
  readonly instructions: ReadonlyArray<string>
}

export interface Fault {
  readonly code: AiCode
  readonly message: string
}

/** Longest texts of a result, in characters: more is no summary. */
const charsMax = { summary: 6000, other: 2000 }
/** An instruction this long does not occur in an answer by chance. */
const echoMin = 40
/** Letters that a language's own script has at least among all letters of an answer. */
const shareMin = 0.3

const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : []
}

const spaced = (text: string): string => text.replace(/\s+/gu, " ").trim()

const quizFault = (result: AiResult): Fault | null => {
  if (!("questions" in result)) return null
  const same = result.questions.findIndex((it) => new Set(it.options.map((option) => spaced(option))).size < 4)
  return same < 0 ? null : { code: "options", message: `the options of question ${same + 1} are not four` }
}

const cardsFault = (result: AiResult, ground: Ground): Fault | null => {
  if (!("cards" in result)) return null
  const foreign = result.cards.find((it) => it.highlightText.trim() === "" || !ground.text.includes(it.highlightText))
  return foreign === undefined
    ? null
    : { code: "not_verbatim", message: `not in the summary: ${foreign.highlightText.slice(0, 100)}` }
}

/**
 * What makes a well-formed result unusable: it is asked for again, and never stored.
 * @source bad input B229; field case B49
 */
export const faultOf = (result: AiResult, ground: Ground): Fault | null => {
  const texts = textsOf(result)
  if (texts.some((it) => it.trim() === "")) return { code: "empty", message: "a field has no text" }
  const longest = Math.max(...texts.map((it) => it.length))
  const bound = "summaryFull" in result ? charsMax.summary : charsMax.other
  if (longest > bound) return { code: "length", message: `a field of ${longest} characters, at most ${bound}` }
  const echo = ground.instructions.find((line) => line.length >= echoMin && texts.some((it) => it.includes(line)))
  if (echo !== undefined) return { code: "echo", message: `repeats its instructions: ${echo.slice(0, 80)}` }
  const script = scriptOf(ground.language)
  const share = script === null ? 1 : scriptShare(texts.join(" "), script)
  if (share < shareMin) {
    return { code: "language", message: `${Math.round(share * 100)} % of the letters are ${ground.language}` }
  }
  return quizFault(result) ?? cardsFault(result, ground)
}

const numbers = (text: string): ReadonlyArray<string> =>
  (text.normalize("NFKC").match(/\d[\d.,]*/gu) ?? []).map((it) => it.replace(/,/gu, "").replace(/\.+$/u, ""))

const officials =
  /([가-힣]{2,4}) (?:대표|회장|사장|의원|장관|총리|대통령|교수|위원장|총재|원장|이사|본부장|연구원|부총리|시장|지사)/gu
const capitals = /\p{Lu}[\p{Ll}\p{Lu}'’-]+(?: \p{Lu}[\p{Ll}\p{Lu}'’-]+)+/gu

const names = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(officials)].map((it) => it[1] ?? ""),
  ...(text.match(capitals) ?? []).flatMap((it) => it.split(" "))
]

/**
 * Numbers of two digits or more and names in a summary that the article does not have. Counts such as "three reasons"
 * are a summary's own; larger numbers are facts.
 */
export const ungrounded = (result: AiResult, article: string): ReadonlyArray<string> => {
  if (!("summaryFull" in result)) return []
  const told = `${result.summary3.join(" ")} ${result.summaryFull}`
  const known = new Set(numbers(article))
  const words = article.toLowerCase()
  return [
    ...numbers(told).filter((it) => it.length > 1 && !known.has(it)),
    ...names(told).filter((it) => !words.includes(it.toLowerCase()))
  ]
}
