import type { Content } from "./article.ts"
import type { Policy } from "./policy.ts"

/** Why an article is not taken. A closed set: it labels a metric. */
export type RejectionCode = "required" | "format" | "too_short" | "too_long" | "quality" | "spam"
export interface Rejection {
  readonly code: RejectionCode
  readonly field: "title" | "text"
  /** The value found and the form expected. */
  readonly message: string
}

export type Bounds = Policy["Service"]["article"]

/** Shares of all letters, and of all characters that are no white space, above which a text is shouted or made of signs. */
const capitalsMax = 0.2
const signsMax = 0.1

/** Shares and words are taken from the beginning of a text: enough to judge it, whatever its length. */
const sampleChars = 4000
const sample = (text: string): string => text.slice(0, sampleChars)

/** Code points: a pair of surrogates is one. */
const lengthOf = (text: string): number => {
  let pairs = 0
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) pairs += 1
  return text.length - pairs
}
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** Letters of scripts without case (Hangul, Han, Kana, Arabic) count as letters, so such a text is never "shouted". */
const capitals = (text: string): number => share(count(text, /\p{Lu}/gu), count(text, /\p{L}/gu))
/** Quotation marks, full stops and commas belong to reported speech; the others are what spam is made of. */
const signs = (text: string): number =>
  share(count(text, /[^\p{L}\p{N}\p{M}\s.,'"“”‘’«»「」『』。、·…:()-]/gu), count(text, /\S/gu))

/**
 * How much of an article a text is, 0 to 1: half for length (full at 400 code points), a quarter for sentences that end,
 * a quarter for words that differ.
 */
export const quality = (full: string): number => {
  const text = sample(full)
  const long = Math.min(1, lengthOf(text) / 400)
  const ends = Math.min(1, count(text, /[。！？]|[.!?다요][\s"”’」』)]|[.!?]$/gmu) / 2)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const varied = Math.min(1, share(new Set(words).size, words.length) / 0.4)
  return 0.5 * long + 0.25 * ends + 0.25 * varied
}

interface Rule {
  readonly code: RejectionCode
  readonly field: Rejection["field"]
  readonly broken: (content: Content, bounds: Bounds) => string | null
}

const outside = (length: number, min: number, max: number, code: RejectionCode): string | null =>
  code === "too_short"
    ? length > 0 && length < min
      ? `${length} code points, at least ${min} expected`
      : null
    : length > max
      ? `${length} code points, at most ${max} expected`
      : null

/** The table is the policy: every broken row is reported. @source REQUIREMENTS, "Article validation" */
const rules: ReadonlyArray<Rule> = [
  { code: "required", field: "title", broken: ({ title }) => (title.trim() === "" ? "no title" : null) },
  { code: "required", field: "text", broken: ({ text }) => (text.trim() === "" ? "no text" : null) },
  {
    code: "format",
    field: "title",
    broken: ({ title }) => (/\p{L}/u.test(title) || title.trim() === "" ? null : "no letter in the title")
  },
  {
    code: "too_short",
    field: "title",
    broken: ({ title }, it) => outside(lengthOf(title), it.titleMin, it.titleMax, "too_short")
  },
  {
    code: "too_long",
    field: "title",
    broken: ({ title }, it) => outside(lengthOf(title), it.titleMin, it.titleMax, "too_long")
  },
  {
    code: "too_short",
    field: "text",
    broken: ({ text }, it) => outside(lengthOf(text), it.textMin, it.textMax, "too_short")
  },
  {
    code: "too_long",
    field: "text",
    broken: ({ text }, it) => outside(lengthOf(text), it.textMin, it.textMax, "too_long")
  },
  {
    code: "spam",
    field: "text",
    broken: ({ text }) =>
      capitals(sample(text)) > capitalsMax
        ? `capitals are ${Math.round(100 * capitals(sample(text)))} % of the letters`
        : null
  },
  {
    code: "spam",
    field: "text",
    broken: ({ text }) =>
      signs(sample(text)) > signsMax ? `signs are ${Math.round(100 * signs(sample(text)))} % of the characters` : null
  },
  {
    code: "quality",
    field: "text",
    broken: ({ text }, it) =>
      text.trim() !== "" && quality(text) < it.qualityMin
        ? `quality ${quality(text).toFixed(2)}, at least ${it.qualityMin} expected`
        : null
  }
]

/** Every rule an article breaks; none means it is taken. */
export const validateArticle = (content: Content, bounds: Bounds): ReadonlyArray<Rejection> =>
  rules.flatMap(({ broken, code, field }) => {
    const message = broken(content, bounds)
    return message === null ? [] : [{ code, field, message }]
  })
