import { describe, expect, test } from "bun:test"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { articles, stageMessages } from "../../src/domain/metrics.ts"
import * as bus from "../../src/infra/bus.memory.ts"
import { progress, progressText, Screen, tally } from "../../src/infra/cli/progress.ts"
import { effect } from "../support/effect.ts"

test("progress says pages, articles, rate and queue, within the terminal's width", () => {
  const counted = { pages: 40, articles: 12, queue: 120 }
  expect(progressText(counted, 5000, 80)).toBe("12 articles · 40 pages · 8.0 pages/s · 120 queued")
  expect(progressText(counted, 100, 80)).toContain("- pages/s")
  expect(progressText(counted, 5000, 20)).toHaveLength(19)
})

describe("the screen", () => {
  const recorded = (terminal: boolean) => {
    const written: Array<string> = []
    return {
      written,
      screen: new Screen(
        (text) => void written.push(text),
        terminal,
        () => 80
      )
    }
  }

  effect("redraws progress in place, steps aside for a log line and is clean at the end", () =>
    Effect.gen(function* () {
      const { screen, written } = recorded(true)
      let pages = 0
      const counted = Effect.sync(() => ({ pages: ++pages, articles: 0, queue: 0 }))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* progress(screen, counted)
          yield* TestClock.adjust("1 second")
          expect(pages).toBeGreaterThan(3)
          screen.line("a log line\n")
          expect(written.at(-1)).toMatch(/^\r\u001b\[2Ka log line\n0 articles/)
        })
      )
      expect(written.at(-1)).toBe("\r\u001b[2K")
    })
  )

  effect("without a terminal shows lines alone", () =>
    Effect.gen(function* () {
      const { screen, written } = recorded(false)
      yield* Effect.scoped(progress(screen, Effect.die("nobody looks")))
      screen.line("a log line\n")
      screen.show("status")
      expect(written).toEqual(["a log line\n"])
    })
  )
})

effect("the tally counts pages fetched and new articles from the metrics, and what waits on the bus", () =>
  Effect.gen(function* () {
    yield* Metric.update(stageMessages("fetcher", "done"), 4)
    yield* Metric.update(stageMessages("fetcher", "postponed"), 9)
    yield* Metric.update(articles("new"), 2)
    yield* Metric.update(articles("duplicate"), 5)
    expect(yield* tally).toEqual({ pages: 4, articles: 2, queue: 0 })
  }).pipe(Effect.provide(bus.layer()), Effect.provideService(Metric.MetricRegistry, new Map()))
)
