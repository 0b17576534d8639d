import type { Millis, Priority } from "./crawl.ts"
import type { PriorityConfig } from "./override.ts"
import { impactOf, lagMsMax, type Sums } from "./signals.ts"

/** The five signals of a host, each in [0,1]; null: nothing is known of it (S1.5–S1.9). */
export interface HostSignals {
  /** Publication to detection; sooner is higher. */
  readonly freshness: number | null
  /** Weight of the categories it writes about. */
  readonly impact: number | null
  /** What its pages cost: browser, relearnt rules, latency. The only one of which more is worse. */
  readonly cost: number | null
  /** Errors and breaker trips; fewer is higher. */
  readonly reliability: number | null
  /** Articles that passed validation, and the operator's rating. */
  readonly host_trust: number | null
}
export const signalNames = ["freshness", "impact", "cost", "reliability", "host_trust"] as const
export type SignalName = (typeof signalNames)[number]
export type Weights = { readonly [N in SignalName]: number }

/** What the store knows of a host beside its signals. */
export interface HostWords {
  /** An operator's rating, 0 to 1 (`crawler hosts rate`). */
  readonly rating: number | null
  /** An operator's category of the host: it speaks for each of its articles that states none. */
  readonly category: string | null
}

/**
 * Scores are told apart by millionths. Finer ones are noise of floating point, and `host_scoring_state.score` (REAL, S1.15)
 * would neither keep them nor, below its smallest number, take them: every layer must compare the same number to a threshold.
 */
const steps = 1e6
/** A missing signal counts as this: neither for nor against. */
const unknown = 0.5
/** A fetch that takes that long is as costly as any. */
const latencyMsMax = 5000
const hourMs = 3_600_000
const dayMs = 86_400_000

const clamp = (value: number): number => Math.min(1, Math.max(0, value))
const share = (part: number, whole: number): number | null => (whole > 0 ? clamp(part / whole) : null)

const trustOf = ({ passed, rejected }: Sums, rating: number | null): number | null => {
  const measured = share(passed, passed + rejected)
  if (rating === null) return measured
  return measured === null ? clamp(rating) : (measured + clamp(rating)) / 2
}

/** The mean over passed articles; one that states no category has its host's (S1.6). */
const impactFrom = ({ impact, impacts, passed }: Sums, category: string | null): number | null => {
  const silent = Math.max(0, passed - impacts)
  const whole = share(impact + silent * impactOf(category), impacts + silent)
  return whole ?? (category === null ? null : impactOf(category))
}

/**
 * The signals of one host from the sums of its window.
 * @source REQUIREMENTS, "Facts the seeds leave out": cold start
 */
export const signalsFrom = (sums: Sums, window_ms: number, { category, rating }: HostWords): HostSignals => {
  const { samples } = sums
  const browser = share(sums.browser, samples) ?? unknown
  const latency = sums.latencies > 0 ? clamp(sums.latency_ms / sums.latencies / latencyMsMax) : unknown
  const relearns = clamp((sums.relearns * dayMs) / window_ms)
  const trips = clamp((sums.trips * hourMs) / window_ms)
  const errors = share(sums.errors, samples)
  return {
    freshness: sums.lags > 0 ? clamp(1 - sums.lag_ms / sums.lags / lagMsMax) : null,
    impact: impactFrom(sums, category),
    cost: samples === 0 && relearns === 0 ? null : (browser + relearns + latency) / 3,
    reliability: errors === null && trips === 0 ? null : 1 - Math.max(errors ?? 0, trips),
    host_trust: trustOf(sums, rating)
  }
}

/**
 * The score of a host: 1 the best, 0 the worst, all signals at 0.5 give 0.5. null where all weights are 0.
 * The seed's formula (S1.10) shifted and scaled into [0,1]: (raw + w_cost + w_reliability) / (sum of all weights), which
 * is the weighted mean of the signals with cost turned round; to the nearest millionth.
 * @source S1.10, S1.11, settled 4
 * @example scoreOf({ freshness: 1, impact: 1, cost: 0, reliability: 1, host_trust: 1 }, evenWeights) // => 1
 */
export const scoreOf = (signals: HostSignals, weights: Weights): number | null => {
  const total = signalNames.reduce((sum, name) => sum + weights[name], 0)
  if (!(total > 0) || !Number.isFinite(total)) return null
  const good = (name: SignalName) => {
    const value = clamp(signals[name] ?? unknown)
    return name === "cost" ? 1 - value : value
  }
  const mean = signalNames.reduce((sum, name) => sum + (weights[name] / total) * good(name), 0)
  return clamp(Math.round(mean * steps) / steps)
}

export const evenWeights: Weights = { freshness: 1, impact: 1, cost: 1, reliability: 1, host_trust: 1 }

/** A host's own weights, each where it is set; else the cluster's (S2.8). */
export const weightsFor = (own: Partial<Weights>, cluster: Weights): Weights => ({ ...cluster, ...own })

/** The cluster-wide settings of scoring (S1.12, S1.13). */
export interface Scale {
  readonly weights: Weights
  readonly window_ms: number
  /** Fewer samples in the window are a cold start: no score (S1.14). */
  readonly samplesMin: number
}

/** What the scorer reads of one host. */
export interface HostTotals extends HostWords {
  readonly host: string
  readonly sums: Sums
  readonly config: PriorityConfig
}

/** What the scorer writes of one host; `score` null: none, and why. */
export interface HostScore {
  readonly host: string
  readonly score: number | null
  readonly why: "scored" | "cold_start" | "zero_weights"
  readonly signals: HostSignals
  readonly weights: Weights
  /** The host's own; null: the cluster's. */
  readonly threshold: number | null
  readonly samples: number
}

/** The scorer's judgement of one host. */
export const judge = ({ category, config, host, rating, sums }: HostTotals, scale: Scale): HostScore => {
  const weights = weightsFor(config.weights, scale.weights)
  const signals = signalsFrom(sums, scale.window_ms, { category, rating })
  const base = { host, signals, weights, threshold: config.threshold, samples: sums.samples }
  if (sums.samples < scale.samplesMin) return { ...base, score: null, why: "cold_start" }
  const score = scoreOf(signals, weights)
  return { ...base, score, why: score === null ? "zero_weights" : "scored" }
}

/** A score as it is kept, with the window it was made of. */
export interface KeptScore {
  readonly value: number
  readonly calculated_at: Millis
  readonly window_ms: number
}

/** What a score says, or null when it is older than its own window: then it says nothing. */
export const standingScore = (score: KeptScore | null, now: Millis): KeptScore | null =>
  score !== null && now - score.calculated_at <= score.window_ms ? score : null

/** S1.13: at the threshold is High. */
export const scorePriority = (value: number, threshold: number): Priority => (value >= threshold ? "high" : "normal")
