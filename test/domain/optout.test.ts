import { describe, expect, test } from "bun:test"
import { articleOf } from "../../src/domain/identity.ts"
import { headerOptOuts, metaOptOuts, refusedUses } from "../../src/domain/optout.ts"
import { read } from "../../src/domain/read.ts"
import { parseRobots } from "../../src/domain/robots.ts"
import { job } from "../support/net.ts"
import { articlePage } from "../support/pages.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const robots = (text: string) => parseRobots(bytes(text), "crawler").ai_opt_outs.map(({ signal }) => signal)

describe("what a site says of use by AI", () => {
  test.each([
    ["x-robots-tag", "noai, noimageai", ["noai", "noimageai"]],
    ["x-robots-tag", "noarchive, NoAI", ["noai"]],
    ["x-robots-tag", "crawler: noai", ["noai"]],
    ["x-robots-tag", "otherbot: noai", []],
    ["x-robots-tag", "otherbot: nofollow, noai", ["noai"]],
    ["x-robots-tag", "unavailable_after: 25 Jun 2030 15:00:00 GMT, noai", ["noai"]],
    ["x-robots-tag", "index, follow, noaim", []],
    ["tdm-reservation", "1", ["tdm_reservation"]],
    ["tdm-reservation", "0", []],
    ["content-signal", "search=yes,ai-train=no,ai-input=no", ["ai_train", "ai_input"]],
    ["content-usage", "train-ai=n", ["ai_train"]],
    ["content-usage", "train-ai=y", []]
  ])("header %s: %s", (name, value, expected) => {
    const found = headerOptOuts((it) => (it === name ? value : null), "crawler")
    expect(found).toEqual(expected.map((signal) => ({ signal, source: "header" })) as never)
  })

  test("a meta tag says it too, each thing once", () => {
    const values = new Map([
      ["robots", ["index, noai", "NOAI,noimageai"]],
      ["tdm-reservation", ["1"]]
    ])
    expect(metaOptOuts((name) => values.get(name) ?? []).map(({ signal }) => signal)).toEqual([
      "noai",
      "noimageai",
      "tdm_reservation"
    ])
  })

  test.each([
    ["for all", "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /", ["ai_train"]],
    ["for us", "User-agent: *\nAllow: /\n\nUser-agent: Crawler\nContent-Signal: ai-input=no\nAllow: /", ["ai_input"]],
    ["for all, where we are named", "User-agent: *\nContent-Signal: ai-train=no\n\nUser-agent: crawler\nAllow: /", []],
    ["for another", "User-agent: other\nContent-Signal: ai-train=no\nDisallow: /", []],
    ["for a path alone", "User-agent: *\nContent-Usage: /private/ train-ai=n\nAllow: /", []],
    ["by another word", "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /x", ["ai_train"]]
  ])("robots.txt %s", (_, text, expected) => {
    expect(robots(text)).toEqual(expected as never)
  })

  test("what is no such statement says nothing, however long", () => {
    expect(refusedUses("ai-train, =no, ai-train=no-not-really, ai-train=".repeat(10_000))).toEqual([])
  })
})

test("an article carries what its page, its answer and its robots.txt say; a silent site's article carries nothing", () => {
  const html = articlePage("A council votes on a bridge").replace("<head>", '<head><meta name="robots" content="noai">')
  const url = "https://news.example/story/1"
  const hints = {
    url,
    expected: "article",
    status: 200,
    content_type: "text/html",
    truncated: false,
    fetched_at: 0,
    html: false
  } as const
  const raw = {
    id: "raw",
    url,
    final_url: url,
    host: "news.example",
    status: 200,
    content_type: "text/html",
    fetcher: "http",
    fetched_at: 0,
    elapsed_ms: 1,
    bytes: 1,
    truncated: false,
    hops: [],
    validators: { etag: null, last_modified: null }
  } as const
  const stated = [{ signal: "ai_train", source: "robots.txt" }] as const
  const named = { scope: "news.example", identity: url }
  const article = (page: string, said: typeof stated | readonly []) => {
    const { content } = read(bytes(page), hints, null)
    if (content === null) throw new Error("no article")
    return articleOf(job(url), { ...raw, ai_opt_outs: said }, content, "ok", named, 0).ai_opt_outs
  }
  expect(article(html, stated)).toEqual([...stated, { signal: "noai", source: "meta" }])
  expect(article(articlePage("A council votes on a bridge"), [])).toEqual([])
})
