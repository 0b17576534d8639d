import { expect, test } from "bun:test"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { noConfig } from "../../src/domain/override.ts"
import { Board, Scores, Scoring } from "../../src/domain/priority.ports.ts"
import { evenWeights, type HostTotals } from "../../src/domain/score.ts"
import { noSums } from "../../src/domain/signals.ts"
import * as board from "../../src/infra/board.ts"
import { boardText } from "../../src/infra/board.ts"
import { readEnvironment } from "../../src/infra/cli/environment.ts"
import * as scores from "../../src/infra/scores.memory.ts"
import { cycle } from "../../src/streams/scoring.ts"
import { effect } from "../support/effect.ts"
import { policyOf } from "../support/world.ts"

const total = (host: string, samples: number): HostTotals => ({
  host,
  rating: null,
  category: null,
  config: noConfig,
  sums: { ...noSums, samples }
})

/** A store of hosts in pages of two. */
const scoringOver = (all: ReadonlyArray<HostTotals>, asked: Array<string>) =>
  Layer.succeed(
    Scoring,
    Scoring.of({
      begin: () => Effect.succeed({ epoch: 1, now: 0 }),
      totals: (_, __, after) =>
        Effect.sync(() => {
          asked.push(after)
          return all.filter((it) => it.host > after).slice(0, 2)
        }),
      save: () => Effect.succeed(true),
      end: () => Effect.void
    })
  )

const turn = (hostLabels: number, all: ReadonlyArray<HostTotals>, asked: Array<string> = []) => {
  const scale = { weights: evenWeights, window_ms: 21_600_000, samplesMin: 20 }
  const policy = policyOf({ scoring: { interval: Duration.minutes(5), hostLabels, scale } })
  const services = Layer.mergeAll(scoringOver(all, asked), scores.layer, board.layer, policy)
  return Effect.gen(function* () {
    const done = yield* cycle()
    return { done, shown: yield* Board.use((it) => it.shown), scores: yield* Scores.use((it) => it.facts(["a"])) }
  }).pipe(Effect.provide(services))
}

effect("metrics name the hosts with the most samples and give the others as one", () =>
  Effect.gen(function* () {
    const all = ["a", "b", "c", "d", "e"].map((host, at) => total(host, [25, 400, 30, 10, 300][at] ?? 0))
    const asked: Array<string> = []
    const { done, shown } = yield* turn(2, all, asked)
    expect(done).toEqual({ hosts: 5, scored: 4 })
    expect(asked).toEqual(["", "b", "d", "e"])
    expect(shown?.top.map((it) => [it.host, it.samples])).toEqual([
      ["b", 400],
      ["e", 300]
    ])
    expect(shown?.others).toBe(2)
    const text = shown === null ? "" : boardText(shown)
    expect(text.match(/crawler_host_score\{/g)?.length).toBe(3)
    expect(text).toContain('crawler_host_score{host="other"}')
    expect(text).toContain("crawler_hosts_scored 4")
  })
)

effect("no labels are wanted: all hosts are other; no hosts: nothing is said of others", () =>
  Effect.gen(function* () {
    const { shown } = yield* turn(0, [total("a", 20)])
    expect(shown).toMatchObject({ top: [], others: 1 })
    const none = yield* turn(3, [])
    expect(none.done).toEqual({ hosts: 0, scored: 0 })
    expect(none.shown).toEqual({ top: [], others: 0, othersMean: null })
  })
)

effect("a process that has no turns any more shows none, for another does", () =>
  Effect.gen(function* () {
    const { show, shown } = yield* Board
    expect(yield* shown).toBeNull()
    const latest = { top: [], others: 1, othersMean: 0.5 }
    yield* show(latest, 1000)
    yield* TestClock.adjust("999 millis")
    expect(yield* shown).toEqual(latest)
    yield* TestClock.adjust("1 millis")
    expect(yield* shown).toBeNull()
  }).pipe(Effect.provide(board.layer))
)

test("a label with quotes, backslashes or line ends breaks no line", () => {
  const text = boardText({ top: [{ host: 'a"\\\nb', score: 1, samples: 1 }], others: 0, othersMean: null })
  expect(text).toContain('crawler_host_score{host="a\\"\\\\\\nb"} 1\n')
})

test("weights that are all 0, or negative, or scores that end before the next turn, stop the start", () => {
  const names = ["FRESHNESS", "IMPACT", "COST", "RELIABILITY", "HOST_TRUST"].map((it) => `SCORING_WEIGHT_${it}`)
  const zero = Object.fromEntries(names.map((it) => [it, "0"]))
  const said = (env: Readonly<Record<string, string>>) => {
    const read = readEnvironment(env)
    return read._tag === "Failure" ? read.failure.map((it) => it.name) : []
  }
  expect(said(zero)).toEqual(["SCORING_WEIGHT_*"])
  expect(said({ ...zero, SCORING_WEIGHT_COST: "0.1" })).toEqual([])
  expect(said({ SCORING_WEIGHT_COST: "-1" })).toEqual(["SCORING_WEIGHT_COST"])
  expect(said({ SCORING_INTERVAL: "16m", SCORING_WINDOW: "15m" })).toEqual(["SCORING_INTERVAL"])
  expect(said({ SCORING_INTERVAL: "15m", SCORING_WINDOW: "15m" })).toEqual([])
  expect(said({ SCORING_THRESHOLD: "1.1" })).toEqual(["SCORING_THRESHOLD"])
})
