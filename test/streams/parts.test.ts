import { expect } from "bun:test"
import { Deferred, Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { BadData } from "../../src/domain/errors.ts"
import { Bus, Frontier } from "../../src/domain/ports.ts"
import { messageBytesMax } from "../../src/domain/topics.ts"
import { MemoryBus } from "../../src/infra/bus.memory.ts"
import { MemoryPages } from "../../src/infra/pages.memory.ts"
import { Run } from "../../src/streams/chain.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage, listPage } from "../support/pages.ts"
import { seed } from "../support/pipeline.ts"
import { type Web, world } from "../support/world.ts"

/** What is left on the bus when stages up to `stages` have done their work on the front page. */
const left = (
  web: Web,
  stages: ReadonlyArray<string>,
  over: Layer.Layer<Bus, never, Bus> = Layer.effect(Bus, Bus),
  type: "auto" | "list" = "list"
) =>
  Effect.gen(function* () {
    yield* (yield* Frontier).enqueue([seed("https://a.example/", type)])
    const run = yield* Run
    const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
    for (let turn = 0; turn < 50; turn += 1) yield* TestClock.adjust("100 millis")
    yield* Deferred.succeed(run.stop, undefined)
    for (let turn = 0; turn < 300 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
    const { deadLetters, messages } = yield* MemoryBus
    return { messages: yield* messages, letters: yield* deadLetters }
  }).pipe(
    Effect.provide(Layer.provideMerge(over, world(web, { stages: new Set(stages), policy: { untilDrained: false } })))
  )

/** Addresses as they are where titles stand in them: over a kilobyte each. */
const long = Array.from(
  { length: 450 },
  (_, at) => `https://h${at}.example/2026/${encodeURIComponent("가".repeat(120))}-${at}`
)

for (const stages of [
  ["fetcher", "validator", "parser"],
  ["fetcher", "validator", "parser", "scorer"]
]) {
  effect(`links with long addresses leave the ${stages.at(-1)} in messages that can be stored, none lost`, () =>
    Effect.gen(function* () {
      const { messages, letters } = yield* left(() => listPage(long), stages)
      expect(letters).toEqual([])
      expect(messages.length).toBeGreaterThan(1)
      for (const it of messages) expect(JSON.stringify(it).length).toBeLessThanOrEqual(messageBytesMax)
      const carried = messages.flatMap((it) => (it.payload as { links: ReadonlyArray<{ url: string }> }).links)
      expect(new Set(carried.map((it) => it.url))).toEqual(new Set(long))
      expect(carried.length).toBe(long.length)
    })
  )
}

effect(
  "what follows from a page and can never be stored is a dead letter of its job, not a job that is never over",
  () =>
    Effect.gen(function* () {
      const refusing = Layer.effect(
        Bus,
        Effect.map(Bus, (it) =>
          Bus.of({
            ...it,
            settle: (all) =>
              all.some(({ publish }) => publish.length > 0)
                ? Effect.fail(new BadData({ message: "too_large: 300000 bytes" }))
                : it.settle(all)
          })
        )
      )
      const { messages, letters } = yield* left(() => articlePage("Council votes on the bridge"), ["fetcher"], refusing)
      expect(messages).toEqual([])
      expect(letters.map((it) => [it.code, it.message])).toEqual([["bad_data", "too_large: 300000 bytes"]])
      expect(JSON.parse(letters[0]?.bytes ?? "{}").payload.target.url).toBe("https://a.example/")
    })
)

effect("links of a page that its first part leaves over do not say that it leads nowhere", () =>
  Effect.gen(function* () {
    const stories = Array.from({ length: 500 }, (_, at) => `https://a.example/news/2026/11/30/story-${at}`)
    const menu = Array.from({ length: 20 }, (_, at) => `https://other.example/page-${at}`)
    const page = listPage([...stories, ...menu])
    const { messages, letters } = yield* left(() => page, ["fetcher", "validator", "parser"], undefined, "auto")
    expect([messages.length, letters]).toEqual([2, []])
    const routed = Effect.gen(function* () {
      yield* (yield* Bus).publish(messages.map((it) => ({ ...it, not_before: 0 })))
      yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let turn = 0; turn < 50; turn += 1) yield* TestClock.adjust("100 millis")
      return yield* (yield* MemoryPages).outcomes
    })
    const next = world(() => "", { stages: new Set(["scorer", "router"]), policy: { untilDrained: false } })
    expect(yield* Effect.provide(routed, next)).toEqual([])
  })
)
