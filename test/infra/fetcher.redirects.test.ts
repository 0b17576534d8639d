import { describe, expect } from "bun:test"
import { Effect, Layer, Result } from "effect"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import { Fetcher, Hosts } from "../../src/domain/ports.ts"
import { effect, live } from "../support/effect.ts"
import { http, job, robots, tcp, wholeFetcher } from "../support/net.ts"

type Env = Readonly<Record<string, string>>
const fetched = (target: CrawlJob) => Fetcher.use((it) => it.fetch(target, null))
const get = (url: string, env: Env = {}) => fetched(job(url)).pipe(Effect.provide(wholeFetcher(env)))
const failed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(work), (it) => (Result.isFailure(it) ? it.failure : null))
const text = (body: Uint8Array) => new TextDecoder().decode(body)
const to = (location: string, status = 302, headers: Record<string, string> = {}) =>
  new Response("moved", { status, headers: { location, ...headers } })

describe("redirects", () => {
  live("are followed and told hop by hop", () =>
    Effect.gen(function* () {
      const site = yield* http((request) => {
        const { pathname } = new URL(request.url)
        if (pathname === "/a") return to("/b", 301)
        if (pathname === "/b") return to("c?d", 307)
        return new Response(new URL(request.url).pathname)
      })
      const { raw, body } = yield* get(`${site.url}/a`)
      expect(raw.hops).toEqual([
        { url: `${site.url}/a`, status: 301 },
        { url: `${site.url}/b`, status: 307 }
      ])
      expect([raw.url, raw.final_url, text(body)]).toEqual([`${site.url}/a`, `${site.url}/c?d`, "/c"])
    })
  )

  live("that add a slash are no loop: the address is asked for as it was given (field case B51)", () =>
    Effect.gen(function* () {
      const site = yield* http(({ url }) =>
        url.endsWith("/") ? new Response("page") : to(`${new URL(url).pathname}/`, 301)
      )
      expect((yield* get(`${site.url}/story/`)).raw.hops).toEqual([])
      const added = yield* get(`${site.url}/story`)
      expect([added.raw.hops.length, added.raw.final_url]).toEqual([1, `${site.url}/story/`])
    })
  )

  live("with raw UTF-8 in their Location are understood", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket, request) =>
        request.startsWith("GET /%EB%89%B4%EC%8A%A4 ")
          ? socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnews")
          : socket.end("HTTP/1.1 302 Found\r\nLocation: /뉴스\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      )
      expect(text((yield* get(`http://127.0.0.1:${site.port}/`)).body)).toBe("news")
    })
  )

  live("without a Location are a page to be judged", () =>
    Effect.gen(function* () {
      const site = yield* http(() => new Response("nowhere", { status: 302 }))
      expect((yield* get(`${site.url}/`)).raw.status).toBe(302)
    })
  )

  live("up to the bound are followed, one more is refused", () =>
    Effect.gen(function* () {
      const site = yield* http((request) => {
        const left = Number(new URL(request.url).pathname.slice(1))
        return left === 0 ? new Response("there") : to(`/${left - 1}`)
      })
      expect((yield* get(`${site.url}/5`)).raw.hops.length).toBe(5)
      expect(yield* failed(get(`${site.url}/6`))).toMatchObject({ _tag: "Fatal", code: "redirects" })
    })
  )

  live("in a loop are named", () =>
    Effect.gen(function* () {
      const site = yield* http((request) => to(new URL(request.url).pathname === "/a" ? "/b" : "/a"))
      expect(yield* failed(get(`${site.url}/a`))).toMatchObject({
        _tag: "Fatal",
        code: "redirects",
        message: `redirects in a loop: ${site.url}/a → ${site.url}/b → ${site.url}/a`
      })
    })
  )

  live("to another scheme are refused", () =>
    Effect.gen(function* () {
      for (const target of ["file:///etc/passwd", "data:text/html,x", "http://127.0.0.1@127.0.0.2/"]) {
        const site = yield* http(() => to(target))
        expect(yield* failed(get(`${site.url}/`))).toMatchObject({ _tag: "Fatal", code: "url_refused" })
      }
    })
  )

  live("share one time limit", () =>
    Effect.gen(function* () {
      const site = yield* http(async (request) => {
        await Bun.sleep(80)
        return to(`${new URL(request.url).pathname}a`)
      })
      expect(yield* failed(get(`${site.url}/`, { FETCH_TIMEOUT: "200ms" }))).toMatchObject({ code: "timeout" })
    })
  )
})

describe("cookies", () => {
  const wall = (request: Request) =>
    request.headers.get("cookie") === "ok=1" ? new Response("inside") : to("/", 302, { "set-cookie": "ok=1; Path=/" })

  live("open a wall that redirects to itself", () =>
    Effect.gen(function* () {
      const site = yield* http(wall)
      expect(text((yield* get(`${site.url}/`)).body)).toBe("inside")
    })
  )

  live("are forgotten after the chain", () =>
    Effect.gen(function* () {
      const seen: Array<string | null> = []
      const site = yield* http((request) => {
        seen.push(request.headers.get("cookie"))
        return wall(request)
      })
      const fetcher = yield* Fetcher
      yield* Effect.replicateEffect(fetcher.fetch(job(`${site.url}/`), null), 2)
      expect(seen).toEqual([null, "ok=1", null, "ok=1"])
    }).pipe(Effect.provide(wholeFetcher()))
  )

  live("do not follow to another host", () =>
    Effect.gen(function* () {
      const other = yield* http((request) => new Response(request.headers.get("cookie") ?? "none"), "127.0.0.2")
      const site = yield* http(() => to(`${other.url}/`, 302, { "set-cookie": "secret=1; Path=/" }))
      expect(text((yield* get(`${site.url}/`)).body)).toBe("none")
    })
  )
})

describe("robots.txt", () => {
  const closed = robots((url) =>
    url.includes("/private")
      ? { allowed: false, reason: "disallow: /private", crawl_delay_ms: null }
      : { allowed: true, reason: "allowed by robots.txt", crawl_delay_ms: null }
  )

  live("is obeyed at every hop", () =>
    Effect.gen(function* () {
      const paths: Array<string> = []
      const site = yield* http((request) => {
        paths.push(new URL(request.url).pathname)
        return to("/private")
      })
      const error = yield* failed(
        fetched(job(`${site.url}/a`)).pipe(Effect.provide(wholeFetcher({}, undefined, closed)))
      )
      expect(error).toMatchObject({ _tag: "Fatal", code: "robots", message: `${site.url}/private: disallow: /private` })
      expect(paths).toEqual(["/a"])
    })
  )

  effect("that could not be had is worth another try when it is asked for again (B192)", () =>
    Effect.gen(function* () {
      const down = robots(() => ({
        allowed: false,
        reason: "robots.txt answered 503",
        crawl_delay_ms: null,
        until: 5000
      }))
      const site = yield* tcp(() => undefined)
      const target = job(`http://127.0.0.1:${site.port}/`)
      const error = yield* failed(fetched(target).pipe(Effect.provide(wholeFetcher({}, undefined, down))))
      expect(error).toMatchObject({ _tag: "Retryable", code: "robots", after: 5000 })
      expect(site.connections()).toBe(0)
    })
  )
})

describe("a redirect to another host", () => {
  live("that may not be dialled, or that says nothing in time, is no fault of the host that leads there", () =>
    Effect.gen(function* () {
      const silent = yield* tcp(() => undefined, "127.0.0.2")
      const site = yield* http((request) =>
        to(request.url.endsWith("/private") ? "http://10.0.0.1/" : `http://127.0.0.2:${silent.port}/`)
      )
      const refused = yield* failed(get(`${site.url}/private`))
      expect(refused).toMatchObject({ code: "address_refused", host: "10.0.0.1" })
      const late = yield* failed(get(`${site.url}/silent`, { FETCH_TIMEOUT: "1s" }))
      expect(late).toMatchObject({ code: "timeout", host: "127.0.0.2" })
    })
  )

  const world = (env: Env) => wholeFetcher({ FETCH_DELAY: "300ms", ...env })

  live("waits for that host's slot and gives it back", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const other = yield* http(() => {
        starts.push(performance.now())
        return new Response("there")
      }, "127.0.0.2")
      const site = yield* http(() => to(`${other.url}/`))
      const fetcher = yield* Fetcher
      const one = fetcher.fetch(job(`${site.url}/`), null)
      yield* Effect.all([one, one, one], { concurrency: 3 })
      const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
      // A timer may fire a little early against another clock.
      expect(gaps.every((gap) => gap > 280)).toBe(true)
      expect(gaps.length).toBe(2)
    }).pipe(Effect.provide(world({})))
  )

  live("keeps that host's crawl-delay for the next", () =>
    Effect.gen(function* () {
      const other = yield* http(() => new Response("there"), "127.0.0.2")
      const site = yield* http(() => to(`${other.url}/`))
      yield* fetched(job(`${site.url}/`))
      const hosts = yield* Hosts
      expect([yield* hosts.delay("127.0.0.2"), yield* hosts.delay("127.0.0.1")]).toEqual([7000, 300])
    }).pipe(
      Effect.provide(
        wholeFetcher(
          { FETCH_DELAY: "300ms" },
          undefined,
          robots(() => ({ allowed: true, reason: "allowed by robots.txt", crawl_delay_ms: 7000 }))
        )
      )
    )
  )

  live("is postponed where that takes too long", () =>
    Effect.gen(function* () {
      const other = yield* tcp(() => undefined, "127.0.0.2")
      const site = yield* http(() => to(`http://127.0.0.2:${other.port}/`))
      yield* Hosts.use((hosts) => hosts.acquire("127.0.0.2"))
      const error = yield* failed(fetched(job(`${site.url}/`)))
      expect(error).toMatchObject({ _tag: "Postponed", code: "busy_host" })
      expect(other.connections()).toBe(0)
    }).pipe(Effect.provide(world({ FETCH_WAIT_MAX: "40ms" })))
  )

  live("is given up at the time limit while it waits", () =>
    Effect.gen(function* () {
      const site = yield* http(() => to("http://127.0.0.2:1/"))
      yield* Hosts.use((hosts) => hosts.acquire("127.0.0.2"))
      expect(yield* failed(fetched(job(`${site.url}/`)))).toMatchObject({ code: "timeout" })
    }).pipe(Effect.provide(world({ FETCH_TIMEOUT: "150ms", FETCH_WAIT_MAX: "30s", FETCH_DELAY: "20s" })))
  )

  live("that asks to wait pauses that host and blames nobody else (B21)", () =>
    Effect.gen(function* () {
      const other = yield* http(
        () => new Response("busy", { status: 429, headers: { "retry-after": "60" } }),
        "127.0.0.2"
      )
      const site = yield* http(() => to(`${other.url}/`))
      const error = yield* failed(fetched(job(`${site.url}/`)))
      expect(error).toMatchObject({ _tag: "Postponed", code: "http_429" })
      const hosts = yield* Hosts
      expect(yield* hosts.acquire("127.0.0.2")).toMatchObject({ tag: "wait", reason: "retry_after" })
      expect((yield* hosts.acquire("127.0.0.1")).tag).toBe("granted")
    }).pipe(Effect.provide(world({})))
  )

  live("that is broken is named as the host at fault", () =>
    Effect.gen(function* () {
      const other = yield* http(() => new Response("broken", { status: 500 }), "127.0.0.2")
      const site = yield* http(() => to(`${other.url}/`))
      expect(yield* failed(fetched(job(`${site.url}/`)))).toMatchObject({ code: "http_5xx", host: "127.0.0.2" })
    }).pipe(Effect.provide(Layer.fresh(world({}))))
  )
})
