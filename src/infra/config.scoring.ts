import { decimal, duration, whole } from "./setting.ts"

/** One signal may count for nothing, or for much more than the others; not for less than nothing. */
const weight = { min: 0, max: 1000 }

/** Settings of scoring and of priority lookups (S1.12, S1.13, S1.16). All weights 0 are refused where they are read together. */
export const scoringSettings = {
  SCORING_INTERVAL: duration(
    "5m",
    { min: "1s", max: "1h" },
    "Hosts are scored this often, by one process of all; at most SCORING_WINDOW."
  ),
  SCORING_WINDOW: duration(
    "6h",
    { min: "15m", max: "48h" },
    "Signals a score is made of; an older score says nothing."
  ),
  SCORING_MIN_SAMPLES: whole(
    20,
    { min: 1, max: 100_000 },
    "Article fetches in the window; fewer: no score (cold start)."
  ),
  SCORING_THRESHOLD: decimal(0.5, { min: 0, max: 1 }, "Scores from here on are High, others Normal."),
  SCORING_WEIGHT_FRESHNESS: decimal(1, weight, "Weight of the time from publication to detection."),
  SCORING_WEIGHT_IMPACT: decimal(1, weight, "Weight of the categories a host writes about."),
  SCORING_WEIGHT_COST: decimal(1, weight, "Weight of browser use, relearnt rules and latency."),
  SCORING_WEIGHT_RELIABILITY: decimal(1, weight, "Weight of errors and breaker trips."),
  SCORING_WEIGHT_HOST_TRUST: decimal(1, weight, "Weight of passed validations and the operator's rating."),
  PRIORITY_CACHE_TTL: duration("3s", { min: "0ms", max: "5s" }, "Life of a host's priority facts in memory."),
  PRIORITY_CACHE_HOSTS: whole(50_000, { min: 1, max: 1_000_000 }, "Hosts whose priority facts are in memory at once."),
  PRIORITY_HOST_LABELS: whole(20, { min: 0, max: 1000 }, "Hosts named in metrics; the rest are `other`.")
} as const
