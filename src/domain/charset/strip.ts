/** Removes what stands between two marks, the marks included, in one pass; without an end mark the rest goes. */
const without = (text: string, opens: RegExp, endOf: (open: string) => string): string => {
  const lower = text.toLowerCase()
  const pieces: Array<string> = []
  let at = 0
  for (const match of lower.matchAll(opens)) {
    if (match.index < at) continue
    pieces.push(text.slice(at, match.index))
    const mark = endOf(match[0])
    const end = lower.indexOf(mark, match.index + match[0].length)
    if (end < 0) return pieces.join(" ")
    at = end + mark.length
  }
  pieces.push(text.slice(at))
  return pieces.join(" ")
}

export const withoutComments = (text: string): string => without(text, /<!--/g, () => "-->")

/** Scripts and styles hold text of another kind. */
export const withoutCode = (text: string): string =>
  without(text, /<(?:script|style)(?=[\s>/])/g, (open) => (open === "<script" ? "</script" : "</style"))

/** Tags: from `<` to the next `>`; a `<` without one ends the text. */
export const withoutTags = (text: string): string => without(text, /</g, () => ">")
