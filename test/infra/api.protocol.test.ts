import { describe, expect, test } from "bun:test"
import { ADMIN, ask, BODY_MAX, codeOf, READ, raw, serve, statusOf } from "../support/api.ts"

serve()

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
    expect(answer).toContain("Authorization: Bearer TOKEN")
    expect(answer).toContain("CRAWLER_DATA_DIR/admin-token")
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
    for (const bytes of [2 * 1024 * 1024, 10 ** 12]) {
      expect(await post(`${json}Content-Length: ${bytes}\r\n`, '{"url":"')).toContain("body_too_large")
    }
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

test("every answer carries the security headers", async () => {
  for (const path of ["/", "/metrics", "/healthz", "/nothing", "/api/v1/sources", "/api/v1/articles?limit=x"]) {
    const { headers } = await ask(path)
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(headers.get("cache-control")).toBe("no-store")
  }
})
