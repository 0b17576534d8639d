import { describe, expect } from "bun:test"
import { gzipSync } from "node:zlib"
import { Effect, Fiber, Random, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Validators } from "../../src/domain/fetching.ts"
import { Fetcher } from "../../src/domain/ports.ts"
import { effect, live } from "../support/effect.ts"
import { http, job, tcp, wholeFetcher } from "../support/net.ts"

type Env = Readonly<Record<string, string>>
const get = (url: string, env: Env = {}, validators: Validators | null = null) =>
  Fetcher.use((it) => it.fetch(job(url), validators)).pipe(Effect.provide(wholeFetcher(env)))
/** How a fetch failed, for toMatchObject. */
const failure = (url: string, env: Env = {}, validators: Validators | null = null) =>
  Effect.map(Effect.result(get(url, env, validators)), (it) => (Result.isFailure(it) ? it.failure : it.success.raw))
const text = (body: Uint8Array) => new TextDecoder().decode(body)
const says = (...parts: ReadonlyArray<string>) => parts.join("\r\n")

describe("a page", () => {
  live("comes back with its bytes, type, validators and address", () =>
    Effect.gen(function* () {
      const headers = {
        "content-type": "text/html; charset=euc-kr",
        etag: 'W/"a-gzip"',
        "last-modified": "Mon, 30 Nov 2026 00:00:00 GMT"
      }
      const site = yield* http(() => new Response(Uint8Array.of(0xb4, 0xba, 0xbd, 0xba), { headers }))
      const { raw, body } = yield* get(`${site.url}/a?b=c#d`)
      expect(raw).toMatchObject({
        url: `${site.url}/a?b=c#d`,
        status: 200,
        content_type: "text/html; charset=euc-kr",
        fetcher: "http",
        bytes: 4,
        truncated: false,
        hops: [],
        validators: { etag: 'W/"a-gzip"', last_modified: "Mon, 30 Nov 2026 00:00:00 GMT" }
      })
      expect([...body]).toEqual([0xb4, 0xba, 0xbd, 0xba])
    })
  )

  live("is asked for as ourselves, with codings we undo", () =>
    Effect.gen(function* () {
      const site = yield* http((request) => Response.json(Object.fromEntries(request.headers)))
      const { body } = yield* get(`${site.url}/`, { USER_AGENT: "newsbot/1 (+https://n.kr/bot)" })
      expect(JSON.parse(text(body))).toMatchObject({
        "user-agent": "newsbot/1 (+https://n.kr/bot)",
        "accept-encoding": "gzip, br, zstd",
        host: `127.0.0.1:${site.port}`
      })
    })
  )

  for (const status of [401, 402, 403, 404, 410, 451]) {
    live(`that answers ${status} is a page to be judged`, () =>
      Effect.gen(function* () {
        const site = yield* http(() => new Response("gone", { status }))
        const { raw, body } = yield* get(`${site.url}/`)
        expect([raw.status, text(body)]).toEqual([status, "gone"])
      })
    )
  }

  live("fetched twice is two raws", () =>
    Effect.gen(function* () {
      const site = yield* http(() => new Response("page"))
      const fetcher = yield* Fetcher
      const pages = yield* Effect.replicateEffect(fetcher.fetch(job(`${site.url}/`), null), 2)
      expect(new Set(pages.map(({ raw }) => raw.id)).size).toBe(2)
    }).pipe(Effect.provide(wholeFetcher()))
  )

  effect("has the same id under the same seed and clock", () =>
    Effect.gen(function* () {
      const site = yield* http(() => new Response("page"))
      const once = get(`${site.url}/`).pipe(Random.withSeed("seed"))
      expect((yield* once).raw.id).toBe((yield* once).raw.id)
      yield* TestClock.adjust(1)
      expect((yield* once).raw.id).not.toBe((yield* get(`${site.url}/`).pipe(Random.withSeed("other"))).raw.id)
    })
  )
})

describe("validators", () => {
  live("that cannot be sent are left out: the page is fetched as if they were not known", () =>
    Effect.gen(function* () {
      const site = yield* http((request) => new Response(request.headers.get("if-modified-since") ?? "none"))
      const kept = { etag: '"a\u0001b"', last_modified: "yesterday" }
      expect(text((yield* get(`${site.url}/`, {}, kept)).body)).toBe("yesterday")
    })
  )

  live("are replayed byte for byte, and a 304 has no body (B23)", () =>
    Effect.gen(function* () {
      const etag = 'W/"abc-gzip"'
      const site = yield* http((request) =>
        request.headers.get("if-none-match") === etag && request.headers.get("if-modified-since") === "yesterday"
          ? new Response(null, { status: 304 })
          : new Response("new")
      )
      const { raw, body } = yield* get(`${site.url}/`, {}, { etag, last_modified: "yesterday" })
      expect(raw).toMatchObject({ status: 304, bytes: 0, validators: { etag, last_modified: "yesterday" } })
      expect(body.length).toBe(0)
    })
  )

  live("a 304 that nobody asked for is no answer", () =>
    Effect.gen(function* () {
      const site = yield* http(() => new Response(null, { status: 304 }))
      expect(yield* failure(`${site.url}/`)).toMatchObject({ _tag: "Retryable", code: "partial" })
    })
  )
})

describe("a host in trouble", () => {
  for (const [status, code] of [
    [408, "http_5xx"],
    [429, "http_429"],
    [500, "http_5xx"],
    [503, "http_5xx"]
  ] as const) {
    live(`${status} is worth another try`, () =>
      Effect.gen(function* () {
        const site = yield* http(() => new Response("busy", { status }))
        const error = yield* failure(`${site.url}/`)
        expect(error).toMatchObject({ _tag: "Retryable", code })
        expect("after" in error).toBe(false)
      })
    )
  }

  effect("Retry-After says when: in seconds or by date (B21)", () =>
    Effect.gen(function* () {
      const values = ["7", "Thu, 01 Jan 1970 00:00:20 GMT"]
      const site = yield* http(
        () => new Response("busy", { status: 429, headers: { "retry-after": values.shift() ?? "" } })
      )
      expect(yield* failure(`${site.url}/`)).toMatchObject({ code: "http_429", after: 7000 })
      expect(yield* failure(`${site.url}/`)).toMatchObject({ code: "http_429", after: 20_000 })
    })
  )

  live("nobody listens", () =>
    Effect.gen(function* () {
      const site = yield* Effect.scoped(tcp(() => undefined))
      const error = yield* failure(`http://127.0.0.1:${site.port}/`)
      expect(error).toMatchObject({ _tag: "Retryable", code: "network" })
      expect(error).not.toMatchObject({ reached: true })
      expect(error).toMatchObject({ message: "127.0.0.1: nobody listens there: ECONNREFUSED before an answer" })
    })
  )

  live("it hangs up before an answer", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.destroy())
      expect(yield* failure(`http://127.0.0.1:${site.port}/`)).toMatchObject({ code: "network", reached: true })
    })
  )

  live("what it says is no HTTP", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.end("<html>hello</html>"))
      expect(yield* failure(`http://127.0.0.1:${site.port}/`)).toMatchObject({ code: "network", reached: true })
    })
  )
})

describe("a body that breaks off", () => {
  for (const [name, answer] of [
    ["before its announced length", says("HTTP/1.1 200 OK", "Content-Length: 100", "", "hello")],
    ["inside its chunks", says("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "hello", "")]
  ] as const) {
    live(`${name} comes back as truncated`, () =>
      Effect.gen(function* () {
        const site = yield* tcp((socket) => socket.end(answer))
        const { raw, body } = yield* get(`http://127.0.0.1:${site.port}/`)
        expect([raw.truncated, text(body)]).toEqual([true, "hello"])
      })
    )
  }

  live("before its first byte is worth another try", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.end(says("HTTP/1.1 200 OK", "Content-Length: 100", "", "")))
      expect(yield* failure(`http://127.0.0.1:${site.port}/`)).toMatchObject({ _tag: "Retryable", code: "network" })
    })
  )

  live("inside its gzip gives what came before", () =>
    Effect.gen(function* () {
      const coded = gzipSync("hello ".repeat(5000))
      const site = yield* http(
        () => new Response(coded.subarray(0, coded.length - 20), { headers: { "content-encoding": "gzip" } })
      )
      const { raw, body } = yield* get(`${site.url}/`)
      expect(raw.truncated).toBe(true)
      expect(text(body)).toStartWith("hello hello")
    })
  )
})

describe("bounds", () => {
  live("an announced length over the bound is not even read", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.write(says("HTTP/1.1 200 OK", "Content-Length: 5000", "", "x")))
      expect(yield* failure(`http://127.0.0.1:${site.port}/`, { FETCH_BODY_MAX_BYTES: "4096" })).toMatchObject({
        _tag: "Fatal",
        code: "body_too_large"
      })
    })
  )

  live("an endless body is cut off and its connection closed (B166)", () =>
    Effect.gen(function* () {
      let sent = 0
      const site = yield* tcp((socket) => {
        socket.write(says("HTTP/1.1 200 OK", "", ""))
        const more = () => {
          while (!socket.destroyed) {
            sent += 65_536
            if (!socket.write(Buffer.alloc(65_536, "x"))) break
          }
        }
        socket.on("drain", more)
        more()
      })
      expect(yield* failure(`http://127.0.0.1:${site.port}/`, { FETCH_BODY_MAX_BYTES: "1048576" })).toMatchObject({
        _tag: "Fatal",
        code: "body_too_large"
      })
      yield* Effect.sleep("20 millis").pipe(Effect.repeat({ while: () => site.open() > 0 }))
      expect(sent).toBeLessThan(64 * 1_048_576)
    })
  )

  live("a bomb is refused", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(20_000_000))
      const site = yield* http(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }))
      expect(yield* failure(`${site.url}/`)).toMatchObject({ _tag: "Fatal", code: "bomb" })
      expect(yield* failure(`${site.url}/`, { FETCH_INFLATED_MAX_BYTES: "1000000" })).toMatchObject({
        _tag: "Fatal",
        code: "body_too_large"
      })
    })
  )
})

describe("time limits cut the connection", () => {
  const silent = (env: Env, speak: string) =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.write(speak))
      const error = yield* failure(`http://127.0.0.1:${site.port}/`, env)
      yield* Effect.sleep("10 millis").pipe(Effect.repeat({ while: () => site.open() > 0 }))
      return error
    })

  live("no headers in time", () =>
    Effect.gen(function* () {
      const env = { FETCH_CONNECT_TIMEOUT: "50ms", FETCH_FIRST_BYTE_TIMEOUT: "50ms" }
      expect(yield* silent(env, "HTTP/1.1 200 OK\r\n")).toMatchObject({ _tag: "Retryable", code: "timeout" })
    })
  )

  live("no whole body in time", () =>
    Effect.gen(function* () {
      const answer = says("HTTP/1.1 200 OK", "Content-Length: 100", "", "hello")
      expect(yield* silent({ FETCH_TIMEOUT: "150ms" }, answer)).toMatchObject({ _tag: "Retryable", code: "timeout" })
    })
  )

  live("and so does interruption", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.write(says("HTTP/1.1 200 OK", "Content-Length: 100", "", "hello")))
      const fiber = yield* Effect.forkChild(get(`http://127.0.0.1:${site.port}/`))
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => site.open() === 0 }))
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => site.open() > 0 }))
      expect(site.connections()).toBe(1)
    })
  )
})

live("a finished exchange keeps its connection for the next", () =>
  Effect.gen(function* () {
    const page = says("HTTP/1.1 200 OK", "Content-Length: 4", "", "page")
    const site = yield* tcp((socket) => socket.write(page))
    const fetcher = yield* Fetcher
    yield* Effect.replicateEffect(fetcher.fetch(job(`http://127.0.0.1:${site.port}/`), null), 5)
    expect(site.connections()).toBe(1)
  }).pipe(Effect.provide(wholeFetcher()))
)
