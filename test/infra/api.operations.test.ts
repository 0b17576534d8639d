import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { ask, codeOf, healthService, READ, serve } from "../support/api.ts"

serve()

describe("input", () => {
  const queries: ReadonlyArray<readonly [string, string]> = [
    ["limit=-1", "limit"],
    ["limit=1e9", "limit"],
    ["limit=abc", "limit"],
    ["limit=0", "limit"],
    ["limit=1.5", "limit"],
    ["limit=", "limit"],
    ["limit=1&limit=2", "limit"],
    ["since=2026-02-30", "since"],
    ["since=yesterday", "since"],
    ["host=A%20b", "host"],
    ["after=../x", "after"],
    ["html=yes", "html"],
    ["offset=1e18", "offset"]
  ]
  test.each(queries)("articles?%s is 422 and names the field (B098, B099, B100)", async (query, field) => {
    const answer = await ask(`/api/v1/articles?${query}`)
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ success: false, error: { code: "invalid", field } })
  })
  test("a misspelt parameter is told the nearest one, one like none all there are", async () => {
    const answer = await ask("/api/v1/articles?limt=3")
    expect(answer.body.error.message).toContain("no such field; did you mean limit?")
    const far = await ask("/api/v1/articles?colour=red")
    expect(far.body.error).toMatchObject({
      field: "colour",
      message: expect.stringMatching(/^colour "red": no such field; there are: .*limit/)
    })
  })
  test("over 10,000 URLs are 422 (B095)", async () => {
    const urls = Array.from({ length: 10_001 }, (_, at) => `https://a.kr/${at}`)
    expect((await ask("/api/v1/crawl-jobs", { body: { urls } })).status).toBe(422)
    expect((await ask("/api/v1/crawl-jobs", { body: { urls: [] } })).status).toBe(422)
  })
  test("bad URLs are named with their code, the rest is taken once", async () => {
    const urls = ["https://a.kr/1", "https://a.kr/1#x", "http://10.0.0.1/", "ftp://a.kr/", "https://a.kr:22/"]
    const answer = await ask("/api/v1/crawl-jobs", { body: { urls } })
    expect(answer.status).toBe(202)
    expect(answer.body.data).toMatchObject({ accepted: 1, known: 1 })
    expect(answer.body.data.rejected.map((it: { code: string }) => it.code)).toEqual([
      "address_refused",
      "scheme_not_allowed",
      "port_not_allowed"
    ])
    const again = await ask("/api/v1/crawl-jobs", { body: { urls: ["https://a.kr/1"] } })
    expect(again.body.data).toEqual({ accepted: 0, known: 1, rejected: [] })
  })
})

describe("Idempotency-Key", () => {
  const add = (url: string, key: string) =>
    ask("/api/v1/sources", { body: { url }, headers: { "idempotency-key": key } })
  test("repeats the first answer for the same body and refuses another body (B106)", async () => {
    const first = await add("https://idem.kr/rss", "key-1")
    const second = await add("https://idem.kr/rss", "key-1")
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    const other = await add("https://other.kr/rss", "key-1")
    expect([other.status, codeOf(other)]).toEqual([422, "idempotency_key_reused"])
  })
  test("of 300 characters is 400", async () => {
    expect((await add("https://idem.kr/rss", "k".repeat(300))).status).toBe(400)
  })
})

describe("sources", () => {
  test("are added, shown, switched off, imported and removed", async () => {
    const added = await ask("/api/v1/sources", {
      body: { url: "https://news.kr/rss", category: "economy", every_ms: 60_000 }
    })
    expect(added.body.data).toMatchObject({ kind: "feed", category: "economy", every_ms: 60_000, enabled: true })
    const path = `/api/v1/sources/${added.body.data.id}`
    expect((await ask(path, { token: READ })).body.data.url).toBe("https://news.kr/rss")
    const off = await ask(path, { method: "PATCH", body: { enabled: false } })
    expect(off.body.data.enabled).toBe(false)
    const sources = [
      { url: "https://news.kr/rss" },
      { url: "https://new.kr/sitemap.xml" },
      { url: "http://127.0.0.1/" }
    ]
    const imported = await ask("/api/v1/sources/import", { body: { sources } })
    expect(imported.body.data).toMatchObject({ added: 1, known: 1, rejected: [{ code: "invalid" }] })
    expect((await ask(path, { method: "DELETE" })).status).toBe(200)
    expect((await ask(path)).status).toBe(404)
  })
  const bad: ReadonlyArray<readonly [object, string]> = [
    [{ url: "http://10.1.1.1/" }, "url"],
    [{ url: "https://a.kr/", cron: "61 * * * *" }, "cron"],
    [{ url: "https://a.kr/", zone: "Mars/Base" }, "zone"],
    [{ url: "https://a.kr/", every_ms: 10 }, "every_ms"],
    [{ url: "https://a.kr/", kind: "blog" }, "kind"],
    [{ url: "https://a.kr/", evry_ms: 10_000 }, "evry_ms"],
    [{}, "url"]
  ]
  test.each(bad)("%p are 422 and name %s", async (body, field) => {
    const answer = await ask("/api/v1/sources", { body })
    expect(answer.status).toBe(422)
    expect(answer.body.error.field).toBe(field)
  })
})

test("explain names the resolver that decides, with every resolver's facts", async () => {
  await ask("/api/v1/sources", { body: { url: "https://why.kr/list", category: "politics" } })
  const url = encodeURIComponent("https://www.why.kr/a/1?utm_source=x")
  const { body } = await ask(`/api/v1/explain?url=${url}`)
  expect(body.data).toMatchObject({
    host: "www.why.kr",
    priority: { value: "high", by: "category" },
    fetcher: { value: "auto", by: "default" },
    rule: null
  })
  expect(body.data.chain.map((it: { by: string }) => it.by)).toEqual([
    "retry",
    "override",
    "category",
    "score",
    "source",
    "rule"
  ])
})

test("what needs a database says so where there is none", async () => {
  const answer = await ask("/api/v1/sql", { body: { text: "select 1" } })
  expect([answer.status, codeOf(answer)]).toEqual([501, "unsupported"])
})

test("health and readiness name the check that fails, and readiness alone is not health", async () => {
  const probes = healthService()
  await Effect.runPromise(probes.add("ready", "database", Effect.succeed("no answer from 10.0.0.5")))
  const ready = await ask("/readyz", { token: null })
  expect([ready.status, ready.body]).toEqual([
    503,
    { status: "failing", checks: [{ name: "database", ok: false, message: "no answer from 10.0.0.5" }] }
  ])
  expect((await ask("/healthz", { token: null })).status).toBe(200)
  await Effect.runPromise(probes.add("ready", "database", Effect.die("bug")))
  expect((await ask("/readyz")).status).toBe(503)
  await Effect.runPromise(probes.add("ready", "database", Effect.succeed(null)))
  expect((await ask("/readyz")).status).toBe(200)
})
