import { describe, expect, test } from "bun:test"
import type { Follow } from "../../src/domain/crawl.ts"
import type { Scored } from "../../src/domain/flow.ts"
import { planLinks, planRevisit } from "../../src/domain/links.ts"
import type { Link } from "../../src/domain/reading.ts"
import { seedJob } from "../../src/domain/seed.ts"
import { parseHttpUrl } from "../../src/domain/url.ts"

const now = Date.UTC(2026, 10, 30, 12)

const page = (
  links: ReadonlyArray<Partial<Link> & { readonly url: string }>,
  follow: Partial<Follow> = {},
  category: string | null = null
): Scored => {
  const url = parseHttpUrl("https://news.example/")
  if (url._tag === "Failure") throw new Error(url.failure.message)
  const { job } = seedJob(url.success, { type: "list", hops: 2, lists: false, category, visit: 7 }, now)
  return {
    job: { ...job, follow: { ...job.follow, ...follow } },
    raw: {
      id: "raw",
      url: url.success.href,
      final_url: url.success.href,
      host: "news.example",
      status: 200,
      content_type: "text/html",
      fetcher: "http",
      fetched_at: now,
      elapsed_ms: 1,
      bytes: 1,
      truncated: false,
      hops: [],
      validators: { etag: null, last_modified: null }
    },
    verdict: "ok",
    kind: "list",
    article: null,
    rejected: [],
    links: links.map((it) => ({ looks: "article", title: null, published_at: null, ...it })),
    scores: {}
  }
}
const urls = (scored: Scored) => planLinks(scored, now).map((it) => it.job.target.url)
const story = "https://news.example/2026/11/30/story-1"

describe("which links are followed", () => {
  test("articles inside the domain, not lists, not other sites", () => {
    const links = [
      { url: story },
      { url: "https://www.news.example/a/2" },
      { url: "https://other.example/a/3" },
      { url: "https://news.example/politics", looks: "list" as const }
    ]
    expect(urls(page(links))).toEqual([story, "https://www.news.example/a/2"])
    expect(urls(page(links, { lists: true }))).toHaveLength(3)
    expect(urls(page(links, { within: null }))).toHaveLength(3)
  })
  test("links dated before the source's backlog are left alone, undated ones taken", () => {
    const links = [
      { url: `${story}?a=1`, published_at: "2026-11-01T00:00:00Z" },
      { url: `${story}?a=2`, published_at: "2026-11-30T00:00:00Z" },
      { url: `${story}?a=3` }
    ]
    expect(urls(page(links, { since: Date.UTC(2026, 10, 28) }))).toEqual([`${story}?a=2`, `${story}?a=3`])
  })
  test("what no crawler may take is left out", () => {
    expect(
      urls(
        page([
          { url: "https://user:x@news.example/1" },
          { url: "ftp://news.example/1" },
          { url: `https://news.example${"/a".repeat(60)}` }
        ])
      )
    ).toEqual([])
  })
})

describe("what a link becomes", () => {
  test("one hop less, the parent's category, and its own identity without tracking", () => {
    const [one, other] = planLinks(page([{ url: `${story}?utm_source=x` }, { url: story }], {}, "politics"), now)
    expect(one?.job.follow.hops).toBe(1)
    expect(one?.job.target).toMatchObject({ type: "article", category: "politics", url: `${story}?utm_source=x` })
    expect(one?.job.id).toBe(other?.job.id ?? "")
  })
  test("a list is Low whatever its category; an article has its category's priority", () => {
    const plans = planLinks(
      page([{ url: "https://news.example/politics", looks: "list" }, { url: story }], { lists: true }, "politics"),
      now
    )
    expect(plans.map((it) => [it.topic, it.job.priority])).toEqual([
      ["crawl.low", { value: "low", by: "category" }],
      ["crawl.high", { value: "high", by: "category" }]
    ])
  })
  test("a child sitemap is visited with every poll of its index, an article once", () => {
    const plans = planLinks(page([{ url: "https://news.example/news.xml", looks: "sitemap" }, { url: story }]), now)
    expect(plans.map((it) => it.job.visit)).toEqual([7, 0])
  })
})

test("an article is visited again as often as the setting says, each time later", () => {
  const { job, scores } = page([])
  const at = (visit: number) => ({ job: { ...job, visit }, scores })
  const waits = [3_600_000, 86_400_000]
  const first = planRevisit(at(0), waits, now)
  expect(first.map((it) => [it.job.visit, it.not_before - now])).toEqual([[1, 3_600_000]])
  expect(planRevisit(at(1), waits, now).map((it) => it.not_before - now)).toEqual([86_400_000])
  expect(planRevisit(at(2), waits, now)).toEqual([])
})
