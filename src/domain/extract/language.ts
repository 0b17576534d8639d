import { type Meta, metaOf } from "./meta.ts"

/** Scripts that name a language by themselves, and the share of letters that must be theirs. */
const scripts: ReadonlyArray<readonly [string, RegExp]> = [
  ["ko", /\p{Script=Hangul}+/gu],
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]+/gu],
  ["zh", /\p{Script=Han}+/gu],
  ["th", /\p{Script=Thai}+/gu],
  ["el", /\p{Script=Greek}+/gu],
  ["he", /\p{Script=Hebrew}+/gu]
]
const shareMin = 0.25
const sampleChars = 2000

/** Any of them: most texts have none, and that is told at once. */
const foreign =
  /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Thai}\p{Script=Greek}\p{Script=Hebrew}]/u

const byScript = (text: string): string | null => {
  const sample = text.slice(0, sampleChars)
  if (!foreign.test(sample)) return null
  const letters = sample.replace(/\P{L}+/gu, "")
  if (letters.length < 20) return null
  return scripts.find(([, pattern]) => lengthOf(letters.match(pattern)) / letters.length >= shareMin)?.[0] ?? null
}
const lengthOf = (runs: ReadonlyArray<string> | null): number => (runs ?? []).reduce((sum, it) => sum + it.length, 0)

/** The primary language subtag: what the text's script proves, else what the page states. */
export const languageOf = (meta: Meta, text: string): string | null => {
  const proven = byScript(text)
  if (proven !== null) return proven
  const stated = meta.language ?? metaOf(meta, "og:locale", "content-language", "inlanguage", "dc.language", "language")
  const primary = /^\s*([a-z]{2,3})(?=[-_,;\s]|$)/iu.exec(stated ?? "")?.[1]
  return primary?.toLowerCase() ?? null
}
