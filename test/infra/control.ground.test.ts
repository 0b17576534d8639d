import { expect, test } from "bun:test"
import { Option } from "effect"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import type { Source } from "../../src/domain/source.ts"
import { normaliseUrl, urlKey } from "../../src/domain/url.ts"
import { type Given, ground } from "../../src/infra/control.ground.ts"

const source = (url: string, kind: Source["kind"]): Source => ({
  id: "s",
  name: "s",
  url,
  kind,
  every_ms: null,
  cron: null,
  zone: "UTC",
  category: "politics",
  country: null,
  section: null,
  page_url: null,
  max_pages: null,
  priority: null,
  enabled: true,
  created_at: 0,
  next_poll_at: 0,
  polled_at: null,
  last: null
})
const given = (url: string, more: Partial<Given> = {}): Given => ({
  url,
  key: urlKey(normaliseUrl(url)),
  near: [source("https://a.kr/rss.xml", "feed")],
  job: null,
  read: false,
  known: null,
  rule: null,
  ...more
})
const job = (
  type: CrawlJob["target"]["type"],
  priority: CrawlJob["priority"] = { value: "high", by: "category" }
): CrawlJob => ({
  id: "k.0",
  source_id: "s",
  target: { url: "https://a.kr/politics", type, category: "politics" },
  host: "a.kr",
  priority,
  fetcher: "auto",
  follow: { hops: 0, within: null, lists: false, since: null },
  visit: 0,
  scheduled_at: 0,
  retry_count: 0
})

// An explanation must come to what the router would: a list, sitemap or search page is Low whatever its category.
const list = "https://a.kr/section/politics"
const table: ReadonlyArray<readonly [why: string, given: Given, listing: boolean]> = [
  ["an article's address", given("https://a.kr/2026/11/30/a-word-about-the-budget-of-seoul"), false],
  ["an address that is a list's by its shape", given(list), true],
  ["a sitemap", given("https://a.kr/sitemap.xml"), true],
  ["a search", given("https://a.kr/find?q=budget"), true],
  ["an address whose shape tells nothing for sure", given("https://a.kr/budget"), false],
  ["a list's address where an article was found", given(list, { read: true }), false],
  ["a job knows better than the address: an article", given(list, { job: job("article") }), false],
  ["a job knows better than the address: a list", given("https://a.kr/budget", { job: job("list") }), true],
  [
    "a job that leaves it open, Low by its looks",
    given(list, { job: job("auto", { value: "low", by: "category" }) }),
    true
  ],
  ["a job that leaves it open, High", given(list, { job: job("auto") }), false],
  ["a source's own feed", given("https://a.kr/rss.xml"), false],
  ["a source's own list", given("https://a.kr/budget", { near: [source("https://a.kr/budget", "list")] }), true]
]
test.each(table.map((row) => [...row] as const))("listing or not: %s", (_, it, listing) => {
  expect(ground(it).facts.listing).toBe(listing)
})

test("the rule that carries a priority speaks, and is named", () => {
  const { facts, shown } = ground(given("https://a.kr/x", { rule: { id: "7", path: "/", priority: "normal" } }))
  expect(facts.rule).toEqual(Option.some("normal"))
  expect(shown.rule).toEqual({ rule: "7", path: "/", priority: "normal" })
})
