import { expect } from "bun:test"
import { Effect } from "effect"
import type { RawPage } from "../../src/domain/fetching.ts"
import { Bus, Frontier, Pages } from "../../src/domain/ports.ts"
import { chooser, reparseJob } from "../../src/domain/reparse.ts"
import { effect } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { drained, seed } from "../support/pipeline.ts"
import { world } from "../support/world.ts"

const story = "https://a.example/news/2026/11/30/council-votes-1"

effect("a stored page that is read again revises its article once, and nothing is fetched", () =>
  Effect.gen(function* () {
    let fetched = 0
    const program = Effect.gen(function* () {
      const pages = yield* Pages
      const bus = yield* Bus
      yield* (yield* Frontier).enqueue([seed(story)])
      yield* drained
      const [first] = yield* pages.raws({ host: "a.example", limit: 1, bytesMax: 1_000_000 })
      if (first === undefined) return yield* Effect.die("the page was not stored")
      // As if today's rules read the stored bytes otherwise than yesterday's did.
      const body = new TextEncoder().encode(articlePage("Council votes on the bridge, at last"))
      const raw: RawPage = { ...first.raw, id: "later", fetched_at: first.raw.fetched_at + 1, bytes: body.length }
      yield* pages.saveRaws([{ raw, body }])
      const again = (run: string) =>
        Effect.gen(function* () {
          const job = reparseJob(raw, run, 1)
          const message = { id: job.id, topic: "fetched", key: raw.host, payload: { job, raw } } as const
          const rest = { occurred_at: 1, attempt: 0, trace_id: "", headers: {}, not_before: 0 }
          yield* bus.publish([{ ...message, ...rest }])
          yield* drained
          return (yield* pages.articles({ limit: 10 })).map((it) => [it.title, it.detected_at])
        })
      const once = yield* again("run")
      return { once, twice: yield* again("run"), other: yield* again("other"), asked: first.raw.asked }
    })
    const web = () => {
      fetched += 1
      return articlePage("Council votes on the bridge")
    }
    const { asked, once, other, twice } = yield* Effect.provide(program, world(web))
    expect(once.map(([title]) => title)).toEqual(["Council votes on the bridge, at last"])
    expect([twice, other]).toEqual([once, once])
    expect(asked).toMatchObject({ source_id: null, target: { url: story } })
    expect(fetched).toBe(1)
  })
)

const raw = (id: string, url: string, fetched_at: number, more: Partial<RawPage> = {}): RawPage => ({
  id,
  url,
  final_url: url,
  host: "a.example",
  status: 200,
  content_type: "text/html",
  fetcher: "http",
  fetched_at,
  elapsed_ms: 1,
  bytes: 1,
  truncated: false,
  hops: [],
  validators: { etag: null, last_modified: null },
  ...more
})

effect("only the latest page of each URL is read again, and only where it was asked for", () =>
  Effect.sync(() => {
    const walk = [
      raw("c", "https://a.example/1", 30),
      raw("b", "https://a.example/2", 20, { truncated: true }),
      raw("a", "https://a.example/1", 10),
      raw("d", "https://a.example/1", 5, { host: "b.example" })
    ]
    const chosen = (asked: Parameters<typeof chooser>[0]) => walk.map(chooser(asked))
    expect(chosen({})).toEqual(["chosen", "truncated", "superseded", "chosen"])
    // What is outside the range still counts as the later page of its URL.
    expect(chosen({ until: 25 })).toEqual(["outside", "truncated", "superseded", "chosen"])
    expect(chosen({ since: 8 })).toEqual(["chosen", "truncated", "superseded", "outside"])
    expect(chosen({ raw: "a" })).toEqual(["outside", "outside", "superseded", "outside"])
  })
)
