import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { Effect, Layer, Result } from "effect"
import { ParsingRules } from "../../src/domain/ruling.ts"
import { chromiumPath } from "../../src/infra/browser/chromium.ts"
import { Browsers, layer as pool } from "../../src/infra/browser/pool.ts"
import { profilesOf } from "../../src/infra/browser/process.ts"
import { askedOf } from "../../src/infra/browser/proxy.ts"
import { BrowserFetcher, layer as fetcher } from "../../src/infra/fetcher.browser.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import { live } from "../support/effect.ts"
import { http, job, names, outward, robots } from "../support/net.ts"
import { articlePage } from "../support/pages.ts"

describe("what a browser asks its proxy for", () => {
  const cases = [
    ["a tunnel", "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443", "https://a.example:443/"],
    [
      "a plain page",
      "GET http://a.example/x?y=1 HTTP/1.1\r\nHost: a.example\r\nProxy-Connection: keep-alive",
      "http://a.example/x?y=1"
    ],
    ["a path without its host", "GET /x HTTP/1.1\r\nHost: a.example", null],
    ["another scheme", "GET ftp://a.example/ HTTP/1.1", null],
    ["nothing", "", null]
  ] as const
  for (const [name, head, url] of cases) test(name, () => expect(askedOf(head)?.url ?? null).toBe(url))

  test("the origin gets its own form of the request, told to close, without the proxy's headers", () => {
    const head =
      "POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nProxy-Authorization: secret\r\nConnection: keep-alive\r\nContent-Length: 3"
    expect(askedOf(head)).toMatchObject({
      body: 3,
      head: "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    })
  })
})

const path = chromiumPath(process.env.CHROMIUM_PATH ?? null)
const html = (text: string) => new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } })
const body = /<body>([\s\S]*)<\/body>/.exec(articlePage("The bridge is voted on"))?.[1] ?? ""
const pages: Readonly<Record<string, () => Response>> = {
  "/script": () =>
    html(`<main></main><script>document.querySelector("main").innerHTML = ${JSON.stringify(body)}</script>`),
  "/moved": () => new Response(null, { status: 302, headers: { location: "/script" } }),
  "/private": () => new Response(null, { status: 302, headers: { location: "http://10.1.2.3/" } }),
  "/forbidden": () => new Response(null, { status: 302, headers: { location: "/secret/1" } }),
  "/busy": () => new Response("later", { status: 429, headers: { "retry-after": "7" } }),
  // Its network is silent long before it has its text.
  "/late": () =>
    html(`<link rel="icon" href="/own.ico"><script type="speculationrules">
      {"prerender":[{"urls":["/ahead"],"eagerness":"immediate"}],"prefetch":[{"urls":["/before"],"eagerness":"immediate"}]}</script>
      <main></main><script>setTimeout(() => {
        document.querySelector("main").innerHTML = "<div id=text>words that come late</div>"
      }, 1200)</script>`),
  // Field case B27: the next article is appended whenever the end comes near, for ever.
  "/endless": () =>
    html(`<article><h1>The first headline</h1>${"<p>Words of the first article.</p>".repeat(20)}</article><div id="end"></div><script>
      let next = 2
      new IntersectionObserver((seen) => { if (seen.some((it) => it.isIntersecting)) add() }).observe(document.querySelector("#end"))
      const add = () => {
        const it = document.createElement("article")
        it.innerHTML = "<h1>Headline number " + next++ + "</h1><p>Words of another article.</p>"
        document.body.insertBefore(it, document.querySelector("#end"))
        if (next < 5000) setTimeout(add, 5)
      }</script>`)
}

/** An address says itself where its text stands. */
const ruled = Layer.succeed(
  ParsingRules,
  ParsingRules.of({
    find: (url) =>
      Effect.succeed({
        id: "1",
        source_name: "any",
        host_pattern: "any",
        path_pattern: "",
        target_type: "page",
        version: 1,
        enabled: true,
        selectors: { main_content: { css: new URL(url).searchParams.get("css") ?? "" } },
        priority: null,
        identity_pattern: null,
        zone: null,
        origin: "operator"
      }),
    list: Effect.succeed([]),
    put: () => Effect.succeed(0),
    propose: () => Effect.die("nobody learns here"),
    enable: () => Effect.succeed(false)
  })
)

const services = (over: Readonly<Record<string, string>> = {}) => {
  const manners = robots((url) => ({
    allowed: !url.includes("/secret/"),
    reason: "disallow: /secret/",
    crawl_delay_ms: null
  }))
  const env = { BROWSER_SANDBOX: process.getuid?.() === 0 ? "false" : "true", BROWSER_SETTLE: "1s", ...over }
  return fetcher.pipe(
    Layer.provideMerge(pool(path ?? "")),
    Layer.provideMerge(Layer.merge(manners, hosts.layer())),
    Layer.provideMerge(outward(env, names({}).layer))
  )
}

// Without Chromium there is nothing to drive; `make proof NAME=browser` says the same.
describe.skipIf(path === null)("pages by Chromium", () => {
  live("come as scripts made them, guarded and polite where they lead, and only the first article of them", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { url } = yield* http((request) => {
        const { pathname } = new URL(request.url)
        seen.push(pathname)
        return pages[pathname]?.() ?? new Response("", { status: 404 })
      })
      yield* Effect.gen(function* () {
        const { fetch } = yield* BrowserFetcher
        const visit = (at: string) =>
          Effect.map(
            Effect.result(fetch(job(`${url}${at}`, { target: { url: `${url}${at}`, type: "article" } }))),
            (it) =>
              Result.isSuccess(it) ? { ...it.success.raw, text: new TextDecoder().decode(it.success.body) } : it.failure
          )
        const script = yield* visit("/script")
        expect(script).toMatchObject({ fetcher: "browser", status: 200, final_url: `${url}/script`, hops: [] })
        expect(script).toMatchObject({ text: expect.stringContaining("<h1>The bridge is voted on</h1>") })
        expect(yield* visit("/moved")).toMatchObject({
          final_url: `${url}/script`,
          hops: [{ url: `${url}/moved`, status: 302 }]
        })
        expect(yield* visit("/private")).toMatchObject({ _tag: "Fatal", code: "address_refused" })
        expect(yield* visit("/forbidden")).toMatchObject({ _tag: "Fatal", code: "robots" })
        expect(seen).not.toContain("/secret/1")
        expect(yield* visit("/busy")).toMatchObject({ _tag: "Retryable", code: "http_429", after: 7000 })
        expect(yield* visit("/late")).toMatchObject({ text: expect.not.stringContaining('id="text"') })
        for (const it of ["/favicon.ico", "/own.ico", "/ahead", "/before"]) expect(seen).not.toContain(it)
        const endless = yield* visit("/endless")
        expect(endless).toMatchObject({ text: expect.stringContaining("The first headline") })
        expect(endless).toMatchObject({ text: expect.not.stringContaining("<h1>Headline number") })
        expect(yield* visit("/script")).toMatchObject({ status: 200 })
        expect((yield* Browsers).started()).toBe(1)
      }).pipe(Effect.provide(services()))
    })
  )

  live("are waited for until their rule finds its text; a selector that never finds one costs its limit", () =>
    Effect.gen(function* () {
      const { url } = yield* http(
        (request) => pages[new URL(request.url).pathname]?.() ?? new Response("", { status: 404 })
      )
      yield* Effect.gen(function* () {
        const { fetch } = yield* BrowserFetcher
        const visit = Effect.fnUntraced(function* (css: string) {
          const address = `${url}/late?css=${encodeURIComponent(css)}`
          const { body, raw } = yield* fetch(job(address, { target: { url: address, type: "article" } }))
          return { came: new TextDecoder().decode(body).includes('id="text"'), took: raw.elapsed_ms }
        })
        const late = yield* visit("#text")
        expect([late.came, late.took < 8000]).toEqual([true, true])
        expect((yield* visit("]no[")).took).toBeGreaterThanOrEqual(2000)
      }).pipe(Effect.provide(Layer.provideMerge(services({ BROWSER_SETTLE: "2500ms" }), ruled)))
      expect(readdirSync(tmpdir()).filter((it) => it.startsWith(profilesOf(process.pid)))).toEqual([])
    })
  )
})
