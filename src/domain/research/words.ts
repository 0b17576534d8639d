import { createHash } from "node:crypto"

/** Names that publishers give the hosts of what they publish: the word list of DNS enumeration (S5.8). */
export const words: ReadonlyArray<string> = (
  "www news m mobile amp media press newsroom blog rss feed feeds live tv radio video sports sport business economy money finance tech " +
  "science health culture life style opinion politics world local english en ko zh ja es fr de ar id ms ta data stat statistics gazette " +
  "bulletin magazine weekly daily times today alert notice events info portal open research library education"
).split(" ")

/**
 * A label that nobody has registered: if it resolves, the domain answers to every name (a wildcard). Made of the domain's
 * hash, so that a repeated question is the same question.
 */
export const unlikelyLabel = (domain: string, turn: number): string =>
  `x${createHash("sha256").update(`${domain}\n${turn}`).digest("hex").slice(0, 16)}`
