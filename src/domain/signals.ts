import { categoryNamed } from "./category.ts"
import type { Millis } from "./crawl.ts"
import type { Signal } from "./ports.ts"

/**
 * Signals are summed per host and bucket: a cycle over 10,000 hosts and 6 h then reads 240,000 rows, not millions.
 * A window is counted in whole buckets, so it may reach back a quarter of an hour further than it says.
 */
export const bucketMs = 15 * 60_000
/** A lag that long means no freshness at all; longer ones count as this, so that one old article tells no more than that. */
export const lagMsMax = 6 * 3_600_000

/** Sums over one host's signals of a bucket, or of a window (S1.4–S1.9). Every field is a sum or a count, so sums add up. */
export interface Sums {
  /** Article fetches, failed ones too: what cold start counts. */
  readonly samples: number
  /** Of these: HTTP 4xx and 5xx, broken connections, timeouts. */
  readonly errors: number
  /** Of these: by browser. */
  readonly browser: number
  /** Time of fetches that were answered (ms), and how many those are. */
  readonly latency_ms: number
  readonly latencies: number
  /** Publication to detection (ms, each at most `lagMsMax`), and how many articles state a date. */
  readonly lag_ms: number
  readonly lags: number
  readonly passed: number
  readonly rejected: number
  /** Weights of the categories that passed articles state, and how many state one. */
  readonly impact: number
  readonly impacts: number
  readonly trips: number
  readonly relearns: number
}

export const noSums: Sums = {
  samples: 0,
  errors: 0,
  browser: 0,
  latency_ms: 0,
  latencies: 0,
  lag_ms: 0,
  lags: 0,
  passed: 0,
  rejected: 0,
  impact: 0,
  impacts: 0,
  trips: 0,
  relearns: 0
}

const impactWeights: ReadonlyArray<readonly [weight: number, categories: ReadonlyArray<string>]> = [
  [1, ["politics", "economy", "society", "current_affairs", "breaking_news"]],
  [0.7, ["international", "tech", "science"]],
  [0.4, ["sports", "culture", "entertainment", "lifestyle"]]
]
const impactByCategory = new Map(impactWeights.flatMap(([weight, names]) => names.map((it) => [it, weight] as const)))
/** Weight of a category that the map does not name, and of an article without one. */
const impactElse = 0.5

/**
 * How much an article of this category matters (S1.6).
 * @source REQUIREMENTS, "Facts the seeds leave out"
 * @example impactOf("economy") // => 1
 */
export const impactOf = (category: string | null): number =>
  impactByCategory.get(categoryNamed(category ?? "")) ?? impactElse

const failed = (status: number): boolean => status === 0 || status >= 400

/** What one signal adds to its host's sums. */
export const contribution = (signal: Signal): Sums => {
  switch (signal.kind) {
    case "fetch": {
      const answered = signal.status > 0
      return {
        ...noSums,
        samples: 1,
        errors: failed(signal.status) ? 1 : 0,
        browser: signal.fetcher === "browser" ? 1 : 0,
        latency_ms: answered ? Math.max(0, signal.latency_ms) : 0,
        latencies: answered ? 1 : 0
      }
    }
    case "article":
      return signal.category === null
        ? { ...noSums, passed: 1 }
        : { ...noSums, passed: 1, impact: impactOf(signal.category), impacts: 1 }
    case "rejected":
      return { ...noSums, rejected: 1 }
    case "detected":
      return signal.lag_ms === null
        ? noSums
        : { ...noSums, lag_ms: Math.min(lagMsMax, Math.max(0, signal.lag_ms)), lags: 1 }
    case "trip":
      return { ...noSums, trips: 1 }
    case "relearn":
      return { ...noSums, relearns: 1 }
  }
}

export const addSums = (a: Sums, b: Sums): Sums => ({
  samples: a.samples + b.samples,
  errors: a.errors + b.errors,
  browser: a.browser + b.browser,
  latency_ms: a.latency_ms + b.latency_ms,
  latencies: a.latencies + b.latencies,
  lag_ms: a.lag_ms + b.lag_ms,
  lags: a.lags + b.lags,
  passed: a.passed + b.passed,
  rejected: a.rejected + b.rejected,
  impact: a.impact + b.impact,
  impacts: a.impacts + b.impacts,
  trips: a.trips + b.trips,
  relearns: a.relearns + b.relearns
})

/** Start of the bucket an instant falls in. */
export const bucketOf = (at: Millis): Millis => Math.floor(at / bucketMs) * bucketMs

/** Start of the first bucket that belongs to a window ending now. */
export const windowStart = (now: Millis, window_ms: number): Millis => bucketOf(now - window_ms)

export interface Bucket {
  readonly host: string
  readonly at: Millis
  readonly sums: Sums
}

/** A batch of signals as one row per host and bucket. */
export const bucketsOf = (signals: ReadonlyArray<Signal>): ReadonlyArray<Bucket> => {
  const all = new Map<string, Bucket>()
  for (const signal of signals) {
    const at = bucketOf(signal.at)
    const key = `${at} ${signal.host}`
    const sums = addSums(all.get(key)?.sums ?? noSums, contribution(signal))
    all.set(key, { host: signal.host, at, sums })
  }
  return [...all.values()]
}
