/** Randomness that comes from a seed and a name alone: the same web on every machine, whatever is asked first. */
export interface Dice {
  /** A number from 0 (included) to 1 (excluded). */
  readonly share: () => number
  /** A whole number from 0 to `below - 1`. */
  readonly whole: (below: number) => number
  readonly pick: <T>(from: readonly T[]) => T
  readonly chance: (probability: number) => boolean
}

const UINT32 = 2 ** 32

/** A 32-bit digest of a text under a seed: FNV-1a, then two rounds of avalanche so that near names differ widely. */
export const digest = (seed: number, name: string): number => {
  let state = (0x811c9dc5 ^ Math.imul(seed + 1, 0x9e3779b1)) >>> 0
  for (let at = 0; at < name.length; at++) state = Math.imul(state ^ name.charCodeAt(at), 0x01000193)
  state = Math.imul(state ^ (state >>> 16), 0x7feb352d)
  state = Math.imul(state ^ (state >>> 15), 0x846ca68b)
  return (state ^ (state >>> 16)) >>> 0
}

/** Where a name falls between 0 and 1: decides membership in a share, always the same way. */
export const fraction = (seed: number, name: string): number => digest(seed, name) / UINT32

/** A stream of numbers for one name (xorshift32, never zero). */
export const dice = (seed: number, name: string): Dice => {
  let state = digest(seed, name) | 1
  const share = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / UINT32
  }
  const whole = (below: number) => Math.floor(share() * below)
  return {
    share,
    whole,
    pick: <T>(from: readonly T[]): T => {
      const chosen = from[whole(from.length)]
      if (chosen === undefined) throw new Error("nothing to pick from")
      return chosen
    },
    chance: (probability) => share() < probability
  }
}
