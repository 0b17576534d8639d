import { expect } from "bun:test"
import { Deferred, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Bus, Pages, Reader } from "../../src/domain/ports.ts"
import { Run } from "../../src/streams/chain.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { seed } from "../support/pipeline.ts"
import { world } from "../support/world.ts"

const stories = Array.from({ length: 30 }, (_, at) => seed(`https://a.example/news/2026/11/30/story-${at}`).job)
const body = new TextEncoder().encode(articlePage("Council votes on the bridge"))

/** A page as a validator elsewhere hands it on. */
const pageOf = ({ host, target: { url } }: (typeof stories)[number], at: number) =>
  ({
    id: `raw-${at}`,
    url,
    final_url: url,
    host,
    status: 200,
    content_type: "text/html",
    fetcher: "http",
    fetched_at: 1,
    elapsed_ms: 1,
    bytes: body.length,
    truncated: false,
    hops: [],
    validators: { etag: null, last_modified: null }
  }) as const

effect("a parser of its own holds the bodies of few pages, however many wait for a reader", () =>
  Effect.gen(function* () {
    let [reading, most] = [0, 0]
    const slow = (it: Reader["Service"]) =>
      Reader.of({
        read: (...given) =>
          Effect.sync(() => {
            reading += 1
            most = Math.max(most, reading)
          }).pipe(
            Effect.andThen(Effect.sleep("1 second")),
            Effect.andThen(it.read(...given)),
            Effect.ensuring(Effect.sync(() => (reading -= 1)))
          )
      })
    const pages = yield* Pages
    const bus = yield* Bus
    for (const [at, job] of stories.entries()) {
      const raw = pageOf(job, at)
      yield* pages.saveRaws([{ raw, body }])
      const payload = {
        job,
        raw,
        verdict: "ok",
        kind: "article",
        charset: { name: "utf-8", source: "bom", confidence: 1 }
      }
      const rest = { occurred_at: 1, attempt: 0, trace_id: "", headers: {}, not_before: 0 }
      yield* bus.publish([{ id: raw.id, topic: "validated", key: job.host, payload, ...rest }])
    }
    const chain = yield* Effect.forkChild(Effect.updateService(Stream.runDrain(pipeline), Reader, slow))
    for (let turn = 0; turn < 100; turn += 1) yield* TestClock.adjust("100 millis")
    expect((yield* pages.articles({ limit: 100 })).length).toBe(1)
    expect(most).toBe(8)
    yield* Deferred.succeed((yield* Run).stop, undefined)
    for (let turn = 0; turn < 60 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
  }).pipe(Effect.provide(world(() => "", { stages: new Set(["parser"]), policy: { readers: 1, untilDrained: false } })))
)
