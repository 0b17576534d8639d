/** Length of the pieces that are compared: short enough for scripts without blanks, long enough to be a text's own. */
const piece = 3
/** Characters compared; what goes on after them says nothing new. */
const charsMax = 30_000

const pieces = (text: string): Map<string, number> => {
  const flat = text.normalize("NFKC").replace(/\s+/gu, " ").trim().toLowerCase().slice(0, charsMax)
  const counts = new Map<string, number>()
  for (let at = 0; at + piece <= flat.length; at += 1) {
    const it = flat.slice(at, at + piece)
    counts.set(it, (counts.get(it) ?? 0) + 1)
  }
  return counts
}

/**
 * How much two texts have in common, 0 to 1: twice the shared pieces of three characters over all pieces. What one leaves
 * out counts like what it adds, and white space counts for nothing.
 * @example likeness("가나다라", "가나다라") // => 1
 */
export const likeness = (a: string, b: string): number => {
  const [left, right] = [pieces(a), pieces(b)]
  let [all, shared] = [0, 0]
  for (const n of left.values()) all += n
  for (const [it, n] of right) {
    all += n
    shared += Math.min(n, left.get(it) ?? 0)
  }
  return all === 0 ? 0 : (2 * shared) / all
}

/** A line this short (characters) may stand on many pages and still belong to each. */
const lineMin = 12

/** The share of all characters that stand in lines which more than one of these texts has: what belongs to the site, not to a page. */
export const repeatedShare = (texts: ReadonlyArray<string>): number => {
  const pages = texts.map((it) => it.split("\n").map((line) => line.trim()))
  const seen = new Map<string, number>()
  for (const lines of pages) for (const line of new Set(lines)) seen.set(line, (seen.get(line) ?? 0) + 1)
  let [all, repeated] = [0, 0]
  for (const line of pages.flat()) {
    all += line.length
    if (line.length >= lineMin && (seen.get(line) ?? 0) > 1) repeated += line.length
  }
  return all === 0 ? 0 : repeated / all
}
