/** What Postgres refuses inside a text: NUL (22021, 22P05) and halves of surrogate pairs (22P02). */
const suspicious = /\\u0000|\\u[dD][89a-fA-F]/

const cleanText = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed()

const clean = (value: unknown): unknown => {
  if (typeof value === "string") return cleanText(value)
  if (Array.isArray(value)) return value.map(clean)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [cleanText(key), clean(it)]))
}

/**
 * A value as JSON that Postgres stores: what it refuses is replaced by U+FFFD. Only a text that looks suspicious after
 * encoding pays for the walk; an escaped backslash before `u0000` looks so too and comes out unchanged.
 * @example encode("a\0b") // => '"a\ufffdb"'
 */
export const encode = (value: unknown): string => {
  const text = JSON.stringify(value)
  return suspicious.test(text) ? JSON.stringify(clean(value)) : text
}

/** A text for a parameter of its own. */
export const encodeText = (text: string): string => cleanText(text)
