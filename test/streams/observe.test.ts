import { expect, test } from "bun:test"
import { Effect } from "effect"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import { Fatal, Postponed, Retryable } from "../../src/domain/errors.ts"
import type { Parsed } from "../../src/domain/flow.ts"
import { layer, MemorySignals } from "../../src/infra/signals.memory.ts"
import { observeFailure } from "../../src/streams/observe.ts"
import { hostsOf } from "../../src/streams/score.ts"
import { effect } from "../support/effect.ts"

const job = (more: Partial<CrawlJob> = {}, type: CrawlJob["target"]["type"] = "article"): CrawlJob => ({
  id: "k.0",
  source_id: null,
  target: { url: "https://a.kr/1", type },
  host: "a.kr",
  priority: { value: "normal", by: "category" },
  fetcher: "auto",
  follow: { hops: 0, within: null, lists: false, since: null },
  visit: 0,
  scheduled_at: 0,
  retry_count: 0,
  ...more
})

const table: ReadonlyArray<
  readonly [why: string, job: CrawlJob, error: Retryable | Fatal | Postponed, signals: ReadonlyArray<string>]
> = [
  ["a broken connection", job(), new Retryable({ code: "network", message: "" }), ["http 0"]],
  ["its own 503", job(), new Retryable({ code: "http_5xx", message: "", host: "a.kr" }), ["http 503"]],
  [
    "a browser that waited in vain",
    job({ fetcher: "browser" }),
    new Retryable({ code: "timeout", message: "" }),
    ["browser 0"]
  ],
  ["a browser of ours that broke", job({ fetcher: "browser" }), new Retryable({ code: "browser", message: "" }), []],
  ["the fault of another host", job(), new Retryable({ code: "network", message: "", host: "b.kr" }), []],
  ["a refusal of ours", job(), new Fatal({ code: "robots", message: "" }), []],
  ["a wait", job(), new Postponed({ code: "breaker", message: "", until: 1 }), []],
  ["a poll", job({}, "feed"), new Retryable({ code: "network", message: "" }), []]
]
for (const [why, given, error, signals] of table) {
  effect(`what a failed fetch says of its host (S1.7, S1.8): ${why}`, () =>
    Effect.gen(function* () {
      yield* observeFailure(given, error, 0)
      const recorded = yield* MemorySignals.use((it) => it.recorded)
      expect(recorded.map((it) => `${it.fetcher} ${it.status}`)).toEqual([...signals])
    }).pipe(Effect.provide(layer))
  )
}

test("the facts of a link's host are asked for under the name by which its job goes", () => {
  const links = [
    "https://B.kr./1",
    "https://뉴스.example/1",
    "https://b.kr:8080/2",
    "mailto:x@a.kr",
    "//",
    "https://u@c.kr/"
  ]
  const page = { job: job(), article: null, links: links.map((url) => ({ url })) }
  expect(hostsOf(page as unknown as Parsed)).toEqual(["b.kr", "xn--vg1b002a.example"])
})
