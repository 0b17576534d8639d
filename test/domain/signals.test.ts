import { describe, expect, test } from "bun:test"
import type { Signal } from "../../src/domain/ports.ts"
import { addSums, bucketMs, bucketOf, bucketsOf, contribution, impactOf, noSums } from "../../src/domain/signals.ts"

const signal = (more: Partial<Signal>): Signal => ({
  host: "a.kr",
  at: 0,
  kind: "fetch",
  fetcher: "http",
  status: 200,
  latency_ms: 120,
  lag_ms: null,
  category: null,
  ...more
})

describe("the weight of a category (S1.6)", () => {
  const table: ReadonlyArray<readonly [weight: number, names: ReadonlyArray<string | null>]> = [
    [1, ["politics", "economy", "society", "current_affairs", "breaking_news"]],
    [1, ["Politics", " ECONOMY ", "Current Affairs", "breaking-news"]],
    [0.7, ["international", "tech", "science"]],
    [0.4, ["sports", "culture", "entertainment", "lifestyle"]],
    [0.5, ["business", "health", "climate", "column", "community", "weather", "", null, "__proto__"]]
  ]
  test.each(table.map((row) => [...row] as const))("%d", (weight, names) => {
    expect([...new Set(names.map(impactOf))]).toEqual([weight])
  })
})

describe("what one signal adds", () => {
  const table: ReadonlyArray<readonly [why: string, given: Partial<Signal>, sums: Partial<typeof noSums>]> = [
    ["a fetch", {}, { samples: 1, latency_ms: 120, latencies: 1 }],
    ["by browser", { fetcher: "browser" }, { samples: 1, browser: 1, latency_ms: 120, latencies: 1 }],
    ["a page that is not there", { status: 404 }, { samples: 1, errors: 1, latency_ms: 120, latencies: 1 }],
    ["a broken connection took no time to answer", { status: 0, latency_ms: 0 }, { samples: 1, errors: 1 }],
    ["an unchanged page", { status: 304 }, { samples: 1, latency_ms: 120, latencies: 1 }],
    ["an article that passed", { kind: "article", category: "tech" }, { passed: 1, impact: 0.7, impacts: 1 }],
    ["one that passed and states no category (its host's may speak)", { kind: "article" }, { passed: 1 }],
    ["one that was rejected", { kind: "rejected" }, { rejected: 1 }],
    ["one found after a minute", { kind: "detected", lag_ms: 60_000 }, { lag_ms: 60_000, lags: 1 }],
    ["an old one counts as six hours", { kind: "detected", lag_ms: 86_400_000 }, { lag_ms: 21_600_000, lags: 1 }],
    ["one without a date", { kind: "detected" }, {}],
    ["a breaker that opened", { kind: "trip" }, { trips: 1 }],
    ["a rule learnt anew", { kind: "relearn" }, { relearns: 1 }]
  ]
  test.each(table.map((row) => [...row] as const))("%s", (_, given, sums) => {
    expect(contribution(signal(given))).toEqual({ ...noSums, ...sums })
  })
})

test("signals of one host and quarter of an hour are one row", () => {
  const at = bucketOf(Date.parse("2026-11-30T10:14:59Z"))
  expect(new Date(at).toISOString()).toBe("2026-11-30T10:00:00.000Z")
  const rows = bucketsOf([
    signal({ at }),
    signal({ at: at + bucketMs - 1, status: 500 }),
    signal({ at: at + bucketMs }),
    signal({ at, host: "b.kr" })
  ])
  expect(rows.map((it) => [it.host, it.at - at, it.sums.samples, it.sums.errors])).toEqual([
    ["a.kr", 0, 2, 1],
    ["a.kr", bucketMs, 1, 0],
    ["b.kr", 0, 1, 0]
  ])
})

test("sums add up, field by field", () => {
  const one = contribution(signal({ status: 503 }))
  expect(addSums(one, one)).toEqual({ ...noSums, samples: 2, errors: 2, latency_ms: 240, latencies: 2 })
  expect(addSums(noSums, one)).toEqual(one)
})
