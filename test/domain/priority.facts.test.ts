import { describe, expect, test } from "bun:test"
import { Option } from "effect"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import type { Scored } from "../../src/domain/flow.ts"
import { planLinks, planRevisit } from "../../src/domain/links.ts"
import { noConfig } from "../../src/domain/override.ts"
import { changesOf } from "../../src/domain/priority.changes.ts"
import { chainFacts, factsAt, type HostFacts, ruleFor, type Standing } from "../../src/domain/priority.facts.ts"
import { noFacts } from "../../src/domain/priority.ts"

const hour = 3_600_000
const standing: Standing = {
  score: { value: 0.6, calculated_at: 0, window_ms: 6 * hour },
  config: { ...noConfig, override: { value: "low", until: 2 * hour } },
  rules: [
    { path: "", priority: "low" },
    { path: "/news/", priority: "high" }
  ]
}
const nothing: HostFacts = { value: null, threshold: 0.5, override: null, rules: [] }

describe("what is known of a host is cut to what holds now", () => {
  test("an override until its end, a score until its window has passed", () => {
    expect(factsAt(standing, hour, 0.5)).toMatchObject({ value: 0.6, override: "low", threshold: 0.5 })
    expect(factsAt(standing, 2 * hour, 0.5)).toMatchObject({ value: 0.6, override: null })
    expect(factsAt(standing, 6 * hour + 1, 0.5)).toMatchObject({ value: null, override: null })
  })
  test("the host's own threshold goes before the cluster's (S2.8)", () => {
    expect(factsAt({ ...standing, config: { ...noConfig, threshold: 0.9 } }, 0, 0.5).threshold).toBe(0.9)
  })
  test("the rule of the longest path speaks", () => {
    expect(ruleFor(standing.rules, "/news/1")?.priority).toBe("high")
    expect(ruleFor(standing.rules, "/sport")?.priority).toBe("low")
    expect(ruleFor([], "/sport")).toBeNull()
    expect(chainFacts(factsAt(standing, 0, 0.5), "/news/1").rule).toEqual(Option.some("high"))
    expect(chainFacts(undefined, "/news/1")).toEqual({
      override: Option.none(),
      score: Option.none(),
      rule: Option.none()
    })
  })
})

const job: CrawlJob = {
  id: "s@1",
  source_id: "s",
  target: { url: "https://a.kr/feed", type: "feed", category: "sports" },
  host: "a.kr",
  priority: { value: "low", by: "default" },
  fetcher: "auto",
  follow: { hops: 1, within: "a.kr", lists: false, since: null },
  visit: 7,
  scheduled_at: 0,
  retry_count: 0
}
const page = (scores: Scored["scores"], given: CrawlJob = job): Scored => ({
  job: given,
  raw: {
    id: "r",
    url: given.target.url,
    final_url: given.target.url,
    host: "a.kr",
    status: 200,
    content_type: null,
    fetcher: "http",
    fetched_at: 0,
    elapsed_ms: 1,
    bytes: 1,
    truncated: false,
    hops: [],
    validators: { etag: null, last_modified: null }
  },
  verdict: "ok",
  kind: "feed",
  article: null,
  rejected: [],
  links: [
    { url: "https://a.kr/news/1", looks: "article", title: null, published_at: null },
    { url: "https://sub.a.kr/sitemap.xml", looks: "sitemap", title: null, published_at: null }
  ],
  scores
})
const decided = (it: ReadonlyArray<{ readonly job: CrawlJob }>) =>
  it.map(({ job: { host, priority } }) => `${host} ${priority.value} by ${priority.by}`)

describe("links and revisits get the priority that the chain has for their own host", () => {
  const table: ReadonlyArray<readonly [why: string, scores: Scored["scores"], expected: ReadonlyArray<string>]> = [
    ["nothing known", {}, ["a.kr normal by category", "sub.a.kr low by category"]],
    ["no score", { "a.kr": nothing }, ["a.kr normal by category", "sub.a.kr low by category"]],
    ["a high score", { "a.kr": { ...nothing, value: 0.5 } }, ["a.kr high by score", "sub.a.kr low by category"]],
    [
      "a sitemap is Low whatever its host's score",
      { "a.kr": { ...nothing, value: 0.4 }, "sub.a.kr": { ...nothing, value: 1 } },
      ["a.kr normal by score", "sub.a.kr low by category"]
    ],
    [
      "an override of one host says nothing of another",
      { "a.kr": { ...nothing, override: "low" }, "sub.a.kr": { ...nothing, override: "high" } },
      ["a.kr low by override", "sub.a.kr high by override"]
    ]
  ]
  test.each(table.map((row) => [...row] as const))("%s", (_, scores, expected) => {
    expect(decided(planLinks(page(scores), 0))).toEqual([...expected])
  })

  test("without a category the source's wish holds, also behind a sitemap, then the rule's", () => {
    const target = { url: "https://a.kr/feed", type: "feed" } as const
    const asked: CrawlJob = { ...job, target, source_priority: "high" }
    const rules = { "a.kr": { ...nothing, rules: [{ path: "/news", priority: "normal" as const }] } }
    expect(decided(planLinks(page(rules, asked), 0))[0]).toBe("a.kr high by source")
    expect(decided(planLinks(page(rules, { ...job, target }), 0))[0]).toBe("a.kr normal by rule")
    const child = planLinks(page({}, asked), 0)[1]?.job
    expect([child?.priority.value, child?.source_priority]).toEqual(["low", "high"])
  })

  test("a revisit is decided anew: a retry's Normal does not stick, a new override acts", () => {
    const article: CrawlJob = {
      ...job,
      target: { url: "https://a.kr/news/1", type: "article", category: "politics" },
      visit: 0,
      priority: { value: "normal", by: "retry" },
      retry_count: 2
    }
    expect(decided(planRevisit(page({}, article), [hour], 0))).toEqual(["a.kr high by category"])
    const held = page({ "a.kr": { ...nothing, override: "low" } }, article)
    expect(decided(planRevisit(held, [hour], 0))).toEqual(["a.kr low by override"])
    expect(planRevisit(held, [], 0)).toEqual([])
  })
})

describe("what would change the answer", () => {
  const texts = (it: ReturnType<typeof changesOf>) => it.map((change) => `${change.if} → ${change.priority.value}`)
  test("a High category yields to an override, a low score, another category or a retry", () => {
    const said = texts(changesOf({ ...noFacts, category: Option.some("politics") }, 0.5))
    expect(said).toContain("an override says low → low")
    expect(said).toContain("the host's score is less than 0.5 (its threshold) → normal")
    expect(said).toContain("it is tried again → normal")
    expect(said.some((it) => it.includes("score is 0.5 or more") || it.startsWith("its source"))).toBe(false)
  })
  test("a retry yields to nothing", () => {
    expect(changesOf({ ...noFacts, retry_count: 1, override: Option.some("high") }, 0.5)).toEqual([])
  })
  test("a Low category does not yield to a score", () => {
    const said = texts(changesOf({ ...noFacts, category: Option.some("horoscope") }, 0.5))
    expect(said.some((it) => it.includes("score"))).toBe(false)
    expect(said).toContain("an override says high → high")
  })
})
