import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { Frontier, Pages } from "../../src/domain/ports.ts"
import { isSamePrint, isSentHome, patternOf, printOf } from "../../src/domain/traits.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { MemoryPages } from "../../src/infra/pages.memory.ts"
import { effect } from "../support/effect.ts"
import { articlePage, listPage } from "../support/pages.ts"
import { drained, seed } from "../support/pipeline.ts"
import { type Web, world } from "../support/world.ts"

const host = "https://a.example"

/** What a front page leads to, its host being asked whatever the crawler wants to know. */
const crawled = (web: Web) => {
  const asked = new Map<string, number>()
  const program = Effect.gen(function* () {
    yield* (yield* Frontier).enqueue([seed(`${host}/`, "list")])
    yield* drained
    // What waited for a probe lies in a topic that was empty when the first run looked at it.
    yield* drained
    const articles = yield* (yield* Pages).articles({ limit: 100 })
    const letters = yield* (yield* MemoryBus).deadLetters
    return { articles, letters, outcomes: yield* (yield* MemoryPages).outcomes, asked: [...asked.keys()] }
  })
  return Effect.provide(program, world(web, { asked, probes: true, policy: { conditional: true } }))
}

describe("one article under a thousand addresses (field case B15)", () => {
  const variants = Array.from({ length: 60 }, (_, at) => `${host}/story/ID123/2026/slug-${at}`)
  effect("teaches its number after three fetches, is stored once, and its other addresses are left alone", () =>
    Effect.gen(function* () {
      const other = `${host}/story/ID124/2026/slug-0`
      const { articles, asked, letters } = yield* crawled((url) =>
        url === `${host}/`
          ? listPage([...variants, other])
          : articlePage(url === other ? "A river rises in the north" : "Council votes on the bridge")
      )
      expect(articles.map((it) => it.title).sort()).toEqual([
        "A river rises in the north",
        "Council votes on the bridge"
      ])
      // One more may be under way when the third is read.
      expect(asked.filter((it) => it.includes("/ID123/")).length).toBeLessThanOrEqual(4)
      expect(letters).toEqual([])
    })
  )
  test("no pattern makes one article of known ones, or takes a section for a number", () => {
    const urls = variants.slice(0, 3)
    expect(patternOf(urls, [])).toBe("/story/{id}/**")
    const known = [
      { url: `${host}/story/ID123/a`, title: "One" },
      { url: `${host}/story/ID123/b`, title: "Another" }
    ]
    expect(patternOf(urls, known)).toBeNull()
    for (const section of ["page-2", "section12", "2026", "world"]) {
      expect(
        patternOf(
          ["a", "b", "c"].map((it) => `${host}/${section}/${it}`),
          []
        )
      ).toBeNull()
    }
  })
})

describe("a page that is not there though its status says so (field case B33)", () => {
  const [real, gone] = [`${host}/news/2026/11/30/council-votes-1`, `${host}/news/2026/11/29/gone-2`]
  const front = listPage([real, gone, `${host}/sport`])
  effect("a host that shows its front for every unknown address is found out, its front is not", () =>
    Effect.gen(function* () {
      const { articles, asked, letters, outcomes } = yield* crawled((url) =>
        url === real ? articlePage("Council votes on the bridge") : front
      )
      expect([articles.map((it) => it.url), letters]).toEqual([[real], []])
      expect(outcomes.map((it) => [it.url, it.verdict])).toEqual([[gone, "soft_404"]])
      expect(asked.length).toBeLessThanOrEqual(4)
    })
  )
  effect("a page of its own for unknown addresses is known by one look at an address that cannot be", () =>
    Effect.gen(function* () {
      const lost = `<html><head><title>Oops</title></head><body><h1>Oops</h1><p>This address leads nowhere, we are sorry to say.</p><p>Please begin again at the front page of this paper.</p><p>Or write to the editors, who may know more than this page does.</p></body></html>`
      const { articles, asked, letters, outcomes } = yield* crawled((url) =>
        url === `${host}/` ? front : url === real ? articlePage("Council votes on the bridge") : lost
      )
      expect([articles.map((it) => it.url), letters]).toEqual([[real], []])
      expect(outcomes.map((it) => [it.url, it.verdict])).toEqual([[gone, "soft_404"]])
      expect(asked.filter((it) => /\/[0-9a-f]{24}$/.test(it))).toHaveLength(1)
    })
  )
  test("an article's address that leads to the front is gone; a front's other name is not", () => {
    const raw = { host: "a.example", hops: [{ url: gone, status: 302 }], url: gone, final_url: `${host}/` }
    const rest = { id: "1", status: 200, content_type: null, fetcher: "http", fetched_at: 0, elapsed_ms: 0 } as const
    const page = { ...raw, ...rest, bytes: 1, truncated: false, validators: { etag: null, last_modified: null } }
    expect(isSentHome(page)).toBe(true)
    expect(isSentHome({ ...page, url: `${host}/`, hops: [] })).toBe(false)
    expect(isSentHome({ ...page, final_url: `${host}/news/2` })).toBe(false)
  })
  test("pages are the same by title and half their lines, or by nearly all of them", () => {
    const lines = Array.from({ length: 20 }, (_, at) => `This is line number ${at} of the page`)
    const print = printOf({ title: "Oops", text: lines.join("\n") })
    expect(isSamePrint(print, printOf({ title: "Oops", text: [...lines, "one more line of it"].join("\n") }))).toBe(
      true
    )
    expect(isSamePrint(print, printOf({ title: "Oops", text: "Something else that is told here" }))).toBe(false)
    expect(isSamePrint(print, printOf({ title: "Other", text: lines.join("\n") }))).toBe(true)
  })
})
