import { expect } from "bun:test"
import { Duration, Effect, Layer, type Scope } from "effect"
import type { Policy } from "../../src/domain/policy.ts"
import { type Signal, Signals } from "../../src/domain/ports.ts"
import { Overrides, type Scores, Scoring } from "../../src/domain/priority.ports.ts"
import { Database } from "../../src/infra/database.ts"
import { cycle } from "../../src/streams/scoring.ts"
import { live } from "../support/effect.ts"
import { beginTurn, configured, factsOf, inTime, priorityOn, scale, withSums } from "../support/priority.ts"
import { stores } from "../support/store.ts"
import { policyOf } from "../support/world.ts"

const now = Effect.map(
  Database.use((it) => it.query<{ now: number }>("select ms_of(now()) as now")),
  ([row]) => row?.now ?? 0
)
const states = Database.use((it) =>
  it.query<{ host: string; score: number; samples: number }>(
    "select host, round(score::numeric, 3)::float8 as score, (signals->>'samples')::int as samples from host_scoring_state order by host"
  )
)
const audit = Database.use((it) =>
  it.query<{ action: string; subject: string; facts: unknown }>(
    "select action, subject, facts from audit_log order by id"
  )
)

const numbers = { interval: Duration.millis(1), hostLabels: 1, scale }
const good = { samples: 20, latencies: 20, lag_ms: 0, lags: 20, passed: 20, impact: 20, impacts: 20 }
const bad = { samples: 20, errors: 20, lag_ms: 20 * 21_600_000, lags: 20, rejected: 20, browser: 20, trips: 9 }

for (const store of stores) {
  const on = <A, E>(
    name: string,
    program: Effect.Effect<A, E, Database | Scores | Scoring | Overrides | Signals | Policy | Scope.Scope>
  ) =>
    live(`scoring, ${store.name}: ${name}`, () =>
      Effect.provide(program, Layer.merge(priorityOn(store.layer), policyOf({ scoring: numbers })))
    )

  on(
    "signals become scores: the best host 1, a cold one none, and the facts follow",
    Effect.gen(function* () {
      const at = yield* now
      yield* withSums("best.kr", at, good)
      yield* withSums("worst.kr", at - 3_600_000, { ...bad, relearns: 9 })
      yield* withSums("cold.kr", at, { ...good, samples: 19 })
      yield* withSums("past.kr", at - 7 * 3_600_000, good)
      expect(yield* cycle()).toEqual({ hosts: 3, scored: 2 })
      expect(yield* states).toEqual([
        { host: "best.kr", score: 1, samples: 20 },
        { host: "worst.kr", score: 0.133, samples: 20 }
      ])
      expect(yield* factsOf("best.kr")).toMatchObject({ value: 1 })
      expect(yield* factsOf("cold.kr")).toMatchObject({ value: null })
    })
  )

  on(
    "pages of hosts that have fallen silent are no end of the turn",
    Effect.gen(function* () {
      const at = yield* now
      yield* withSums("a.kr", at, good)
      yield* Database.use((it) =>
        it.script(`insert into host_signals select 'silent' || n || '.kr', now() - interval '7 hours',
          20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from generate_series(1, 1200) n`)
      )
      yield* withSums("z.kr", at, good)
      expect(yield* cycle()).toEqual({ hosts: 2, scored: 2 })
    })
  )

  on(
    "recorded signals count where they fall, and twice recorded ones add up",
    Effect.gen(function* () {
      const at = yield* now
      const signal: Signal = {
        host: "a.kr",
        at,
        kind: "fetch",
        fetcher: "http",
        status: 200,
        latency_ms: 100,
        lag_ms: null,
        category: null
      }
      const it = yield* Signals
      const many = Array.from({ length: 250 }, (_, n) => ({ ...signal, host: `h${n % 5}.kr` }))
      yield* Effect.all([it.record(many), it.record(many.toReversed())], { concurrency: 2 })
      const turn = yield* beginTurn()
      expect(turn).not.toBeNull()
      if (turn === null) return
      const totals = yield* Scoring.use((scoring) => scoring.totals(turn, scale.window_ms, ""))
      expect(totals.map((row) => [row.host, row.sums.samples, row.sums.latency_ms])).toEqual(
        Array.from({ length: 5 }, (_, n) => [`h${n}.kr`, 100, 10_000])
      )
      expect(yield* Scoring.use((scoring) => scoring.totals(turn, scale.window_ms, "h4.kr"))).toEqual([])
    })
  )

  on(
    "a host's own weights and an operator's rating enter its score (S2.8, S1.9)",
    Effect.gen(function* () {
      const at = yield* now
      const even = { samples: 20, latency_ms: 50_000, latencies: 20, lag_ms: 20 * 10_800_000, lags: 20 }
      for (const host of ["plain.kr", "cheap.kr", "rated.kr", "weightless.kr"]) yield* withSums(host, at, even)
      yield* configured("cheap.kr", { signal_weights: { cost: 10, reliability: 0 } })
      yield* configured("weightless.kr", {
        signal_weights: { freshness: 0, impact: 0, cost: 0, reliability: 0, host_trust: 0 }
      })
      yield* Database.use((it) => it.query("insert into hosts (host, rating) values ('rated.kr', 1)"))
      yield* cycle()
      expect((yield* states).map((it) => [it.host, it.score])).toEqual([
        ["cheap.kr", 0.756],
        ["plain.kr", 0.667],
        ["rated.kr", 0.767]
      ])
    })
  )

  on(
    "weights that make a score next to nothing keep no other host from its score (S2.11)",
    Effect.gen(function* () {
      const at = yield* now
      const nothing = {
        samples: 20,
        errors: 20,
        browser: 20,
        latency_ms: 2e5,
        latencies: 20,
        relearns: 9,
        rejected: 20
      }
      yield* withSums("tiny.kr", at, { ...nothing, lags: 20, impact: 20, impacts: 20, lag_ms: 20 * 21_600_000 })
      yield* configured("tiny.kr", { signal_weights: { impact: 1e-60, freshness: 1000 } })
      yield* withSums("best.kr", at, good)
      expect(yield* cycle()).toEqual({ hosts: 2, scored: 2 })
      expect((yield* states).map((it) => [it.host, it.score])).toEqual([
        ["best.kr", 1],
        ["tiny.kr", 0]
      ])
    })
  )

  on(
    "a host that grew cold loses its score",
    Effect.gen(function* () {
      const at = yield* now
      yield* withSums("a.kr", at, good)
      yield* cycle()
      expect((yield* states).length).toBe(1)
      yield* Database.use((it) => it.script("update host_signals set samples = 3"))
      yield* Effect.sleep(5)
      yield* cycle()
      expect(yield* states).toEqual([])
    })
  )

  on(
    "of many scorers one gets the turn of an interval, however many ask at once",
    Effect.gen(function* () {
      const turns = yield* Effect.all(
        Array.from({ length: 10 }, () => beginTurn(60_000)),
        { concurrency: 10 }
      )
      const got = turns.filter((it) => it !== null)
      expect(got.length).toBe(1)
      const [turn] = got
      if (turn === undefined) return
      yield* Scoring.use((it) => it.end(turn, scale.window_ms, { hosts: 1, scored: 1 }))
      expect(yield* beginTurn(60_000)).toBeNull()
      yield* Effect.sleep(10)
      expect(yield* beginTurn(5)).not.toBeNull()
    })
  )

  on(
    "a database whose clock was set back is no reason to wait: what it has not reached is no date of a turn",
    Effect.gen(function* () {
      const it = yield* Scoring
      const first = yield* beginTurn(60_000)
      if (first === null) return expect(first).not.toBeNull()
      yield* it.end(first, scale.window_ms, { hosts: 0, scored: 0 })
      expect(yield* beginTurn(60_000)).toBeNull()
      yield* Database.use((database) =>
        database.script(
          "update scoring_turns set started_at = now() + interval '1 day', leased_until = now() + interval '1 day'"
        )
      )
      expect(yield* beginTurn(60_000)).not.toBeNull()
      expect(yield* beginTurn(60_000)).toBeNull()
    })
  )

  on(
    "a signal of the future counts now (a fetcher's clock runs fast)",
    Effect.gen(function* () {
      const at = yield* now
      const day = 86_400_000
      const fetched: Signal = {
        host: "fast.kr",
        at: at + day,
        kind: "fetch",
        fetcher: "http",
        status: 200,
        latency_ms: 100,
        lag_ms: null,
        category: null
      }
      yield* Signals.use((it) => it.record([fetched, { ...fetched, at: at + 2 * day }, { ...fetched, at }]))
      const rows = yield* Database.use((it) =>
        it.query("select samples from host_signals where bucket <= now() and bucket > now() - interval '16 minutes'")
      )
      expect(rows.reduce((sum, row) => sum + Number(row.samples), 0)).toBe(3)
    })
  )

  on(
    "a scorer that lost its turn writes nothing any more, and its death is noticed",
    Effect.gen(function* () {
      const it = yield* Scoring
      const first = yield* beginTurn()
      expect(yield* beginTurn()).toBeNull()
      yield* Database.use((database) => database.script("update scoring_turns set leased_until = now()"))
      const second = yield* beginTurn()
      expect([first?.epoch, second?.epoch]).toEqual([first?.epoch, (first?.epoch ?? 0) + 1])
      if (first === null || second === null) return
      const score = {
        host: "a.kr",
        score: 0.5,
        why: "scored",
        signals: { freshness: null, impact: null, cost: null, reliability: null, host_trust: null },
        weights: scale.weights,
        threshold: null,
        samples: 20
      } as const
      expect(yield* it.save(first, scale.window_ms, [score])).toBe(false)
      expect(yield* states).toEqual([])
      expect(yield* it.save(second, scale.window_ms, [score])).toBe(true)
      yield* it.end(first, scale.window_ms, { hosts: 99, scored: 99 })
      expect(yield* it.save(second, scale.window_ms, [score])).toBe(true)
    })
  )

  on(
    "a read that fails leaves the last scores as they are (S1.16)",
    Effect.gen(function* () {
      const at = yield* now
      yield* withSums("a.kr", at, good)
      yield* cycle()
      const database = yield* Database
      yield* database.script("alter table host_signals rename column impact to impact_away")
      const broken = yield* Effect.exit(Effect.andThen(Effect.sleep(5), cycle()))
      yield* database.script("alter table host_signals rename column impact_away to impact")
      expect(broken._tag).toBe("Failure")
      expect((yield* states).length).toBe(1)
      yield* Effect.sleep(5)
      expect(yield* cycle()).toEqual({ hosts: 1, scored: 1 })
    })
  )

  on(
    "the sweeper takes ended overrides out, keeps weights and threshold, and says so (S2.10)",
    Effect.gen(function* () {
      const ended = yield* inTime(-1000)
      const later = yield* inTime(60_000)
      yield* configured("ended.kr", { base_priority: "high", override_until: ended, score_threshold: 0.3 })
      yield* configured("only.kr", { base_priority: "low", override_until: ended })
      yield* configured("holds.kr", { base_priority: "high", override_until: later })
      yield* configured("never.kr", { base_priority: "high", override_until: "infinity" })
      yield* configured("half.kr", { override_until: "2020-13-45T99:99:99Z" })
      const expire = Overrides.use((it) => it.expire)
      expect(yield* expire).toBe(2)
      expect(yield* expire).toBe(0)
      const rows = yield* Database.use((it) =>
        it.query("select host_pattern, priority_config as config from fetcher_rules order by host_pattern")
      )
      expect(rows).toMatchObject([
        { host_pattern: "ended.kr", config: { score_threshold: 0.3 } },
        { host_pattern: "half.kr" },
        { host_pattern: "holds.kr", config: { base_priority: "high" } },
        { host_pattern: "never.kr", config: { override_until: "infinity" } },
        { host_pattern: "only.kr", config: null }
      ])
      expect((yield* audit).map((it) => [it.action, it.subject]).sort()).toEqual([
        ["override_expired", "ended.kr"],
        ["override_expired", "only.kr"]
      ])
    })
  )
}
