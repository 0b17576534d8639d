import { Result } from "effect"

const isSpace = (char: string | undefined): boolean => char === " " || char === "\n" || char === "\r" || char === "\t"

/** The end (exclusive) of the string that opens at `from`. */
const stringEnd = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at + 1
}

/**
 * A key that an object states twice, or one that reaches for the prototype; null when there is none. Works on text that
 * is JSON already, so a string followed by a colon is a key.
 */
const badKey = (text: string): string | null => {
  const open: Array<Set<string>> = []
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === "{" || char === "[") open.push(new Set())
    else if (char === "}" || char === "]") open.pop()
    else if (char === '"') {
      const end = stringEnd(text, at)
      let after = end
      while (isSpace(text[after])) after += 1
      if (text[after] === ":") {
        const key: unknown = JSON.parse(text.slice(at, end))
        const keys = open.at(-1)
        if (typeof key === "string" && (key === "__proto__" || keys?.has(key))) return key
        if (typeof key === "string") keys?.add(key)
      }
      at = end - 1
    }
  }
  return null
}

/**
 * JSON as a machine would write it: no NaN, no key twice, no `__proto__`.
 * @source bad input B217
 */
export const parseStrict = (text: string): Result.Result<unknown, string> =>
  Result.flatMap(
    Result.mapError(
      Result.try((): unknown => JSON.parse(text)),
      () => "not JSON"
    ),
    (value) => {
      const key = badKey(text)
      return key === null ? Result.succeed(value) : Result.fail(`the key ${key} is not taken`)
    }
  )

/** A whole answer in one Markdown fence: its content; null when it is not in one. */
export const unfenced = (text: string): string | null =>
  /^```[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?```$/.exec(text.trim())?.[1] ?? null
