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
const sampleChars = 2000
const sample = (text: string): string => text.slice(0, sampleChars)

/** Code points: a pair of surrogates is one. */
export const lengthOf = (text: string): number => {
  let pairs = 0
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) pairs += 1
  return text.length - pairs
}
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

interface Counts {
  /** Letters; those of scripts without case (Hangul, Han, Kana, Arabic) count too, so such a text is never "shouted". */
  readonly letters: number
  readonly capitals: number
  /** Characters that are no white space, and those of them that spam is made of. */
  readonly visible: number
  readonly signs: number
  readonly words: number
  readonly differentWords: number
}

/** Quotation marks, full stops and commas belong to reported speech. */
const speech = new Set(".,'\"“”‘’«»「」『』。、·…:()-")
const isHangul = (code: number): boolean => code >= 0xac00 && code <= 0xd7a3

type Kind = "space" | "capital" | "letter" | "other" | "sign"
const unicodeKind = (char: string): Kind => {
  if (/\s/u.test(char)) return "space"
  if (speech.has(char)) return "other"
  if (/\p{Lu}/u.test(char)) return "capital"
  if (/\p{L}/u.test(char)) return "letter"
  return /[\p{N}\p{M}]/u.test(char) ? "other" : "sign"
}
/** Most characters are told by their code; the rest are looked up in Unicode's tables, which costs far more. */
const asciiKinds: ReadonlyArray<Kind> = Array.from({ length: 128 }, (_, code) => unicodeKind(String.fromCharCode(code)))

/** Capitals of Latin, Greek and Cyrillic stand this far before their small letters. */
const CASE = 32

/** Letters, words and signs in one walk. Words are told apart by a sum of their characters. */
const countsOf = (text: string): Counts => {
  const by = { space: 0, capital: 0, letter: 0, other: 0, sign: 0 }
  const different = new Set<number>()
  let [words, word] = [0, 0]
  // A space ends the last word too.
  const ended = `${text} `
  for (let at = 0; at < ended.length; at += 1) {
    const code = ended.codePointAt(at) ?? 0
    if (code > 0xffff) at += 1
    const kind = asciiKinds[code] ?? (isHangul(code) ? "letter" : unicodeKind(String.fromCodePoint(code)))
    by[kind] += 1
    if (kind !== "space") word = (Math.imul(word, 31) + code + (kind === "capital" ? CASE : 0)) | 0
    else if (word !== 0) {
      words += 1
      different.add(word)
      word = 0
    }
  }
  const letters = by.letter + by.capital
  const visible = letters + by.other + by.sign
  return { letters, capitals: by.capital, visible, signs: by.sign, words, differentWords: different.size }
}

/**
 * How much of an article a text is, 0 to 1: half for length (full at 400 code points), a quarter for sentences that end,
 * a quarter for words that differ.
 */
const qualityOf = (text: string, { words, differentWords }: Counts): number => {
  const long = Math.min(1, lengthOf(text) / 400)
  const ends = Math.min(1, (text.match(/[。！？]|[.!?다요][\s"”’」』)]|[.!?]$/gm)?.length ?? 0) / 2)
  const varied = Math.min(1, share(differentWords, words) / 0.4)
  return 0.5 * long + 0.25 * ends + 0.25 * varied
}

/** What the rules look at, measured once. */
interface Measured extends Counts {
  readonly title: string
  readonly text: string
  readonly titleLength: number
  readonly textLength: number
  readonly quality: number
}

interface Rule {
  readonly code: RejectionCode
  readonly field: Rejection["field"]
  readonly broken: (it: Measured, bounds: Bounds) => string | null
}

const short = (length: number, min: number): string | null =>
  length > 0 && length < min ? `${length} code points, at least ${min} expected` : null
const long = (length: number, max: number): string | null =>
  length > max ? `${length} code points, at most ${max} expected` : null
const percent = (part: number, whole: number): string => `${Math.round(100 * share(part, whole))} %`

/** The table is the policy: every broken row is reported. @source REQUIREMENTS, "Article validation" */
const rules: ReadonlyArray<Rule> = [
  { code: "required", field: "title", broken: ({ title }) => (title === "" ? "no title" : null) },
  { code: "required", field: "text", broken: ({ text }) => (text === "" ? "no text" : null) },
  {
    code: "format",
    field: "title",
    broken: ({ title }) => (title === "" || /\p{L}/u.test(title) ? null : "no letter in the title")
  },
  { code: "too_short", field: "title", broken: ({ titleLength }, { titleMin }) => short(titleLength, titleMin) },
  { code: "too_long", field: "title", broken: ({ titleLength }, { titleMax }) => long(titleLength, titleMax) },
  { code: "too_short", field: "text", broken: ({ textLength }, { textMin }) => short(textLength, textMin) },
  { code: "too_long", field: "text", broken: ({ textLength }, { textMax }) => long(textLength, textMax) },
  {
    code: "spam",
    field: "text",
    broken: ({ capitals, letters }) =>
      share(capitals, letters) > capitalsMax ? `capitals are ${percent(capitals, letters)} of the letters` : null
  },
  {
    code: "spam",
    field: "text",
    broken: ({ signs, visible }) =>
      share(signs, visible) > signsMax ? `signs are ${percent(signs, visible)} of the characters` : null
  },
  {
    code: "quality",
    field: "text",
    broken: ({ quality: found, text }, { qualityMin }) =>
      text !== "" && found < qualityMin ? `quality ${found.toFixed(2)}, at least ${qualityMin} expected` : null
  }
]

/** Every rule an article breaks; none means it is taken. */
export const validateArticle = (content: Content, bounds: Bounds): ReadonlyArray<Rejection> => {
  const [title, text] = [content.title.trim(), content.text.trim()]
  const lengths = { titleLength: lengthOf(content.title), textLength: lengthOf(content.text) }
  const begin = sample(text)
  const counts = countsOf(begin)
  const it: Measured = { title, text, ...lengths, ...counts, quality: qualityOf(begin, counts) }
  return rules.flatMap(({ broken, code, field }) => {
    const message = broken(it, bounds)
    return message === null ? [] : [{ code, field, message }]
  })
}
