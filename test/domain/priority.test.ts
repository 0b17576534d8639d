import { describe, expect, test } from "bun:test"
import { Option, Schema } from "effect"
import { Priority } from "../../src/domain/crawl.ts"
import {
  categoryPriority,
  chain,
  explainPriority,
  type Facts,
  isListing,
  noFacts,
  prioritise
} from "../../src/domain/priority.ts"
import { law } from "../support/law.ts"

interface Given {
  readonly retry?: number
  readonly override?: Priority
  readonly category?: string
  readonly listing?: boolean
  readonly score?: readonly [value: number, threshold: number]
  readonly source?: Priority
  readonly rule?: Priority
}
const facts = (given: Given): Facts => ({
  retry_count: given.retry ?? 0,
  override: Option.fromUndefinedOr(given.override),
  category: Option.fromUndefinedOr(given.category),
  listing: given.listing ?? false,
  score: Option.map(Option.fromUndefinedOr(given.score), ([value, threshold]) => ({ value, threshold })),
  source: Option.fromUndefinedOr(given.source),
  rule: Option.fromUndefinedOr(given.rule)
})

describe("the chain decides as its table says", () => {
  const table: ReadonlyArray<readonly [why: string, given: Given, expected: `${Priority} by ${string}`]> = [
    ["nothing known (S1.2)", {}, "low by default"],
    // Settled 1 and S1.20: who stands before whom.
    ["a category alone suggests", { category: "politics" }, "high by category"],
    ["a normal category alone", { category: "sports" }, "normal by category"],
    ["an unlisted category is Low", { category: "horoscope" }, "low by category"],
    ["an empty category is a stated one", { category: "" }, "low by category"],
    ["a source suggests", { source: "high" }, "high by source"],
    ["a rule suggests", { rule: "normal" }, "normal by rule"],
    ["the source stands before the rule", { source: "normal", rule: "high" }, "normal by source"],
    ["the category stands before the source", { category: "tech", source: "high" }, "normal by category"],
    ["a source may say low", { source: "low", rule: "high" }, "low by source"],
    // S1.13: the threshold belongs to High.
    ["a score at the threshold is High", { score: [0.5, 0.5] }, "high by score"],
    ["a score just under it is Normal", { score: [0.499, 0.5] }, "normal by score"],
    ["a host's own threshold holds (S2.8)", { score: [0.5, 0.9] }, "normal by score"],
    ["threshold 0: every score is High", { score: [0, 0] }, "high by score"],
    // S1.20: a score readjusts High and Normal, both ways, and ends the chain.
    ["a score lowers a high category", { category: "economy", score: [0.1, 0.5] }, "normal by score"],
    ["a score raises a normal category", { category: "sports", score: [0.9, 0.5] }, "high by score"],
    ["a score stands before a source", { score: [0.1, 0.5], source: "high" }, "normal by score"],
    ["an unclassified host may be scored", { score: [0.9, 0.5] }, "high by score"],
    // S1.14: too few samples, no score; the category stands.
    ["no score leaves the category", { category: "society", source: "low" }, "high by category"],
    // S1.3 and S1.19: an explicit Low is never raised by a score.
    ["a Low category is not scored", { category: "horoscope", score: [1, 0] }, "low by category"],
    ["nor raised by a source or a rule", { category: "x", source: "high", rule: "high" }, "low by category"],
    // Lists found as links are Low whatever their category.
    ["a list link is Low", { listing: true, category: "politics", score: [1, 0.5] }, "low by category"],
    ["a list link without category too", { listing: true, source: "high" }, "low by category"],
    // S2.5: the override stands after Retry and before CategoryBased.
    ["an override raises a Low category", { override: "high", category: "horoscope" }, "high by override"],
    ["an override raises a list link", { override: "normal", listing: true }, "normal by override"],
    ["an override beats a score", { override: "low", category: "politics", score: [1, 0.5] }, "low by override"],
    // Settled 2: a retry is Normal even under an override.
    ["a retry is Normal", { retry: 1, category: "politics" }, "normal by retry"],
    ["a retry beats an override", { retry: 3, override: "high" }, "normal by retry"],
    ["a retry lifts a Low category (not by a score)", { retry: 1, category: "horoscope" }, "normal by retry"]
  ]
  test.each(table.map((row) => [...row] as const))("%s", (_, given, expected) => {
    const { value, by } = prioritise(facts(given))
    expect(`${value} by ${by}`).toBe(expected)
  })
})

describe("the category map", () => {
  const map: Readonly<Record<Priority, ReadonlyArray<string>>> = {
    high: [
      ...["politics", "economy", "society", "current_affairs", "breaking_news"],
      // The same by another spelling: nobody who states it means a category that is on no list.
      ...["Politics", " politics", "Current Affairs", "breaking-news"]
    ],
    normal: [
      ...["sports", "culture", "tech", "science", "business", "entertainment"],
      ...["lifestyle", "international", "health", "climate", "column", "community"]
    ],
    low: ["", " ", "poli tics", "weather", "정치", "high", "constructor", "__proto__"]
  }
  for (const [expected, names] of Object.entries(map)) {
    test(`${expected}: ${names.join(", ")}`, () => {
      expect([...new Set(names.map(categoryPriority))]).toEqual([Schema.decodeUnknownSync(Priority)(expected)])
    })
  }

  test("lists, sitemaps and searches are listings; articles, feeds and unknown pages are not", () => {
    expect((["list", "sitemap", "search_results"] as const).map(isListing)).toEqual([true, true, true])
    expect((["article", "feed", "auto"] as const).map(isListing)).toEqual([false, false, false])
  })
})

test("the order of the chain is the policy (S1.20, S2.5)", () => {
  expect(chain.map(({ by }) => by)).toEqual(["retry", "override", "category", "score", "source", "rule"])
})

test("an explanation has a line per resolver, in order, with what it said", () => {
  const steps = explainPriority(facts({ category: "politics", score: [0.2, 0.5], rule: "low" }))
  expect(steps).toEqual([
    { by: "retry", opinion: null },
    { by: "override", opinion: null },
    { by: "category", opinion: { value: "high", final: false } },
    { by: "score", opinion: { value: "normal", final: true } },
    { by: "source", opinion: null },
    { by: "rule", opinion: { value: "low", final: false } }
  ])
})

const AnyFacts = Schema.Struct({
  retry_count: Schema.Literals([0, 0, 0, 1, 5]),
  override: Schema.Option(Priority),
  category: Schema.Option(Schema.Union([Schema.Literals(["politics", "sports", "weather"]), Schema.String])),
  listing: Schema.Boolean,
  score: Schema.Option(Schema.Struct({ value: Schema.Finite, threshold: Schema.Finite })),
  source: Schema.Option(Priority),
  rule: Schema.Option(Priority)
})
const values = new Set(["high", "normal", "low"])
const isLow = (it: Facts) => it.listing || Option.exists(it.category, (name) => categoryPriority(name) === "low")

law("every combination of facts has one answer, the same each time", AnyFacts, (it) => {
  const first = prioritise(it)
  const second = prioritise(it)
  return values.has(first.value) && first.value === second.value && first.by === second.by
})

law("who decided has said so in the explanation", AnyFacts, (it) => {
  const { value, by } = prioritise(it)
  const step = explainPriority(it).find((line) => line.by === by)
  return by === "default" ? value === "low" && step === undefined : step?.opinion?.value === value
})

law("no score changes what is Low by category or kind (S1.3)", AnyFacts, (it) => {
  if (!isLow(it)) return true
  const best = { ...it, score: Option.some({ value: 1, threshold: 0 }) }
  const none = { ...it, score: Option.none() }
  return prioritise(best).value === prioritise(none).value && prioritise(best).by !== "score"
})

law("a score yields High or Normal, never Low (S1.2)", AnyFacts, (it) => {
  const { value, by } = prioritise(it)
  return by !== "score" || value !== "low"
})

law("a retry is Normal whatever else is known (settled 2)", AnyFacts, (it) => {
  const { value, by } = prioritise({ ...it, retry_count: 1 })
  return value === "normal" && by === "retry"
})

law("without a retry an override is the answer (S2.6)", AnyFacts, (it) =>
  Option.match(it.override, {
    onNone: () => true,
    onSome: (wanted) => prioritise({ ...it, retry_count: 0 }).value === wanted
  })
)

law("a higher score never means a lower priority", AnyFacts, (it) =>
  Option.match(it.score, {
    onNone: () => true,
    onSome: ({ value, threshold }) => {
      const rank = (given: Facts) => ["low", "normal", "high"].indexOf(prioritise(given).value)
      const more = { ...it, score: Option.some({ value: value + 1, threshold }) }
      return rank(more) >= rank(it)
    }
  })
)

test("no facts at all are Low by default", () => {
  expect(prioritise(noFacts)).toEqual({ value: "low", by: "default" })
})
