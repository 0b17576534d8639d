import { describe, expect, test } from "bun:test"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { Fetcher } from "../../src/domain/ports.ts"
import { Guard } from "../../src/infra/guard.ts"
import { effect, live } from "../support/effect.ts"
import { http, job, names, outward, tcp, wholeFetcher } from "../support/net.ts"

const strict = { ALLOW_PRIVATE_CIDRS: "203.0.113.7/32" }
const PUBLIC = "93.184.216.34"

/** `ok`, or the code of the refusal. */
const outcome = (url: string, env: Readonly<Record<string, string>> = strict, table = {}) =>
  Guard.use((guard) => guard.check(url)).pipe(
    Effect.result,
    Effect.map((it) => (Result.isSuccess(it) ? "ok" : it.failure.code)),
    Effect.provide(outward(env, names(table).layer))
  )

describe("a URL is refused by its text alone", () => {
  test.each([
    ["http://2130706433/", "address_refused"],
    ["http://0x7f000001/", "address_refused"],
    ["http://0177.0.0.1/", "address_refused"],
    ["http://127.1/", "address_refused"],
    ["http://0.0.0.0/", "address_refused"],
    ["http://127.0.0.1./", "address_refused"],
    ["http://localhost./", "address_refused"],
    ["http://[::1]/", "address_refused"],
    ["http://[::ffff:127.0.0.1]/", "address_refused"],
    ["http://[64:ff9b:1::a9fe:a9fe]/", "address_refused"],
    ["http://[2001:0:7f00:1::]/", "address_refused"],
    ["http://[fd00:ec2::254]/", "address_refused"],
    ["http://[ff02::1]/", "address_refused"],
    ["http://100.100.100.200/", "address_refused"],
    ["http://192.0.0.192/", "address_refused"],
    ["http://168.63.129.16/", "address_refused"],
    ["http://10.0.0.1/", "address_refused"],
    ["http://192.168.0.1/", "address_refused"],
    ["http://198.18.0.1/", "address_refused"],
    ["http://224.0.0.1/", "address_refused"],
    ["http://metadata.google.internal/", "address_refused"],
    ["http://example.com@127.0.0.1/", "url_refused"],
    ["http://127.0.0.1#@example.com/", "address_refused"],
    ["file:///etc/passwd", "url_refused"],
    ["gopher://127.0.0.1:6379/_FLUSHALL", "url_refused"],
    ["ftp://a/", "url_refused"],
    ["s3://bucket/key", "url_refused"],
    ["blob:x", "url_refused"],
    ["about:blank", "url_refused"],
    ["chrome://settings", "url_refused"],
    ["ws://a/", "url_refused"],
    ["unix:///tmp/s", "url_refused"],
    ["http://a.com:65536/", "url_refused"],
    ["http://256.256.256.256/", "url_refused"],
    ["http://1.2.3.4.5/", "url_refused"]
  ])("%s (B001–B069)", async (url, code) => {
    const table = { localhost: [["127.0.0.1"]], "metadata.google.internal": [["169.254.169.254"]] }
    expect(await Effect.runPromise(outcome(url, { ALLOW_PRIVATE_CIDRS: "" }, table))).toBe(code)
    expect(await Effect.runPromise(outcome(url, { ALLOW_PRIVATE_CIDRS: "203.0.113.7" }, table))).toBe(code)
  })

  test("without private networks a name that leads inside is not even looked up", async () => {
    const { asked, layer } = names({ localhost: [["127.0.0.1"]] })
    const closed = outward({ ALLOW_PRIVATE_CIDRS: "" }, layer)
    await Effect.runPromise(
      Guard.use((guard) => Effect.result(guard.check("http://localhost/"))).pipe(Effect.provide(closed))
    )
    expect(asked.size).toBe(0)
  })
})

describe("a URL is refused for what its name resolves to", () => {
  test.each([
    ["one public address", "http://a.kr/", { "a.kr": [[PUBLIC]] }, "ok"],
    ["a public and a private one (B040)", "http://a.kr/", { "a.kr": [[PUBLIC, "10.0.0.1"]] }, "address_refused"],
    ["a public and a private IPv6 one", "http://a.kr/", { "a.kr": [[PUBLIC, "fe80::1"]] }, "address_refused"],
    ["a metadata service by another name (B041)", "http://a.kr/", { "a.kr": [["169.254.169.254"]] }, "address_refused"],
    ["nothing", "http://a.kr/", { "a.kr": [[]] }, "network"],
    ["no such name", "http://b.kr/", { "a.kr": [[PUBLIC]] }, "network"],
    ["a port no site uses", "http://a.kr:6379/", { "a.kr": [[PUBLIC]] }, "url_refused"],
    ["a port some sites use", "http://a.kr:8443/", { "a.kr": [[PUBLIC]] }, "ok"],
    ["an allowed private address, on any port", "http://a.kr:6379/", { "a.kr": [["203.0.113.7"]] }, "ok"],
    [
      "an allowed and another private one",
      "http://a.kr/",
      { "a.kr": [["203.0.113.7", "10.0.0.1"]] },
      "address_refused"
    ],
    [
      "an allowed and a public one, on any port",
      "http://a.kr:22/",
      { "a.kr": [["203.0.113.7", PUBLIC]] },
      "url_refused"
    ],
    ["an allowed address behind an inside name", "http://x.internal/", { "x.internal": [["203.0.113.7"]] }, "ok"],
    ["a public address behind an inside name", "http://x.internal/", { "x.internal": [[PUBLIC]] }, "address_refused"]
  ])("%s", async (_, url, table, code) => {
    expect(await Effect.runPromise(outcome(url, strict, table))).toBe(code)
  })

  test("IPv4 addresses are dialled first", async () => {
    const target = await Effect.runPromise(
      Guard.use((guard) => guard.check("http://a.kr/")).pipe(
        Effect.provide(outward(strict, names({ "a.kr": [["2606:2800:220:1::1", PUBLIC]] }).layer))
      )
    )
    expect(target.addresses).toEqual([PUBLIC, "2606:2800:220:1::1"])
  })
})

effect("an answer is used for a minute, a failure is not remembered", () => {
  const { asked, layer } = names({ "a.kr": [[PUBLIC]] })
  return Effect.gen(function* () {
    const guard = yield* Guard
    yield* Effect.all([guard.check("http://a.kr/1"), guard.check("http://a.kr/2")], { concurrency: 2 })
    expect(asked.get("a.kr")).toBe(1)
    yield* TestClock.adjust("60 seconds")
    yield* guard.check("http://a.kr/3")
    expect(asked.get("a.kr")).toBe(2)
    yield* Effect.result(guard.check("http://gone.kr/"))
    yield* Effect.result(guard.check("http://gone.kr/"))
    expect(asked.get("gone.kr")).toBe(2)
  }).pipe(Effect.provide(outward(strict, layer)))
})

live("a name that turns to a private address is refused before a packet is sent (B039)", () =>
  Effect.gen(function* () {
    const inside = yield* tcp(() => undefined, "127.0.0.1")
    const { layer } = names({ "rebind.test": [["127.0.0.1"]] })
    const result = yield* Fetcher.use((it) =>
      Effect.result(it.fetch(job(`http://rebind.test:${inside.port}/`), null))
    ).pipe(Effect.provide(wholeFetcher({ ALLOW_PRIVATE_CIDRS: "127.0.0.2" }, layer)))
    expect(Result.isFailure(result) && result.failure).toMatchObject({ _tag: "Fatal", code: "address_refused" })
    expect(inside.connections()).toBe(0)
  })
)

live("the checked address is dialled, however the name resolves a moment later (B039)", () =>
  Effect.gen(function* () {
    const site = yield* http((request) => new Response(request.headers.get("host")), "127.0.0.2")
    const inside = yield* tcp(() => undefined, "127.0.0.1")
    const { asked, layer } = names({ "rebind.test": [["127.0.0.2"], ["127.0.0.1"]] })
    const page = yield* Fetcher.use((it) => it.fetch(job(`http://rebind.test:${site.port}/`), null)).pipe(
      Effect.provide(wholeFetcher({ ALLOW_PRIVATE_CIDRS: "127.0.0.2" }, layer))
    )
    expect(new TextDecoder().decode(page.body)).toBe(`rebind.test:${site.port}`)
    expect(asked.get("rebind.test")).toBe(1)
    expect(inside.connections()).toBe(0)
  })
)

live("a redirect is checked like a first request (B042)", () =>
  Effect.gen(function* () {
    const inside = yield* tcp(() => undefined, "127.0.0.3")
    const site = yield* http(
      () => new Response(null, { status: 302, headers: { location: `http://127.0.0.3:${inside.port}/` } })
    )
    const result = yield* Fetcher.use((it) => Effect.result(it.fetch(job(`${site.url}/`), null))).pipe(
      Effect.provide(wholeFetcher({ ALLOW_PRIVATE_CIDRS: "127.0.0.1" }))
    )
    expect(Result.isFailure(result) && result.failure).toMatchObject({ _tag: "Fatal", code: "address_refused" })
    expect(inside.connections()).toBe(0)
  })
)

live("a proxy named in the environment sees nothing", () =>
  Effect.gen(function* () {
    const proxy = yield* tcp((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy"))
    const site = yield* http(() => new Response("site"))
    const get = Fetcher.use((it) => it.fetch(job(`${site.url}/`), null)).pipe(Effect.provide(wholeFetcher()))
    // Also a variable that is set after the start.
    const late = Fetcher.use((it) => {
      process.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`
      return it.fetch(job(`${site.url}/`), null)
    }).pipe(Effect.provide(wholeFetcher()))
    process.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`
    const pages = yield* Effect.all([get, late]).pipe(Effect.ensuring(Effect.sync(() => delete process.env.HTTP_PROXY)))
    expect(pages.map(({ body }) => new TextDecoder().decode(body))).toEqual(["site", "site"])
    expect(proxy.connections()).toBe(0)
  })
)
