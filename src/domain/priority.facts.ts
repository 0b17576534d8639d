import { Option } from "effect"
import type { Millis, Priority } from "./crawl.ts"
import { overrideAt, type PriorityConfig } from "./override.ts"
import type { Facts } from "./priority.ts"
import { type KeptScore, standingScore } from "./score.ts"

/** A parsing rule that carries a default priority: exact host, a path prefix; '' means every path. */
export interface RulePriority {
  readonly path: string
  readonly priority: Priority
}

/** What operators said of one host. */
export interface HostRules {
  readonly config: PriorityConfig
  readonly rules: ReadonlyArray<RulePriority>
}
/** All that is kept of one host for priority decisions. */
export interface Standing extends HostRules {
  readonly score: KeptScore | null
}

/** What the chain needs of one host at one instant; travels beside a page (`Scored`). */
export interface HostFacts {
  readonly value: number | null
  readonly threshold: number
  readonly override: Priority | null
  readonly rules: ReadonlyArray<RulePriority>
}

/** A standing at an instant of the database's clock: expired overrides and scores are no facts (S2.10). */
export const factsAt = (standing: Standing, now: Millis, threshold: number): HostFacts => ({
  value: standingScore(standing.score, now)?.value ?? null,
  threshold: standing.config.threshold ?? threshold,
  override: overrideAt(standing.config, now)?.value ?? null,
  rules: standing.rules
})

/** The rule that speaks for a path: the longest prefix. */
export const ruleFor = <R extends RulePriority>(rules: ReadonlyArray<R>, path: string): R | null =>
  rules.reduce<R | null>(
    (best, it) => (path.startsWith(it.path) && it.path.length > (best?.path.length ?? -1) ? it : best),
    null
  )

/** The chain's facts of a host; absent: nothing is known of it. */
export const chainFacts = (host: HostFacts | undefined, path: string): Pick<Facts, "override" | "score" | "rule"> => {
  if (host === undefined) return { override: Option.none(), score: Option.none(), rule: Option.none() }
  const { override, rules, threshold, value } = host
  return {
    override: Option.fromNullishOr(override),
    score: value === null ? Option.none() : Option.some({ value, threshold }),
    rule: Option.fromNullishOr(rules.length === 0 ? null : ruleFor(rules, path)?.priority)
  }
}
