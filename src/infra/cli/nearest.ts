/** Edits (insert, delete, replace, swap of neighbours) that turn one text into the other; more than `max` are not counted on. */
export const editDistance = (from: string, to: string, max = Number.POSITIVE_INFINITY): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1)
      const swapped =
        from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1] ? (before[column - 2] ?? 0) + 1 : replaced
      next.push(Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, replaced, swapped))
    }
    // No row that follows has less.
    if (Math.min(...next) > max) return max + 1
    before = last
    last = next
  }
  return last[to.length] ?? 0
}

/** Longest text that is compared: the work grows with the product of both lengths. */
const COMPARED_MAX = 64

/**
 * The valid name that was probably meant, or null when nothing is near: at most a third of the letters may differ (two at
 * least), or the given text begins a name.
 * @example nearest("fetchr", ["parser", "fetcher"]) // => "fetcher"
 */
export const nearest = (given: string, names: ReadonlyArray<string>): string | null => {
  const text = given.slice(0, COMPARED_MAX).toLowerCase()
  const ranked = names
    .map((name) => ({ name, distance: editDistance(text, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  if (best !== undefined && best.distance <= Math.max(2, Math.floor(text.length / 3))) return best.name
  return text.length >= 2 ? (names.find((name) => name.toLowerCase().startsWith(text)) ?? null) : null
}
