import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { noConfig } from "../../src/domain/override.ts"
import {
  evenWeights,
  type HostSignals,
  judge,
  type Scale,
  scoreOf,
  scorePriority,
  signalNames,
  signalsFrom,
  standingScore,
  type Weights,
  weightsFor
} from "../../src/domain/score.ts"
import { noSums, type Sums } from "../../src/domain/signals.ts"
import { law } from "../support/law.ts"

const hour = 3_600_000
const window_ms = 6 * hour
const all = (value: number | null, cost = value): HostSignals => ({
  freshness: value,
  impact: value,
  cost,
  reliability: value,
  host_trust: value
})
const zero: Weights = { freshness: 0, impact: 0, cost: 0, reliability: 0, host_trust: 0 }

describe("the score is the weighted mean of the signals, cost turned round (S1.10, S1.11, S1.25)", () => {
  const table: ReadonlyArray<readonly [why: string, signals: HostSignals, weights: Weights, score: number | null]> = [
    ["the best host", all(1, 0), evenWeights, 1],
    ["the worst host", all(0, 1), evenWeights, 0],
    ["all signals 0, cost too: only that it costs nothing speaks for it", all(0), evenWeights, 0.2],
    ["all signals 1, cost too", all(1), evenWeights, 0.8],
    ["all signals 0.5", all(0.5), evenWeights, 0.5],
    ["nothing known counts as 0.5", all(null), evenWeights, 0.5],
    ["all weights 0: no score (B156)", all(1, 0), zero, null],
    ["one weight alone is that signal", { ...all(0), impact: 0.7 }, { ...zero, impact: 3 }, 0.7],
    ["cost alone is turned round", { ...all(0), cost: 0.25 }, { ...zero, cost: 2 }, 0.75],
    ["a signal outside [0,1] counts as its nearest end", all(7, -3), evenWeights, 1],
    ["large weights stay exact", all(0.5), weightsFor({ freshness: 1000, cost: 1000 }, evenWeights), 0.5]
  ]
  test.each(table.map((row) => [...row] as const))("%s", (_, signals, weights, score) => {
    const made = scoreOf(signals, weights)
    if (score === null) expect(made).toBeNull()
    else expect(made).toBeCloseTo(score, 12)
  })

  test("the seed's formula, shifted and scaled, gives the same number (settled 4)", () => {
    const s = { freshness: 0.9, impact: 0.4, cost: 0.3, reliability: 0.8, host_trust: 0.6 }
    const w = { freshness: 2, impact: 1, cost: 3, reliability: 0.5, host_trust: 4 }
    const raw =
      w.freshness * s.freshness +
      w.impact * s.impact +
      w.host_trust * s.host_trust -
      w.cost * s.cost -
      w.reliability * (1 - s.reliability)
    const total = 2 + 1 + 3 + 0.5 + 4
    expect(scoreOf(s, w)).toBeCloseTo((raw + w.cost + w.reliability) / total, 6)
  })
})

test("a score is the same number whoever adds it up, keeps it or compares it: millionths", () => {
  const weights = { ...zero, freshness: 1000, impact: 1 }
  expect(scoreOf({ ...all(0), impact: 1e-30 }, weights)).toBe(0)
  expect(scoreOf(all(0.7, 0.3), { freshness: 3, impact: 7, cost: 11, reliability: 0.1, host_trust: 0.3 })).toBe(0.7)
  const third = scoreOf({ ...all(0), freshness: 1 / 3 }, { ...zero, freshness: 1 }) ?? Number.NaN
  expect(third).toBe(0.333333)
  // REAL, as the state's column is: its shortest text is that number again.
  expect(Number(Math.fround(third).toPrecision(6))).toBe(third)
})

describe("signals come from the sums of a window (S1.5–S1.9)", () => {
  const sums = (more: Partial<Sums>): Sums => ({ ...noSums, ...more })
  const nobody = { rating: null, category: null }
  const table: ReadonlyArray<readonly [why: string, given: Partial<Sums>, expected: Partial<HostSignals>]> = [
    ["no signals at all: nothing is known", {}, all(null)],
    ["found at once", { lag_ms: 0, lags: 4 }, { freshness: 1 }],
    ["found after three hours on average", { lag_ms: 12 * hour, lags: 4 }, { freshness: 0.5 }],
    ["found after six hours", { lag_ms: 6 * hour, lags: 1 }, { freshness: 0 }],
    ["the mean weight of its articles", { impact: 1.7, impacts: 2 }, { impact: 0.85 }],
    ["half by browser, 5 s each", { samples: 4, browser: 2, latency_ms: 20_000, latencies: 4 }, { cost: 0.5 }],
    ["latency beyond 5 s counts as 5 s", { samples: 1, latency_ms: 60_000, latencies: 1 }, { cost: 1 / 3 }],
    ["no answer at all: latency unknown", { samples: 3, errors: 3 }, { cost: 0.5 / 3, reliability: 0 }],
    ["a rule relearnt each quarter of a day", { samples: 1, latencies: 1, relearns: 1 }, { cost: 1 / 3 }],
    ["one error of four", { samples: 4, errors: 1 }, { reliability: 0.75 }],
    ["three trips in six hours outweigh few errors", { samples: 10, errors: 1, trips: 3 }, { reliability: 0.5 }],
    ["more than a trip an hour is no worse than one", { samples: 10, trips: 60 }, { reliability: 0 }],
    ["three articles of four passed", { passed: 3, rejected: 1 }, { host_trust: 0.75 }]
  ]
  test.each(table.map((row) => [...row] as const))("%s", (_, given, expected) => {
    const made = signalsFrom(sums(given), window_ms, nobody)
    for (const name of signalNames) {
      const wanted = expected[name]
      if (wanted === null) expect(made[name]).toBeNull()
      else if (wanted !== undefined) expect(made[name]).toBeCloseTo(wanted, 12)
    }
  })

  test("an operator's rating is half of trust, and all of it where nothing was validated (S1.9)", () => {
    const measured = sums({ passed: 1, rejected: 1 })
    expect(signalsFrom(measured, window_ms, { rating: 1, category: null }).host_trust).toBe(0.75)
    expect(signalsFrom(noSums, window_ms, { rating: 0.2, category: null }).host_trust).toBe(0.2)
  })

  test("a host's category speaks for each article that states none (S1.6)", () => {
    const passed = (category: string | null, more: Partial<Sums>) =>
      signalsFrom(sums(more), window_ms, { rating: null, category }).impact
    expect(passed("politics", { passed: 4 })).toBe(1)
    expect(passed("politics", { passed: 4, impact: 0.8, impacts: 2 })).toBeCloseTo(0.7, 12)
    expect(passed("Weather", { passed: 4 })).toBe(0.5)
    expect(passed(null, { passed: 4, impact: 2, impacts: 2 })).toBe(0.75)
    expect(signalsFrom(noSums, window_ms, { rating: null, category: "politics" }).impact).toBe(1)
    expect(
      signalsFrom(sums({ impact: 0.4, impacts: 1 }), window_ms, { rating: null, category: "politics" }).impact
    ).toBe(0.4)
  })
})

describe("a host is judged by its own weights, or not at all", () => {
  const scale: Scale = { weights: evenWeights, window_ms, samplesMin: 20 }
  const host = (samples: number, config = noConfig) =>
    judge({ host: "a.kr", rating: null, category: null, config, sums: { ...noSums, samples, lags: 1 } }, scale)

  test("under twenty samples is a cold start: no score (S1.14)", () => {
    expect(host(19)).toMatchObject({ score: null, why: "cold_start", samples: 19 })
    expect(host(20)).toMatchObject({ why: "scored", samples: 20 })
  })

  test("its own weights change its score; the others keep the cluster's (S2.8, S2.14)", () => {
    const plain = host(20).score ?? Number.NaN
    const own = host(20, { ...noConfig, weights: { freshness: 10 } })
    expect(own.weights).toEqual({ ...evenWeights, freshness: 10 })
    expect(own.score).toBeGreaterThan(plain)
    expect(host(20, { ...noConfig, threshold: 0.9 }).score).toBe(plain)
  })

  test("all its weights 0: no score, like a cold start (B156)", () => {
    expect(host(20, { ...noConfig, weights: zero })).toMatchObject({ score: null, why: "zero_weights" })
  })

  test("a score older than its window says nothing", () => {
    const kept = { value: 0.9, calculated_at: 0, window_ms }
    expect(standingScore(kept, window_ms)).toEqual(kept)
    expect(standingScore(kept, window_ms + 1)).toBeNull()
  })

  test("the threshold belongs to High (S1.13)", () => {
    expect([scorePriority(0.5, 0.5), scorePriority(0.4999, 0.5)]).toEqual(["high", "normal"])
  })
})

const Part = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Weight = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))
const five = <S extends Schema.Constraint>(it: S) =>
  Schema.Struct({ freshness: it, impact: it, cost: it, reliability: it, host_trust: it })
/** Scores that differ by one step are the same but for the rounding. */
const step = 1.0001e-6
const Case = Schema.Struct({ signals: five(Schema.NullOr(Part)), weights: five(Weight), more: Part })

law("every score lies in [0,1]; only all-zero weights give none", Case, ({ signals, weights }) => {
  const score = scoreOf(signals, weights)
  const total = signalNames.reduce((sum, name) => sum + weights[name], 0)
  return score === null ? !(total > 0) : score >= 0 && score <= 1
})

for (const name of signalNames) {
  law(`more ${name} is ${name === "cost" ? "never better" : "never worse"}`, Case, ({ more, signals, weights }) => {
    const [low, high] = [Math.min(signals[name] ?? 0.5, more), Math.max(signals[name] ?? 0.5, more)]
    const [a, b] = [low, high].map((it) => scoreOf({ ...signals, [name]: it }, weights))
    if (a === null || b === null || a === undefined || b === undefined) return a === b
    return name === "cost" ? a >= b - 1e-12 : b >= a - 1e-12
  })
}

/** Numbers this small lose digits when they are multiplied: their proportions are others afterwards. */
const denormal = 1e-300
law("scaling all weights changes nothing", Case, ({ more, signals, weights: given }) => {
  const weights = { ...given }
  for (const name of signalNames) if (weights[name] < denormal) weights[name] = 0
  const scaled = { ...weights }
  for (const name of signalNames) scaled[name] = weights[name] * (0.5 + more)
  const [a, b] = [scoreOf(signals, weights), scoreOf(signals, scaled)]
  return a === null || b === null ? true : Math.abs(a - b) <= step
})
