import { Option } from "effect"
import type { PriorityDecision } from "./crawl.ts"
import { type Facts, prioritise } from "./priority.ts"

/** Something that could be otherwise, and what the answer would be then. */
export interface Change {
  readonly if: string
  readonly priority: PriorityDecision
}

const some = Option.some
/** What could be otherwise. Tried one at a time, on the facts as they are. */
const others = (facts: Facts, threshold: number): ReadonlyArray<readonly [text: string, facts: Facts]> => [
  ["an override says high", { ...facts, override: some("high") }],
  ["an override says normal", { ...facts, override: some("normal") }],
  ["an override says low", { ...facts, override: some("low") }],
  ["the override ends", { ...facts, override: Option.none() }],
  ["it is no list, sitemap or search page", { ...facts, listing: false }],
  [
    `the host's score is ${threshold} or more (its threshold)`,
    { ...facts, score: some({ value: Math.max(1, threshold), threshold }) }
  ],
  [`the host's score is less than ${threshold} (its threshold)`, { ...facts, score: some({ value: -1, threshold }) }],
  ["the host has no score", { ...facts, score: Option.none() }],
  ["its category is a High one (politics, economy, …)", { ...facts, category: some("politics") }],
  ["its category is a Normal one (sports, tech, …)", { ...facts, category: some("sports") }],
  ["its category is any other", { ...facts, category: some("") }],
  ["it has no category", { ...facts, category: Option.none() }],
  ["its source says high", { ...facts, source: some("high") }],
  ["its source says normal", { ...facts, source: some("normal") }],
  ["its rule says high", { ...facts, rule: some("high") }],
  ["its rule says normal", { ...facts, rule: some("normal") }],
  ["it is tried again", { ...facts, retry_count: 1 }]
]

/** Each single change of the facts that would change the answer. */
export const changesOf = (facts: Facts, threshold: number): ReadonlyArray<Change> => {
  const now = prioritise(facts)
  return others(facts, threshold).flatMap(([text, other]) => {
    const priority = prioritise(other)
    return priority.value === now.value ? [] : [{ if: text, priority }]
  })
}
