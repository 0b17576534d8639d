import { Option } from "effect"
import { categoryNamed } from "./category.ts"
import type { Priority, PriorityDecision, TargetType } from "./crawl.ts"

/** All a decision may rest on, gathered beforehand, so that deciding is pure. Absent facts say nothing. */
export interface Facts {
  readonly retry_count: number
  /** Only an override that holds now (S2.6): an expired or timeless one is no fact. */
  readonly override: Option.Option<Priority>
  readonly category: Option.Option<string>
  /** True for a link to a list, sitemap or search page: Low whatever its category. */
  readonly listing: boolean
  readonly score: Option.Option<{ readonly value: number; readonly threshold: number }>
  readonly source: Option.Option<Priority>
  readonly rule: Option.Option<Priority>
}

/** A resolver either decides (ends the chain), suggests (holds if nobody decides) or says nothing. */
export interface Opinion {
  readonly value: Priority
  readonly final: boolean
}
export interface Resolver {
  readonly by: PriorityDecision["by"]
  readonly rule: (facts: Facts) => Option.Option<Opinion>
}

const decide = (value: Priority): Opinion => ({ value, final: true })
const suggest = (value: Priority): Opinion => ({ value, final: false })

const high = new Set(["politics", "economy", "society", "current_affairs", "breaking_news"])
const normal = new Set([
  "sports",
  "culture",
  "tech",
  "science",
  "business",
  "entertainment",
  "lifestyle",
  "international",
  "health",
  "climate",
  "column",
  "community"
])

/**
 * The category map: any other *stated* category is Low.
 * @source REQUIREMENTS, "Facts the seeds leave out"
 * @example categoryPriority("politics") // => "high"
 */
export const categoryPriority = (category: string): Priority => {
  const name = categoryNamed(category)
  return high.has(name) ? "high" : normal.has(name) ? "normal" : "low"
}

/** Target types that are Low when found as links. */
export const isListing = (type: TargetType): boolean =>
  type === "list" || type === "sitemap" || type === "search_results"

/**
 * The chain: its order is the policy, and `by` says who decided.
 * Category Low decides (a score never raises it, S1.3); category High and Normal, source and rule suggest; a score decides.
 * @source settled 1, S1.20, S2.5
 */
export const chain: ReadonlyArray<Resolver> = [
  { by: "retry", rule: (it) => (it.retry_count > 0 ? Option.some(decide("normal")) : Option.none()) },
  { by: "override", rule: (it) => Option.map(it.override, decide) },
  {
    by: "category",
    rule: (it) =>
      it.listing
        ? Option.some(decide("low"))
        : Option.map(it.category, (name) => {
            const value = categoryPriority(name)
            return value === "low" ? decide(value) : suggest(value)
          })
  },
  {
    by: "score",
    rule: (it) => Option.map(it.score, ({ value, threshold }) => decide(value >= threshold ? "high" : "normal"))
  },
  { by: "source", rule: (it) => Option.map(it.source, suggest) },
  { by: "rule", rule: (it) => Option.map(it.rule, suggest) }
]

/** One line of the explanation: what a resolver said, `null` when it said nothing. */
export interface Step {
  readonly by: PriorityDecision["by"]
  readonly opinion: Opinion | null
}

/** Every resolver's opinion, in order: what `explain` shows. */
export const explainPriority = (facts: Facts): ReadonlyArray<Step> =>
  chain.map(({ by, rule }) => ({ by, opinion: Option.getOrNull(rule(facts)) }))

/** The first decision wins, else the first suggestion, else low. */
export const prioritise = (facts: Facts): PriorityDecision => {
  const spoken = explainPriority(facts).flatMap(({ by, opinion }) => (opinion === null ? [] : [{ by, ...opinion }]))
  const winner = spoken.find((it) => it.final) ?? spoken[0]
  return winner === undefined ? { value: "low", by: "default" } : { value: winner.value, by: winner.by }
}

/** Facts of a job of which nothing is known but its category and kind. */
export const noFacts: Facts = {
  retry_count: 0,
  override: Option.none(),
  category: Option.none(),
  listing: false,
  score: Option.none(),
  source: Option.none(),
  rule: Option.none()
}
