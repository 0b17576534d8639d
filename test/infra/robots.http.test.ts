import { describe, expect } from "bun:test"
import { gzipSync } from "node:zlib"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Fetcher, Robots } from "../../src/domain/ports.ts"
import * as fetcher from "../../src/infra/fetcher.http.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import { layer } from "../../src/infra/robots.http.ts"
import { effect, live } from "../support/effect.ts"
import { http, job, outward, tcp } from "../support/net.ts"

type Env = Readonly<Record<string, string>>
const robots = (env: Env = {}) => layer.pipe(Layer.provideMerge(outward(env)))
const check = (url: string) => Robots.use((it) => it.check(url))
const once = (url: string, env: Env = {}) => check(url).pipe(Effect.provide(robots(env)))
const file = (text: string, headers: Record<string, string> = {}) => new Response(text, { headers })

/** A site with this robots.txt; counts who asks for it. */
const site = (answer: (request: Request) => Response | Promise<Response>) =>
  Effect.gen(function* () {
    const asked = { robots: 0, pages: 0, agents: new Set<string | null>() }
    const server = yield* http((request) => {
      asked.agents.add(request.headers.get("user-agent"))
      if (!new URL(request.url).pathname.startsWith("/robots")) {
        asked.pages += 1
        return new Response("page")
      }
      asked.robots += 1
      return answer(request)
    })
    return { ...server, asked }
  })

describe("an answer allows or refuses, and says why", () => {
  live("by its rules, for our product token", () =>
    Effect.gen(function* () {
      const { url } = yield* site(() =>
        file("User-agent: NewsBot\nDisallow: /private\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /")
      )
      const env = { USER_AGENT_TOKEN: "newsbot" }
      expect(yield* once(`${url}/private/1`, env)).toEqual({
        allowed: false,
        reason: "disallow: /private",
        crawl_delay_ms: 3000
      })
      expect(yield* once(`${url}/open`, env)).toEqual({
        allowed: true,
        reason: "allowed by robots.txt",
        crawl_delay_ms: 3000
      })
    })
  )

  for (const status of [400, 401, 403, 404, 410]) {
    live(`${status}: there is none, all is allowed (B190)`, () =>
      Effect.gen(function* () {
        const { url } = yield* site(() => new Response("no", { status }))
        expect(yield* once(`${url}/x`)).toMatchObject({
          allowed: true,
          reason: `allowed: robots.txt answered ${status}`
        })
      })
    )
  }

  for (const status of [429, 500, 503]) {
    live(`${status}: nothing is allowed until it is asked for again (B192)`, () =>
      Effect.gen(function* () {
        const { url } = yield* site(() => new Response("no", { status }))
        const answer = yield* once(`${url}/x`)
        expect(answer).toMatchObject({ allowed: false, reason: `robots.txt answered ${status}` })
        expect(answer.until).toBeGreaterThan(0)
      })
    )
  }

  live("a page of HTML: no groups, all is allowed (B195)", () =>
    Effect.gen(function* () {
      const { url } = yield* site(() => file("<!DOCTYPE html><title>Home</title>", { "content-type": "text/html" }))
      expect(yield* once(`${url}/x`)).toMatchObject({
        allowed: true,
        reason: "allowed: robots.txt is a page of HTML: no groups"
      })
    })
  )

  live("gzipped: its rules", () =>
    Effect.gen(function* () {
      const coded = gzipSync("User-agent: *\nDisallow: /")
      const { url } = yield* site(() => new Response(coded, { headers: { "content-encoding": "gzip" } }))
      expect((yield* once(`${url}/x`)).allowed).toBe(false)
    })
  )

  live("longer than 500 KiB: the rules before the cut", () =>
    Effect.gen(function* () {
      const { url } = yield* site(() => file(`User-agent: *\nDisallow: /a\n${"#\n".repeat(400_000)}Disallow: /b`))
      expect([(yield* once(`${url}/a`)).allowed, (yield* once(`${url}/b`)).allowed]).toEqual([false, true])
    })
  )

  live("a connection that is reset: nothing is allowed", () =>
    Effect.gen(function* () {
      const server = yield* tcp((socket) => socket.resetAndDestroy())
      expect(yield* once(`http://127.0.0.1:${server.port}/x`)).toMatchObject({ allowed: false })
    })
  )

  live("an answer that does not come in time: nothing is allowed, and the reason says so (B29)", () =>
    Effect.gen(function* () {
      const server = yield* tcp(() => undefined)
      const env = { FETCH_CONNECT_TIMEOUT: "50ms", FETCH_FIRST_BYTE_TIMEOUT: "50ms" }
      const answer = yield* once(`http://127.0.0.1:${server.port}/x`, env)
      expect(answer).toMatchObject({ allowed: false, reason: expect.stringContaining("no answer within") })
    })
  )

  live("half a file: nothing is allowed, for the other half is not known", () =>
    Effect.gen(function* () {
      const half = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\nAllow: /\n"
      const server = yield* tcp((socket) => socket.end(half))
      expect((yield* once(`http://127.0.0.1:${server.port}/x`)).allowed).toBe(false)
    })
  )

  live("silence: nothing is allowed", () =>
    Effect.gen(function* () {
      const server = yield* tcp(() => undefined)
      const env = { FETCH_CONNECT_TIMEOUT: "50ms", FETCH_FIRST_BYTE_TIMEOUT: "50ms" }
      const answer = yield* once(`http://127.0.0.1:${server.port}/x`, env)
      expect(answer).toMatchObject({ allowed: false, reason: "robots.txt: 127.0.0.1: no answer within 100ms" })
    })
  )

  live("what is no web address is refused, robots.txt itself never", () =>
    Effect.gen(function* () {
      expect((yield* once("ftp://a.kr/x")).allowed).toBe(false)
      const { url } = yield* site(() => file("User-agent: *\nDisallow: /"))
      expect((yield* once(`${url}/robots.txt`)).allowed).toBe(true)
    })
  )
})

live("a host that the guard refuses is refused by the guard, not by robots.txt, and not for long", () =>
  Effect.gen(function* () {
    const inside = yield* tcp(() => undefined, "127.0.0.3")
    const url = `http://127.0.0.3:${inside.port}/`
    expect(yield* check(url)).toEqual({
      allowed: true,
      reason: "allowed: 127.0.0.3 is refused: address is not public",
      crawl_delay_ms: null
    })
    const result = yield* Fetcher.use((it) => Effect.result(it.fetch(job(url), null)))
    expect(result._tag === "Failure" && result.failure).toMatchObject({ _tag: "Fatal", code: "address_refused" })
    expect(inside.connections()).toBe(0)
  }).pipe(
    Effect.provide(
      fetcher.layer.pipe(
        Layer.provideMerge(Layer.provideMerge(hosts.layer(), robots({ ALLOW_PRIVATE_CIDRS: "127.0.0.1" })))
      )
    )
  )
)

describe("redirects of robots.txt", () => {
  const hops = (count: number) => (request: Request) => {
    const at = Number(/\d+$/.exec(new URL(request.url).pathname)?.[0] ?? 0)
    const next = new Response(null, { status: 301, headers: { location: `/robots${at + 1}` } })
    return at < count ? next : file("User-agent: *\nDisallow: /")
  }

  live("are followed five times; a longer chain counts as none", () =>
    Effect.gen(function* () {
      const five = yield* site(hops(5))
      expect((yield* once(`${five.url}/x`)).allowed).toBe(false)
      const six = yield* site(hops(6))
      expect(yield* once(`${six.url}/x`)).toMatchObject({
        allowed: true,
        reason: "allowed: robots.txt redirects more than 5 times"
      })
    })
  )

  live("pass the guard: none leads inside", () =>
    Effect.gen(function* () {
      const inside = yield* tcp(() => undefined, "127.0.0.3")
      const location = `http://127.0.0.3:${inside.port}/robots.txt`
      const { url } = yield* site(() => new Response(null, { status: 302, headers: { location } }))
      const answer = yield* once(`${url}/x`, { ALLOW_PRIVATE_CIDRS: "127.0.0.1" })
      expect(answer.allowed).toBe(false)
      expect(inside.connections()).toBe(0)
    })
  )
})

describe("memory", () => {
  effect("many that ask at once cause one load", () =>
    Effect.gen(function* () {
      const { url, asked } = yield* site(() => file("User-agent: *\nDisallow: /private"))
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => `${url}/${n % 2 === 0 ? "private" : "open"}/${n}`),
        check,
        { concurrency: 50 }
      )
      expect(answers.filter(({ allowed }) => allowed).length).toBe(25)
      expect(asked.robots).toBe(1)
      expect(asked.agents.size).toBe(1)
    }).pipe(Effect.provide(robots()))
  )

  live("one that gives up does not take the answer from the others", () =>
    Effect.gen(function* () {
      const gate = Promise.withResolvers<void>()
      const { url, asked } = yield* site(async () => {
        await gate.promise
        return file("")
      })
      const first = yield* Effect.forkChild(check(`${url}/1`))
      const second = yield* Effect.forkChild(check(`${url}/2`))
      yield* Effect.sleep("2 millis").pipe(Effect.repeat({ while: () => asked.robots === 0 }))
      yield* Fiber.interrupt(first)
      gate.resolve()
      expect((yield* Fiber.join(second)).allowed).toBe(true)
      expect(asked.robots).toBe(1)
    }).pipe(Effect.provide(robots()))
  )

  effect("an answer holds for ROBOTS_TTL, trouble for ROBOTS_ERROR_TTL only", () =>
    Effect.gen(function* () {
      const statuses = [503, 200, 200]
      const { url, asked } = yield* site(() => new Response("", { status: statuses.shift() ?? 200 }))
      expect(yield* check(`${url}/x`)).toMatchObject({ allowed: false, until: 300_000 })
      yield* TestClock.adjust("299 seconds")
      expect((yield* check(`${url}/x`)).allowed).toBe(false)
      yield* TestClock.adjust("1 seconds")
      expect((yield* check(`${url}/x`)).allowed).toBe(true)
      yield* TestClock.adjust("23 hours")
      yield* check(`${url}/x`)
      expect(asked.robots).toBe(2)
      yield* TestClock.adjust("1 hours")
      yield* check(`${url}/x`)
      expect(asked.robots).toBe(3)
    }).pipe(Effect.provide(robots({ ROBOTS_TTL: "24h", ROBOTS_ERROR_TTL: "5m" })))
  )
})

live("while robots.txt is in trouble no page is asked for (B29)", () =>
  Effect.gen(function* () {
    const { url, asked } = yield* site(() => new Response("no", { status: 500 }))
    const results = yield* Effect.forEach([1, 2, 3], (n) =>
      Fetcher.use((it) => Effect.result(it.fetch(job(`${url}/${n}`), null)))
    )
    expect(results.every(({ _tag }) => _tag === "Failure")).toBe(true)
    expect(asked.pages).toBe(0)
    expect(asked.robots).toBe(1)
  }).pipe(Effect.provide(fetcher.layer.pipe(Layer.provide(Layer.provideMerge(hosts.layer(), robots())))))
)
