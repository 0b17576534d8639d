import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import * as health from "../../src/infra/api/health.ts"
import { Listening, layer as server } from "../../src/infra/api/server.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as local from "../../src/infra/control.local.ts"
import * as memory from "../../src/infra/store.memory.ts"

const ADMIN = "an-admin-token-of-this-test"
const READ = "a-reading-token-of-this-test"
const BODY_MAX = 1_048_576

const settings = Result.getOrThrow(load({}))
const options = {
  host: "127.0.0.1",
  port: 0,
  version: "0.1.0",
  bodyBytesMax: BODY_MAX,
  tokens: { admin: [ADMIN, "another-admin-token-beside-it"], read: [READ] },
  api: true
}
const live = server(options).pipe(
  Layer.provideMerge(Layer.mergeAll(health.layer, local.layer("0.1.0"))),
  Layer.provideMerge(memory.layer()),
  Layer.provideMerge(Layer.succeed(Settings, settings))
)

const scope = Scope.makeUnsafe()
let base = ""
let port = 0
let healthOf: health.Health["Service"] | undefined
beforeAll(async () => {
  const context = await Effect.runPromise(Layer.buildWithScope(live, scope))
  const { address, port: given } = await Effect.runPromise(Effect.provideContext(Listening, context))
  healthOf = await Effect.runPromise(Effect.provideContext(health.Health, context))
  base = address
  port = given
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Bytes as given, on a socket of their own; the whole answer as text. */
const raw = (text: string, limitMs = 5000): Promise<string> =>
  new Promise((done) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    const end = () => socket.destroy()
    const timer = setTimeout(end, limitMs)
    socket.on("data", (data) => {
      answer += data.toString("latin1")
      // One answer is enough; what matters is its head.
      if (answer.includes("\r\n\r\n")) setTimeout(end, 30)
    })
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearTimeout(timer)
      done(answer)
    })
  })
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

const ask = async (
  path: string,
  given: { method?: string; token?: string | null; body?: unknown; headers?: Record<string, string> } = {}
) => {
  const token = given.token === undefined ? ADMIN : given.token
  const response = await fetch(`${base}${path}`, {
    method: given.method ?? (given.body === undefined ? "GET" : "POST"),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(given.body === undefined ? {} : { "content-type": "application/json" }),
      ...given.headers
    },
    ...(given.body === undefined
      ? {}
      : { body: typeof given.body === "string" ? given.body : JSON.stringify(given.body) })
  })
  const text = await response.text()
  const body =
    response.headers.get("content-type")?.startsWith("application/json") && text !== "" ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, body }
}
const codeOf = (answer: { body: { error?: { code?: string } } }) => answer.body.error?.code

describe("who may do what", () => {
  const table: ReadonlyArray<readonly [string, string, string | null, number]> = [
    ["GET", "/api/v1/sources", null, 401],
    ["GET", "/api/v1/sources", "wrong-token-of-some-length", 401],
    ["GET", "/api/v1/sources", "x", 401],
    ["GET", "/api/v1/sources", READ, 200],
    ["GET", "/api/v1/sources", ADMIN, 200],
    ["GET", "/api/v1/sources", "another-admin-token-beside-it", 200],
    ["DELETE", "/api/v1/sources/nothing", READ, 403],
    ["DELETE", "/api/v1/sources/nothing", ADMIN, 404],
    ["GET", "/healthz", null, 200],
    ["GET", "/readyz", null, 200],
    ["GET", "/metrics", null, 200],
    ["GET", "/openapi.json", null, 200],
    ["GET", "/", null, 200]
  ]
  test.each(table)("%s %s with token %p answers %d", async (method, path, token, status) => {
    expect((await ask(path, { method, token })).status).toBe(status)
  })

  const odd: ReadonlyArray<readonly [string, string]> = [
    ["non-ASCII", "Bearer \u00e9\u00e8"],
    ["a list", `Bearer ${ADMIN}, Bearer ${ADMIN}`],
    ["another scheme", `Basic ${ADMIN}`],
    ["a suffix", `Bearer ${ADMIN}x`],
    ["12 kB", `Bearer ${"x".repeat(12_000)}`],
    ["nothing", "Bearer "]
  ]
  test.each(odd)("an Authorization header with %s is 401 (B108)", async (_, value) => {
    const answer = await raw(`GET /api/v1/sources HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${value}\r\n\r\n`)
    expect(statusOf(answer)).toBe(401)
  })
  test("NUL in a token or a megabyte of it never passes (B108)", async () => {
    const head = "GET /api/v1/sources HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
    expect([400, 401]).toContain(statusOf(await raw(`${head}${ADMIN}\0\r\n\r\n`)))
    expect([401, 431]).toContain(statusOf(await raw(`${head}${"x".repeat(1 << 20)}\r\n\r\n`)))
  })
})

describe("paths and methods", () => {
  const paths: ReadonlyArray<string> = [
    "//api/v1/sources",
    "/api/v1//sources",
    "/API/v1/sources",
    "/api/%761/sources",
    "/api/v1/%73ources",
    "/api/v1/sources/",
    "/api/v1/sources/..%2f..%2fetc",
    "/api/v1/sources/%2e%2e%2fx",
    "/api/v1/sources/%00",
    "/api/v1/nothing",
    "/healthz/",
    "/%68ealthz"
  ]
  test.each(paths)("GET %s with a valid token is 404, never 200 (B101, B110)", async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN}\r\n\r\n`)
    expect(statusOf(answer)).toBe(404)
    expect(answer).toContain('"success":false')
  })
  test.each(["HEAD", "OPTIONS", "TRACE", "PUT"])(
    "%s on an admin path is 405 and names what it takes (B113)",
    async (method) => {
      const answer = await raw(`${method} /api/v1/sources HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect(statusOf(answer)).toBe(405)
      expect(answer.toLowerCase()).toContain("allow: get, post")
    }
  )
  test("a load balancer may ask /healthz by HEAD", async () => {
    expect(statusOf(await raw("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))).toBe(200)
  })
})

describe("a loopback server", () => {
  const hosts: ReadonlyArray<readonly [string, number]> = [
    ["localhost", 200],
    ["LOCALHOST:8080", 200],
    ["127.0.0.1:1", 200],
    ["[::1]:8080", 200],
    ["evil.com", 421],
    ["127.0.0.1.evil.com", 421],
    ["localhost.evil.com", 421],
    ["evil.com, localhost", 400],
    ["", 400]
  ]
  test.each(hosts)("asked as host %p answers %d (B111)", async (host, status) => {
    expect(statusOf(await raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`))).toBe(status)
  })
  test("does not believe a second Host or X-Forwarded-Host", async () => {
    const twice = await raw("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\n\r\n")
    expect([400, 421]).toContain(statusOf(twice))
    const forwarded = await raw("GET /healthz HTTP/1.1\r\nHost: evil.com\r\nX-Forwarded-Host: localhost\r\n\r\n")
    expect(statusOf(forwarded)).toBe(421)
  })
})

describe("bodies", () => {
  const post = (headers: string, body: string) =>
    raw(`POST /api/v1/sources HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN}\r\n${headers}\r\n${body}`)
  const json = "Content-Type: application/json\r\n"

  test("an empty one is 400 (B081)", async () => {
    expect(statusOf(await post(`${json}Content-Length: 0\r\n`, ""))).toBe(400)
    expect(statusOf(await post(json, ""))).toBe(400)
  })
  test("two lengths are 400, equal ones too (B085)", async () => {
    expect(statusOf(await post(`${json}Content-Length: 2\r\nContent-Length: 3\r\n`, "{} "))).toBe(400)
    expect(statusOf(await post(`${json}Content-Length: 2\r\nContent-Length: 2\r\n`, "{}"))).toBe(400)
    expect(statusOf(await post(`${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`, "0\r\n\r\n"))).toBe(400)
  })
  test("over the limit is 413 by its stated length, before it is sent (B082)", async () => {
    const answer = await post(`${json}Content-Length: ${BODY_MAX + 1}\r\n`, '{"url":"')
    expect(statusOf(answer)).toBe(413)
    expect(answer).toContain("body_too_large")
    expect(answer.toLowerCase()).toContain("connection: close")
  })
  test("over the limit in chunks is 413 once the limit is read (B083)", async () => {
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`
    const answer = await post(`${json}Transfer-Encoding: chunked\r\n`, chunk.repeat(40))
    expect(statusOf(answer)).toBe(413)
    expect(answer).toContain("body_too_large")
  })
  const types: ReadonlyArray<readonly [Record<string, string>, number]> = [
    [{ "content-type": "text/plain" }, 415],
    [{ "content-type": "application/json; charset=utf-8" }, 422],
    [{ "content-type": "application/x-www-form-urlencoded" }, 415],
    [{ "content-encoding": "gzip" }, 415]
  ]
  test.each(types)("with headers %p is %d (B087)", async (headers, status) => {
    expect((await ask("/api/v1/sources", { body: "{}", headers })).status).toBe(status)
  })
  test("nested 33 deep is 400 json_too_deep, 200,000 deep too; brackets in strings do not count (B088)", async () => {
    for (const depth of [33, 200_000]) {
      const answer = await ask("/api/v1/sources", { body: "[".repeat(depth) + "]".repeat(depth) })
      expect([answer.status, codeOf(answer)]).toEqual([400, "json_too_deep"])
    }
    const answer = await ask("/api/v1/sources", { body: { url: "[".repeat(100) } })
    expect(answer.status).toBe(422)
  })
  test("that are not JSON, or not UTF-8, are 400; JSON that is no object is 422", async () => {
    expect((await ask("/api/v1/sources", { body: "{" })).status).toBe(400)
    const answer = await post(`${json}Content-Length: 4\r\n`, "{\u00e9}")
    expect(statusOf(answer)).toBe(400)
    expect((await ask("/api/v1/sources", { body: "[]" })).status).toBe(422)
    expect((await ask("/api/v1/sources", { body: "null" })).status).toBe(422)
  })
})

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
  test("a misspelt parameter is told the nearest one", async () => {
    const answer = await ask("/api/v1/articles?limt=3")
    expect(answer.body.error.message).toContain("did you mean limit?")
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

test("every answer carries the security headers", async () => {
  for (const path of ["/", "/metrics", "/healthz", "/nothing", "/api/v1/sources", "/api/v1/articles?limit=x"]) {
    const { headers } = await ask(path)
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(headers.get("cache-control")).toBe("no-store")
  }
})

test("health and readiness name the check that fails, and readiness alone is not health", async () => {
  if (healthOf === undefined) throw new Error("no server")
  await Effect.runPromise(healthOf.add("ready", "database", Effect.succeed("no answer from 10.0.0.5")))
  const ready = await ask("/readyz", { token: null })
  expect([ready.status, ready.body]).toEqual([
    503,
    { status: "failing", checks: [{ name: "database", ok: false, message: "no answer from 10.0.0.5" }] }
  ])
  expect((await ask("/healthz", { token: null })).status).toBe(200)
  await Effect.runPromise(healthOf.add("ready", "database", Effect.die("bug")))
  expect((await ask("/readyz")).status).toBe(503)
  await Effect.runPromise(healthOf.add("ready", "database", Effect.succeed(null)))
  expect((await ask("/readyz")).status).toBe(200)
})
