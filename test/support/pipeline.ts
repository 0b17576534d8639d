import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Article } from "../../src/domain/article.ts"
import { Frontier, Pages } from "../../src/domain/ports.ts"
import { seedJob } from "../../src/domain/seed.ts"
import { parseHttpUrl } from "../../src/domain/url.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { MemoryPages } from "../../src/infra/pages.memory.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { type Web, world } from "./world.ts"

type Kind = "auto" | "article" | "list" | "feed"

/** The job of one URL, its links followed one hop. */
export const seed = (url: string, type: Kind = "article") => {
  const parsed = parseHttpUrl(url)
  if (parsed._tag === "Failure") throw new Error(parsed.failure.message)
  return seedJob(parsed.success, { type, hops: 1, lists: false, category: null, visit: 0 }, 0)
}

/** Runs the pipeline until it is drained, moving virtual time on. */
export const drained = Effect.gen(function* () {
  const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
  for (let turn = 0; turn < 5000 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
  yield* Fiber.join(chain)
})

/** What one URL leads to: articles stored, dead letters, outcomes and what was delivered. */
export const crawl = (web: Web, url: string, type: Kind = "article") => {
  const asked = new Map<string, number>()
  const delivered: Array<Article> = []
  const program = Effect.gen(function* () {
    yield* (yield* Frontier).enqueue([seed(url, type)])
    yield* drained
    const articles = yield* (yield* Pages).articles({ limit: 100 })
    const letters = yield* (yield* MemoryBus).deadLetters
    const outcomes = yield* (yield* MemoryPages).outcomes
    return { articles, letters, outcomes, delivered, asked }
  })
  return Effect.provide(program, world(web, { asked, delivered }))
}
