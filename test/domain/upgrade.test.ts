import { describe, expect, test } from "bun:test"
import { Duration, Result } from "effect"
import type { Content, Verdict } from "../../src/domain/article.ts"
import { type FetcherRule, fetcherNamed } from "../../src/domain/fetcherrules.ts"
import type { RawPage } from "../../src/domain/fetching.ts"
import { lazyMarker } from "../../src/domain/lazyload.ts"
import type { DocumentKind } from "../../src/domain/reading.ts"
import { consequenceOf, failureOf, forcedFetcher, type Republish } from "../../src/domain/upgrade.ts"
import { job } from "../support/net.ts"

const url = "https://a.example/news/1"
const raw: RawPage = {
  id: "raw",
  url,
  final_url: url,
  host: "a.example",
  status: 200,
  content_type: "text/html",
  fetcher: "http",
  fetched_at: 1000,
  elapsed_ms: 1,
  bytes: 1,
  truncated: false,
  hops: [],
  validators: { etag: null, last_modified: null }
}
const contentOf = (title: string, text: string): Content => ({
  title,
  text,
  html: null,
  authors: [],
  published: null,
  modified: null,
  language: null,
  section: null,
  tags: [],
  image: null,
  description: null,
  site_name: null,
  canonical_url: null,
  extraction: { by: "generic", rule: null, version: 1, confidence: 1 }
})
const whole = contentOf("A title of some length", "x".repeat(100))
const policy = {
  enabled: true,
  browser: true,
  threshold: 5,
  window: Duration.hours(1),
  titleMin: 5,
  contentMin: 100,
  republishMax: 20,
  republishSpacing: Duration.seconds(5)
}

describe("which page counts against its fetcher", () => {
  type Case = readonly [
    name: string,
    over: {
      type?: "article" | "auto" | "list"
      kind?: DocumentKind
      verdict?: Verdict
      raw?: Partial<RawPage>
      content?: Content | null
    },
    answer: "parse" | "empty_body" | null
  ]
  const cases: ReadonlyArray<Case> = [
    ["a whole article", {}, null],
    ["nothing found at all", { content: null, verdict: "empty", kind: "unknown" }, "parse"],
    ["a title without text", { content: contentOf("A title of some length", " ") }, "parse"],
    ["99 code points of text", { content: contentOf("A title of some length", "x".repeat(99)) }, "empty_body"],
    ["100 pairs of surrogates are 100", { content: contentOf("A title of some length", "😀".repeat(100)) }, null],
    ["a title of four code points", { content: contentOf("Four", whole.text) }, "empty_body"],
    ["a title of five Hangul syllables", { content: contentOf("가나다라마", whole.text) }, null],
    ["a list that was empty", { type: "list", content: null, kind: "list", verdict: "empty" }, null],
    ["a URL of unknown kind that is no article", { type: "auto", content: null, kind: "unknown" }, null],
    ["a URL of unknown kind that is one, and short", { type: "auto", content: contentOf("A title", "") }, "parse"],
    ["not found", { raw: { status: 404 }, content: null }, null],
    ["unchanged", { raw: { status: 304 }, content: null }, null],
    ["a paywall", { verdict: "paywall", content: contentOf("A title", "short") }, null],
    ["a challenge", { verdict: "blocked", content: null }, null],
    ["an uncertain charset", { verdict: "charset_uncertain", content: null }, null],
    ["a download", { raw: { content_type: "application/zip" }, content: null, verdict: "empty" }, null]
  ]
  for (const [name, over, answer] of cases) {
    test(`${name}: ${answer ?? "does not"}`, () => {
      const page = {
        job: job(url, { target: { url, type: over.type ?? "article" } }),
        raw: { ...raw, ...over.raw },
        verdict: over.verdict ?? "ok",
        kind: over.kind ?? "article",
        content: over.content === undefined ? whole : over.content
      }
      expect(failureOf(page, policy)).toBe(answer)
    })
  }
})

describe("what follows from a failure", () => {
  const rule = (fetcher: FetcherRule["fetcher"], reason: string | null = null): FetcherRule => ({
    host: "a.example",
    fetcher,
    reason,
    version: 1,
    updated_at: 5000
  })
  const auto = rule("browser", "auto_upgrade_validation")
  const cases = [
    ["four of five", { count: 4 }, {}, "none"],
    ["five, no rule", { count: 5 }, {}, "upgrade"],
    ["six, after a lost race", { count: 6 }, {}, "upgrade"],
    ["five, an http rule set by hand", { count: 5, rule: rule("http", "cheap") }, {}, "upgrade"],
    ["five, switched off", { count: 5 }, { enabled: false }, "none"],
    ["five, without a browser on this machine", { count: 5 }, { browser: false }, "alert"],
    ["a browser's fifth failure", { count: 5, fetcher: "browser", rule: auto }, {}, "alert"],
    ["a browser's fourth failure", { count: 4, fetcher: "browser", rule: auto }, {}, "none"],
    ["a plain page fetched before its upgrade", { count: 1, rule: auto }, {}, "straggler"],
    ["a plain page long after it", { count: 9, rule: auto, fetched_at: 700_000 }, {}, "none"],
    ["a plain page under a browser rule set by hand", { count: 9, rule: rule("browser") }, {}, "alert"]
  ] as const
  for (const [name, facts, over, answer] of cases) {
    test(`${name}: ${answer}`, () => {
      const all = { fetcher: "http", fetched_at: 1000, rule: null, ...facts } as const
      expect(consequenceOf(all, { ...policy, ...over })).toBe(answer)
    })
  }
})

describe("who may force a fetcher (B200, B202, B203)", () => {
  const forced = job(url, { id: "key.r1.raw", target: { url, type: "article" } })
  const row: Republish = { job_id: "key.r1.raw", url, target_type: "article", fetcher: "browser", closed: false }
  const cases = [
    ["an open row", "browser", row, "browser"],
    ["its alias", "chromedp", row, "browser"],
    ["no row behind it", "browser", null, "unknown"],
    ["a closed row", "browser", { ...row, closed: true }, "closed"],
    ["a row of another URL", "browser", { ...row, url: `${url}0` }, "mismatch"],
    ["a row of another kind", "browser", { ...row, target_type: "list" }, "mismatch"],
    ["a row of another fetcher", "http", row, "mismatch"],
    ["no fetcher", "rm -rf", row, "malformed"],
    ["two headers in one", "browser,http", row, "malformed"],
    ["the default chain", "auto", row, "malformed"]
  ] as const
  for (const [name, header, found, answer] of cases) {
    test(`${name}: ${answer}`, () => {
      expect(Result.merge(forcedFetcher(header, forced, found))).toBe(answer)
    })
  }
})

describe("which page wants a browser", () => {
  const script = '<script src="/app.js"></script>'
  const text = `<p>${"Words of an article that came at once. ".repeat(30)}</p>`
  const cases = [
    ["an empty application root", `<body><div id="root"></div>${script}</body>`, "empty_root"],
    [
      "a root that only speaks of JavaScript",
      `<div id="app"><noscript>Enable JavaScript</noscript></div>${script}`,
      "empty_root"
    ],
    ["text that waits", `<div data-lazy-src="/body.html"></div>${script}`, "data-lazy-src"],
    ["a class that says so", `<div class="article lazyload"></div>${script}`, "lazyload"],
    ["data-lazy", `<section data-lazy></section>${script}`, "data-lazy"],
    [
      "pictures that wait beside text that is there",
      `<img class="lazyload" data-lazy-src="a.jpg">${text}${script}`,
      null
    ],
    ["a filled root", `<div id="root">${text}</div>${script}`, null],
    ["an empty root without scripts", '<div id="root"></div>', null],
    ["a short page without markers", `<p>Short.</p>${script}`, null],
    ["text that only a script holds", `<div id="root"></div><script>${"x ".repeat(2000)}</script>`, "empty_root"]
  ] as const
  for (const [name, html, answer] of cases) test(name, () => expect(lazyMarker(html)).toBe(answer))

  test("unclosed tags by the thousand are passed over once", () => {
    expect(lazyMarker(`<div id="root"></div>${"<script>".repeat(60_000)}`)).toBe("empty_root")
    expect(lazyMarker(`<div id="root"></div><script></script>${"<!--".repeat(60_000)}`)).toBe("empty_root")
    expect(lazyMarker(`<div id="root"></div><script></script>${"<".repeat(200_000)}`)).toBe("empty_root")
  })
})

test("a fetcher's name is its own, or that of the seeds", () => {
  expect(["http", "goquery", "BROWSER", "chromedp", "auto", "wget", ""].map(fetcherNamed)).toEqual([
    "http",
    "http",
    "browser",
    "browser",
    "auto",
    null,
    null
  ])
})
