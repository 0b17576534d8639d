import { type Candidate, candidates, PUNCTUATION } from "./candidates.ts"
import { withoutCode, withoutTags } from "./strip.ts"

/** How much text is looked at, in bytes: enough for a paragraph of any language after the navigation. */
const SAMPLE_BYTES = 65_536
/** Fewer characters outside ASCII than this lower the confidence: a name is not a text. */
const SURE_FROM = 24
/** What the top-level domain or the language attribute adds to a candidate's score. */
const PLACE_BIAS = 0.12
/** What a declaration adds that did not read the text without faults but is not absurd either. */
const DECLARED_BIAS = 0.08
/** Worth of one character, by what it is to the candidate; the score is the mean. */
const WORTH = {
  frequent: 1,
  script: 0.45,
  punctuation: 0.9,
  alone: 0.3,
  other: -0.4,
  mixed: -0.8,
  inside: -0.8,
  control: -2,
  broken: -4
}

export interface Guess {
  readonly name: string
  /** 0..1 */
  readonly confidence: number
}

/** The text of a document without markup, still as bytes; `lang` of its root is kept aside. */
export interface Sample {
  readonly bytes: Uint8Array
  readonly language: string | null
}

/** Tags, scripts and entities are ASCII in every candidate, so they can go before the charset is known. */
export const sample = (bytes: Uint8Array): Sample => {
  const raw = Buffer.from(bytes.subarray(0, SAMPLE_BYTES * 4)).toString("latin1")
  const language = /<(?:html|rss|feed|channel)\b[^>]{0,500}?\blang\s*=\s*["']?([a-z]{2,3})/i.exec(raw)?.[1] ?? null
  const text = withoutTags(withoutCode(raw))
    .replace(/&#?\w{1,8};/g, " ")
    .replace(/[\t\n\f\r ]+/g, " ")
  return { bytes: Buffer.from(text.slice(0, SAMPLE_BYTES), "latin1"), language: language?.toLowerCase() ?? null }
}

const isLetter = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{M}]/u.test(char)
const isLower = (char: string | undefined): boolean => char !== undefined && /\p{Ll}/u.test(char)
const isAsciiLetter = (char: string | undefined): boolean => char !== undefined && /[A-Za-z]/.test(char)

const ofLetter = (it: Candidate, char: string, before: string | undefined, after: string | undefined): number => {
  const latin = Number(isAsciiLetter(before)) + Number(isAsciiLetter(after))
  // Scripts do not mix inside a word; East Asian text may touch a Latin word, but is not enclosed in one.
  if (it.kind === "foreign" ? latin > 0 : it.kind === "east" && latin === 2) return WORTH.mixed
  if (it.kind !== "east" && !isLetter(before) && !isLetter(after)) return WORTH.alone
  // Three accented letters in a row are no Latin writing.
  const isInRun = isLetter(before) && isLetter(after) && latin === 0
  if (it.kind === "latin" && isInRun) return WORTH.mixed
  if (/\p{M}/u.test(char) && !isLetter(before)) return WORTH.other
  return it.frequent.has(char) ? WORTH.frequent : WORTH.script
}

const worth = (it: Candidate, char: string, before: string | undefined, after: string | undefined): number => {
  const point = char.codePointAt(0) ?? 0
  if (point === 0xfffd) return WORTH.broken
  if (point < 0xa0 || (point >= 0xe000 && point <= 0xf8ff)) return WORTH.control
  if (isLower(before) && /\p{Lu}/u.test(char)) return WORTH.inside
  if (it.frequent.has(char) || it.script.test(char)) return ofLetter(it, char, before, after)
  if (!PUNCTUATION.has(char)) return WORTH.other
  return isLetter(before) && isLetter(after) && it.kind !== "east" && !/[’'·]/.test(char)
    ? WORTH.other
    : WORTH.punctuation
}

interface Scored {
  readonly name: string
  readonly score: number
  readonly count: number
}

const score = (it: Candidate, text: string): Scored => {
  const chars = [...text]
  let sum = 0
  let count = 0
  for (const [at, char] of chars.entries()) {
    if (char < "\u0080") continue
    sum += worth(it, char, chars[at - 1], chars[at + 1])
    count += 1
  }
  return { name: it.name, score: count === 0 ? 0 : sum / count, count }
}

const topLevel = (url: string): string => URL.parse(url)?.hostname.split(".").at(-1) ?? ""

const bias = (it: Candidate, place: string, language: string | null, declared: ReadonlyArray<string>): number =>
  it.prior +
  (it.places.includes(place) || (language !== null && it.languages.includes(language)) ? PLACE_BIAS : 0) +
  (declared.includes(it.name) ? DECLARED_BIAS : 0)

/** ISO-2022-JP is all ASCII bytes, told by its escapes. */
export const hasJapaneseEscapes = (bytes: Uint8Array): boolean => {
  if (!bytes.includes(0x1b)) return false
  const text = Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).toString("latin1")
  return /\x1b\$[@B]/.test(text) && /\x1b\([BJ]/.test(text)
}

/**
 * The charset of a text that declares none or a wrong one, by how well each candidate turns it into ordinary writing of
 * its languages; the site's top-level domain and its language decide what is close. `null` for pure ASCII.
 * @source field case B3
 */
export const detect = (text: Sample, url: string, declared: ReadonlyArray<string>): Guess | null => {
  const place = topLevel(url)
  const ranked = candidates
    .map((it) => {
      const scored = score(it, new TextDecoder(it.name).decode(text.bytes))
      return { ...scored, biased: scored.score + bias(it, place, text.language, declared) }
    })
    .sort((a, b) => b.biased - a.biased)
  const [best] = ranked
  if (best === undefined || best.count === 0) return null
  const amount = 0.6 + 0.4 * Math.min(1, best.count / SURE_FROM)
  return { name: best.name, confidence: Math.max(0, Math.min(0.99, (best.biased - 0.1) * 1.2 * amount)) }
}
