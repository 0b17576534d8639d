import { Duration } from "effect"
import type { Scale, Weights } from "../domain/score.ts"
import type { Settings } from "./config.ts"

/** The cluster's weights (S1.12). */
export const clusterWeights = (it: Settings["Service"]): Weights => ({
  freshness: it.SCORING_WEIGHT_FRESHNESS,
  impact: it.SCORING_WEIGHT_IMPACT,
  cost: it.SCORING_WEIGHT_COST,
  reliability: it.SCORING_WEIGHT_RELIABILITY,
  host_trust: it.SCORING_WEIGHT_HOST_TRUST
})

export const scaleOf = (it: Settings["Service"]): Scale => ({
  weights: clusterWeights(it),
  window_ms: Duration.toMillis(it.SCORING_WINDOW),
  samplesMin: it.SCORING_MIN_SAMPLES
})
