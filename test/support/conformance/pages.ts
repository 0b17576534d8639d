import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import type { Article } from "../../../src/domain/article.ts"
import { Frontier, type OutcomeRecord, Pages } from "../../../src/domain/ports.ts"
import { type ClockName, sentences } from "./clock.ts"
import { planned } from "./frontier.ts"
import { type It, raws } from "./raws.ts"

export { rawBody } from "./raws.ts"

export interface PagesOptions<R> {
  readonly clock: ClockName
  /** Every outcome kept. */
  readonly outcomes: Effect.Effect<ReadonlyArray<OutcomeRecord>, unknown, R>
}

export const article = (id: string, more: Partial<Article> = {}): Article => ({
  id,
  url: `https://a.kr/${id}`,
  canonical_url: null,
  host: "a.kr",
  identity: `a.kr/${id}`,
  title: `제목 ${id}`,
  text: "본문입니다.\n\n둘째 문단 😀",
  html: null,
  authors: ["김기자", "O'Neill"],
  published_at: "2026-11-30T00:00:00.000Z",
  published_source: "json-ld",
  zone_source: "explicit",
  modified_at: null,
  language: "ko",
  section: null,
  tags: ["경제", 'a"b\\c'],
  image: null,
  description: null,
  site_name: null,
  extraction: { by: "generic", rule: null, version: 1, confidence: 0.75 },
  verdict: "ok",
  fetched_at: "2026-11-30T00:01:00.000Z",
  detected_at: "2026-11-30T00:01:00.000Z",
  fetcher: "http",
  priority: { value: "normal", by: "source" },
  ...more
})

/** What every store of pages promises. The layer is built anew for each sentence and must start empty. */
export const pagesSuite = <R, E>(
  name: string,
  layer: Layer.Layer<Pages | Frontier | R, E>,
  options: PagesOptions<R>
): void => {
  const it = sentences(name, options.clock, layer)
  raws(it)
  articles(it)
  queries(it)
  outcomes(it, options)
  urls(it)
}

let jobs = 0
/** A row of a job of its own. */
const row = (given: Article, url_key = given.id) => ({ article: given, url_key, job_id: `job ${++jobs}` })
const save = (given: Article, url_key = "key") => Pages.use((pages) => pages.saveArticles([row(given, url_key)]))

const articles = <R>(it: It<R>) => {
  it("an article is new once, then a duplicate, and a revision when its text changed", () =>
    Effect.gen(function* () {
      expect(yield* save(article("x"))).toEqual(["new"])
      expect(yield* save(article("x", { fetched_at: "2026-11-30T01:00:00.000Z" }))).toEqual(["duplicate"])
      expect(yield* save(article("x", { text: "정정된 본문" }))).toEqual(["revision"])
      expect(yield* save(article("x", { text: "정정된 본문" }))).toEqual(["duplicate"])
      const [stored] = yield* Pages.use((pages) => pages.articles({ ids: ["x"], limit: 10 }))
      expect(stored?.text).toBe("정정된 본문")
    }))

  it("an article comes back as it was saved", () =>
    Effect.gen(function* () {
      const given = article("x", { html: "<p>본문</p>", canonical_url: "https://a.kr/c", zone_source: null })
      yield* save(given)
      expect(yield* Pages.use((pages) => pages.articles({ ids: ["x"], limit: 10 }))).toEqual([given])
    }))

  it("only the URL an article was first seen at writes revisions", () =>
    Effect.gen(function* () {
      yield* save(article("x"), "first")
      expect(yield* save(article("x", { text: "other" }), "second")).toEqual(["duplicate"])
      const [stored] = yield* Pages.use((pages) => pages.articles({ ids: ["x"], limit: 10 }))
      expect(stored?.text).toBe(article("x").text)
    }))

  it("answers come per row and in order, also for one identity twice in a call", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      yield* save(article("old"), "old")
      const rows = ["z", "old", "z", "a"].map((id) => row(article(id)))
      expect(yield* pages.saveArticles(rows)).toEqual(["new", "duplicate", "duplicate", "new"])
    }))

  it("of two that save one identity at once, one finds it new", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const rows = () => ["b", "a", "c"].map((id) => row(article(id)))
      const both = [pages.saveArticles(rows()), pages.saveArticles(rows().toReversed())]
      const saved = (yield* Effect.all(both, { concurrency: 2 })).flat()
      expect(saved.filter((it) => it === "new").length).toBe(3)
      expect(saved.filter((it) => it === "duplicate").length).toBe(3)
    }))

  it("a job that asks again is answered as the first time", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const first = { article: article("x"), url_key: "key", job_id: "first" }
      const later = { article: article("x", { text: "정정된 본문" }), url_key: "key", job_id: "later" }
      expect(yield* pages.saveArticles([first])).toEqual(["new"])
      expect(yield* pages.saveArticles([first])).toEqual(["new"])
      expect(yield* pages.saveArticles([later])).toEqual(["revision"])
      expect(yield* pages.saveArticles([later])).toEqual(["revision"])
      const [stored] = yield* pages.articles({ ids: ["x"], limit: 10 })
      expect(stored?.text).toBe("정정된 본문")
    }))

  it("a row that cannot be stored costs no other row", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const dirty = article("dirty", { title: "a\u0000b", text: "NUL \u0000 here", tags: ["\u0000"] })
      const rows = [article("good"), dirty, article("fine")].map((it) => row(it))
      yield* pages.saveArticles(rows).pipe(Effect.catchTag("BadData", () => Effect.void))
      const stored = yield* pages.articles({ ids: ["good", "fine"], limit: 10 })
      expect(stored.map((it) => it.id).toSorted()).toEqual(["fine", "good"])
    }))
}

const queries = <R>(it: It<R>) => {
  const day = (n: number) => `2026-11-${String(n).padStart(2, "0")}T00:00:00.000Z`
  const fill = Pages.use((pages) =>
    pages.saveArticles(
      Array.from({ length: 20 }, (_, n) => {
        const at = day(n + 1)
        return row(article(`id${n}`, { host: n % 2 === 0 ? "a.kr" : "b.kr", fetched_at: at, detected_at: at }))
      })
    )
  )

  it("articles are found by host and by time", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      yield* fill
      expect((yield* pages.articles({ host: "b.kr", limit: 100 })).length).toBe(10)
      expect((yield* pages.articles({ since: Date.parse(day(16)), limit: 100 })).length).toBe(5)
      expect(yield* pages.articles({ ids: [], limit: 100 })).toEqual([])
    }))

  it("pages of articles, each after the last id of the one before, show each article once", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      yield* fill
      const seen: Array<string> = []
      for (let page = yield* pages.articles({ limit: 7 }); page.length > 0; ) {
        seen.push(...page.map((it) => it.id))
        const after = seen.at(-1) ?? ""
        page = yield* pages.articles({ after, limit: 7 })
      }
      expect(seen.length).toBe(20)
      expect(new Set(seen).size).toBe(20)
    }))
}

const outcomes = <R>(it: It<R>, { outcomes: kept }: PagesOptions<R>) => {
  it("an outcome saved twice is kept once, with its evidence", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const outcome: OutcomeRecord = {
        raw_id: "r1",
        url: "https://a.kr/1",
        host: "a.kr",
        verdict: "blocked",
        evidence: { status: 403, marker: "캡차", list: [1, "x"] },
        codes: ["too_short", "spam"],
        at: 1_700_000_000_123
      }
      yield* pages.saveOutcomes([outcome, outcome])
      yield* pages.saveOutcomes([outcome])
      expect(yield* kept).toEqual([outcome])
    }))
}

const urls = <R>(it: It<R>) => {
  const validators = { etag: 'W/"가"', last_modified: "Mon, 30 Nov 2026 00:00:00 GMT" }
  const fetched = {
    url_key: "key",
    url: "https://a.kr/1",
    host: "a.kr",
    validators,
    fetched_at: 1_700_000_000_123,
    status: 200
  }

  it("an unknown URL is null", () =>
    Effect.gen(function* () {
      expect(yield* Pages.use((pages) => pages.url("nowhere"))).toBeNull()
    }))

  it("a URL learns its validators and its article", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      yield* Frontier.use((frontier) => frontier.enqueue([planned("a.kr", "1", { url_key: "key" })]))
      yield* pages.saveValidators([fetched])
      yield* save(article("x"))
      expect(yield* pages.url("key")).toMatchObject({
        url_key: "key",
        url: "https://a.kr/1",
        host: "a.kr",
        article_id: "x",
        validators,
        fetched_at: fetched.fetched_at,
        status: 200
      })
    }))

  it("validators are kept also for a URL that never passed the frontier (a poll), the latest ones", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      yield* pages.saveValidators([{ ...fetched, validators: { etag: "old", last_modified: null } }])
      yield* pages.saveValidators([fetched])
      expect(yield* pages.url("key")).toMatchObject({ url: "https://a.kr/1", host: "a.kr", validators })
    }))
}
