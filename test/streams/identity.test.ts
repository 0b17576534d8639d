import { expect } from "bun:test"
import { Effect } from "effect"
import { Frontier, Pages } from "../../src/domain/ports.ts"
import { effect } from "../support/effect.ts"
import { articlePage, listPage } from "../support/pages.ts"
import { crawl, drained, seed } from "../support/pipeline.ts"
import { type Web, world } from "../support/world.ts"

const story = "https://a.example/news/2026/11/30/council-votes-1"
const other = "https://a.example/news/2026/11/30/river-rises-2"

effect("an edited headline is a revision of its article, also when an alias with its canonical shows it", () =>
  Effect.gen(function* () {
    const alias = "https://a.example/m/council-1"
    const program = Effect.gen(function* () {
      const frontier = yield* Frontier
      yield* frontier.enqueue([seed(story)])
      yield* drained
      yield* frontier.enqueue([seed(alias)])
      yield* drained
      return yield* (yield* Pages).articles({ limit: 10 })
    })
    const web: Web = (url) =>
      articlePage(url === story ? "Council votes on the bridge" : "Council rejects the bridge", { canonical: story })
    const articles = yield* Effect.provide(program, world(web))
    expect(articles.map((it) => it.identity)).toEqual([story])
  })
)

effect("pages with different titles that share a canonical are articles of their own", () =>
  Effect.gen(function* () {
    const front = "https://a.example/news/latest-42"
    const web: Web = (url) =>
      url.endsWith("/") ? listPage([story, other]) : articlePage(`Story at ${url.slice(-20)}`, { canonical: front })
    const { articles } = yield* crawl(web, "https://a.example/", "list")
    expect(articles).toHaveLength(2)
  })
)
