import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Sites } from "../../src/domain/research.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import * as robots from "../../src/infra/robots.http.ts"
import * as sites from "../../src/infra/sites.http.ts"
import { live } from "../support/effect.ts"
import { http, outward } from "../support/net.ts"

const services = Layer.provide(
  sites.layer,
  Layer.provideMerge(Layer.merge(robots.layer, hosts.layer()), outward({ USER_AGENT_TOKEN: "crawler" }))
)
const look = (home: string) => Sites.use((it) => it.look(home)).pipe(Effect.provide(services))

const front = `<html><head><title>News</title>
  <link rel="alternate" type="application/rss+xml" href="/rss.xml"><link rel=alternate type=application/atom+xml href="https://b.sg/atom">
  <link rel="alternate" type="application/rss+xml" href="/comments/feed/"><link rel="alternate" hreflang="zh" href="/zh">
</head><body><a href="/rss.xml">feed</a></body></html>`
const html = (body: string) => new Response(body, { headers: { "content-type": "text/html" } })
const text = (body: string) => new Response(body, { headers: { "content-type": "text/plain" } })

/** A site by its paths; what is not listed is not there. */
const site = (pages: Readonly<Record<string, () => Response>>) => {
  const asked: Array<string> = []
  return Effect.map(
    http((request) => {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      return pages[pathname]?.() ?? new Response("no", { status: 404 })
    }),
    ({ url }) => ({ url: `${url}/`, asked })
  )
}

describe("what a site says of where its news is", () => {
  live("are the feeds of its front page and the sitemaps of its robots.txt", () =>
    Effect.gen(function* () {
      const { url } = yield* site({
        "/": () => html(front),
        "/robots.txt": () =>
          text("Sitemap: /news-sitemap.xml\nUser-agent: *\nDisallow: /private\nSitemap: https://b.sg/s.xml")
      })
      expect(yield* look(url)).toEqual({
        feeds: [`${url}rss.xml`, "https://b.sg/atom"],
        sitemaps: [`${url}news-sitemap.xml`, "https://b.sg/s.xml"]
      })
    })
  )

  live("is looked for where its front page leads to, and not where robots.txt forbids it", () =>
    Effect.gen(function* () {
      const moved = yield* site({
        "/": () => new Response(null, { status: 302, headers: { location: "/en/" } }),
        "/en/": () => html(front)
      })
      expect((yield* look(moved.url)).feeds).toContain(`${moved.url}rss.xml`)
      const shut = yield* site({
        "/": () => new Response(null, { status: 302, headers: { location: "/en/" } }),
        "/en/": () => html(front),
        "/robots.txt": () => text("User-agent: *\nDisallow: /en\nSitemap: /s.xml")
      })
      expect(yield* look(shut.url)).toEqual({ feeds: [], sitemaps: [`${shut.url}s.xml`] })
      expect(shut.asked).not.toContain("/en/")
    })
  )

  live("is nothing where it is down, broken, endless or no HTML", () =>
    Effect.gen(function* () {
      const nothing = { feeds: [], sitemaps: [] }
      const loop = yield* site({ "/": () => new Response(null, { status: 301, headers: { location: "/" } }) })
      const broken = yield* site({ "/": () => new Response("oops", { status: 500 }) })
      const bytes = yield* site({ "/": () => new Response(new Uint8Array(50_000).fill(0xff)) })
      for (const { url } of [loop, broken, bytes]) expect(yield* look(url)).toEqual(nothing)
      expect(yield* look("http://127.0.0.1:1/")).toEqual(nothing)
      expect(yield* look("http://10.0.0.1/")).toEqual(nothing)
    })
  )
})
