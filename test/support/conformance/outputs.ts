import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import type { Article } from "../../../src/domain/article.ts"
import { Outputs } from "../../../src/domain/ports.ts"
import { type ClockName, sentences } from "./clock.ts"
import { article } from "./pages.ts"

export interface OutputsOptions<R> {
  readonly clock: ClockName
  /** Every article that has arrived at the other side, in order of arrival. */
  readonly received: Effect.Effect<ReadonlyArray<Article>, unknown, R>
}

/** What every output promises. The layer is built anew for each sentence and starts with nothing received. */
export const outputsSuite = <R, E>(
  name: string,
  layer: Layer.Layer<Outputs | R, E>,
  options: OutputsOptions<R>
): void => {
  const it = sentences(name, options.clock, layer)
  const deliver = (articles: ReadonlyArray<Article>) => Outputs.use((outputs) => outputs.deliver(articles))

  it("an article arrives as it is, before deliver answers", () =>
    Effect.gen(function* () {
      const odd = article("odd", { title: '줄\n바꿈 \u2028 \\ " 😀', text: "\u0000\r\n\t끝", tags: [] })
      yield* deliver([odd])
      expect(yield* options.received).toEqual([odd])
    }))

  it("the articles of one call arrive in order, and those of the next call after them", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 50 }, (_, n) => `id${n}`)
      yield* deliver(ids.slice(0, 20).map((id) => article(id)))
      yield* deliver([])
      yield* deliver(ids.slice(20).map((id) => article(id)))
      expect((yield* options.received).map((it) => it.id)).toEqual(ids)
    }))

  it("large articles of calls at once arrive whole, each once", () =>
    Effect.gen(function* () {
      const text = "긴 본문입니다. ".repeat(10_000)
      const parts = ["a", "b", "c", "d"].map((part) =>
        Array.from({ length: 5 }, (_, n) => article(`${part}${n}`, { text: `${part}${n} ${text}` }))
      )
      yield* Effect.all(parts.map(deliver), { concurrency: 4 })
      const received = yield* options.received
      expect(received.map((it) => it.id).toSorted()).toEqual(
        parts
          .flat()
          .map((it) => it.id)
          .toSorted()
      )
      for (const it of received) expect(it.text).toBe(`${it.id} ${text}`)
    }))

  it("an output that takes articles says so", () =>
    Effect.gen(function* () {
      expect(yield* Outputs.use((outputs) => Effect.succeed(outputs.enabled))).toBe(true)
    }))
}
