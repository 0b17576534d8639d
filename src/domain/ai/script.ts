/** The scripts languages are written in, as Unicode names them. Languages in Latin letters are not told apart. */
const scripts: Readonly<Record<string, RegExp>> = {
  ko: /\p{Script=Hangul}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu,
  zh: /\p{Script=Han}/gu,
  ru: /\p{Script=Cyrillic}/gu,
  uk: /\p{Script=Cyrillic}/gu,
  bg: /\p{Script=Cyrillic}/gu,
  sr: /[\p{Script=Cyrillic}\p{Script=Latin}]/gu,
  el: /\p{Script=Greek}/gu,
  ar: /\p{Script=Arabic}/gu,
  fa: /\p{Script=Arabic}/gu,
  ur: /\p{Script=Arabic}/gu,
  he: /\p{Script=Hebrew}/gu,
  hi: /\p{Script=Devanagari}/gu,
  th: /\p{Script=Thai}/gu
}
const latin: ReadonlySet<string> = new Set("en de fr es pt it nl sv no nb da fi pl cs sk hu ro tr vi id ms".split(" "))

/** The script of a BCP 47 language; null where it is not known. */
export const scriptOf = (language: string | null): RegExp | null => {
  const primary = language?.split("-")[0]?.toLowerCase() ?? ""
  return latin.has(primary) ? /\p{Script=Latin}/gu : (scripts[primary] ?? null)
}

/** The share of a text's letters that are of a script: 1 for a text without letters. */
export const scriptShare = (text: string, script: RegExp): number => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return letters === 0 ? 1 : (text.match(script)?.length ?? 0) / letters
}
