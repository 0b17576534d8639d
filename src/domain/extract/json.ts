import { Result } from "effect"

/** A JSON object whose fields are not yet known. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Scripts longer than this are not parsed. */
const jsonMax = 2_000_000

const parse = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/**
 * Reads JSON as pages write it: comments and CDATA around it, line feeds inside strings, trailing commas, a stray
 * semicolon, entities for quotes, several documents behind each other. Undefined if nothing can be made of it.
 */
export const readJson = (source: string): unknown => {
  if (source.length > jsonMax) return undefined
  const plain = parse(source)
  if (Result.isSuccess(plain)) return plain.success
  const mended = [trim, flatten, commas, entities].reduce<{ text: string; value: unknown }>(
    (state, mend) => {
      if (state.value !== undefined) return state
      const text = mend(state.text)
      return { text, value: Result.getOrUndefined(parse(text)) }
    },
    { text: source, value: undefined }
  )
  return mended.value ?? several(mended.text)
}

const trim = (text: string): string =>
  text
    .replace(/^[\s\ufeff]*(?:<!--|\/\/\s*<!\[?CDATA\[|\/\*\s*<!\[?CDATA\[\s*\*\/|<!\[?CDATA\[)/u, "")
    .replace(/(?:-->|\/\/\s*\]\]>|\/\*\s*\]\]>\s*\*\/|\]\]>)\s*$/u, "")
    .replace(/^\s*\/\*[^*]{0,200}\*\//u, "")
    .trim()
    .replace(/;$/u, "")

/** Control characters are legal nowhere inside a string and mean nothing outside. */
const flatten = (text: string): string =>
  text.replace(/[\u0000-\u001f\u2028\u2029]+/gu, " ").replace(/\\(?!["\\/bfnrtu])/gu, "\\\\")

const commas = (text: string): string => text.replace(/,\s*(?=[}\]])/gu, "").replace(/,\s*$/u, "")

const entities = (text: string): string =>
  text
    .replace(/&quot;/gu, '"')
    .replace(/&amp;/gu, "&")
    .replace(/&#0?39;/gu, "'")

/** `{…}{…}`: objects one after the other. */
const several = (text: string): unknown => {
  if (!/\}\s*,?\s*\{/u.test(text)) return undefined
  const joined = parse(`[${text.replace(/\}\s*\{(?=\s*"@)/gu, "},{")}]`)
  return Result.getOrUndefined(joined)
}

/** A text, or the first text of a list, or what an object names as its value. */
export const textOf = (value: unknown): string | null => {
  if (typeof value === "string") return value.trim() === "" ? null : value.trim()
  if (typeof value === "number") return String(value)
  if (Array.isArray(value)) return value.map(textOf).find((it) => it !== null) ?? null
  if (!isFields(value)) return null
  return textOf(value["@value"] ?? value.name ?? null)
}

export const listOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
