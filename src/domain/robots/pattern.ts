/** A path pattern of a rule. `length` is its weight: the longest match decides. */
export interface Pattern {
  readonly text: string
  readonly length: number
  readonly matches: (path: string) => boolean
}

/**
 * `*` stands for any run of characters, a `$` at the end for the end of the path. Segments are looked for from left to right, each
 * at its first place, so the work is bounded by path × pattern, whatever the number of stars.
 */
const glob = (pattern: string): ((path: string) => boolean) => {
  const anchored = pattern.endsWith("$")
  const [head = "", ...rest] = (anchored ? pattern.slice(0, -1) : pattern).split("*")
  const last = rest.at(-1)
  const middle = anchored ? rest.slice(0, -1) : rest
  return (path) => {
    if (!path.startsWith(head)) return false
    let at = head.length
    for (const part of middle) {
      const found = path.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    if (!anchored) return true
    return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
  }
}

/**
 * Compiles a rule's value.
 * @param shown the value as written, where it differs from what is matched
 * @source RFC 9309 §2.2.3
 */
export const compile = (pattern: string, shown: string = pattern): Pattern => {
  const plain = !pattern.includes("*") && !pattern.endsWith("$")
  return { text: shown, length: pattern.length, matches: plain ? (path) => path.startsWith(pattern) : glob(pattern) }
}
