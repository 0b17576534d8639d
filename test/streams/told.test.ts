import { expect } from "bun:test"
import { Effect, Fiber, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Retryable } from "../../src/domain/errors.ts"
import { Sources } from "../../src/domain/ports.ts"
import { tick } from "../../src/streams/schedule.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { source } from "../support/conformance/sources.ts"
import { effect } from "../support/effect.ts"
import { feedPage, listPage } from "../support/pages.ts"
import { type Answer, world } from "../support/world.ts"

const feedOf = (host: string) =>
  source(host.replace(".example", ""), { kind: "feed", url: `https://${host}/rss.xml`, created_at: 0, next_poll_at: 0 })

/** Polls one feed until nothing is left to do; what was logged about it, and what the source keeps of it. */
const logged = (answer: Answer) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") lines.push(String(Array.isArray(message) ? message[0] : message))
  })
  return Effect.gen(function* () {
    yield* (yield* Sources).put([feedOf("gone.example")])
    yield* tick()
    const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
    for (let turn = 0; turn < 5000 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(chain)
    return { lines, last: (yield* (yield* Sources).find("gone"))?.last }
  }).pipe(
    Effect.provide(
      Layer.merge(
        Logger.layer([logger]),
        world(() => answer)
      )
    )
  )
}

effect("a feed that is gone is told, with its source and why", () =>
  Effect.gen(function* () {
    const { lines, last } = yield* logged({ status: 404, body: "<html><body><h1>Not found</h1></body></html>" })
    expect(lines).toEqual([
      expect.stringMatching(/^source gone \(https:\/\/gone\.example\/rss\.xml\): \w+: .*answered 404/)
    ])
    expect(last).toMatchObject({ outcome: "soft_404", message: expect.stringContaining("answered 404"), links: null })
  })
)

effect("a feed whose host fails is told at each try", () =>
  Effect.gen(function* () {
    const { lines, last } = yield* logged(new Retryable({ code: "http_5xx", message: "gone.example answered 503" }))
    expect(lines.length).toBeGreaterThan(1)
    expect([...new Set(lines)]).toEqual([
      "source gone (https://gone.example/rss.xml): http_5xx: gone.example answered 503"
    ])
    expect(last).toMatchObject({ outcome: "http_5xx", message: "gone.example answered 503" })
  })
)

effect("a feed without a link is told", () =>
  Effect.gen(function* () {
    expect(yield* logged(feedPage([]))).toMatchObject({
      lines: [expect.stringContaining("nothing_found")],
      last: { outcome: "nothing_found" }
    })
  })
)

effect("a list whose links all look like lists is told: nothing of it is followed", () =>
  Effect.gen(function* () {
    const days = ["2026/11/28", "2026/11/29", "2026/11/30"].map((day) => `https://gone.example/news/${day}`)
    expect((yield* logged(listPage(days))).lines).toEqual([
      expect.stringMatching(/nothing_found: .* holds 3 links, none of which looks like an article's/)
    ])
  })
)

effect("a feed with links is nothing to tell", () =>
  Effect.gen(function* () {
    expect(yield* logged(feedPage(["https://gone.example/news/2026/11/30/story-1"]))).toMatchObject({
      lines: [],
      last: { outcome: "found", message: "links to follow: 1, new: 1", links: 1, fresh: 1 }
    })
  })
)
