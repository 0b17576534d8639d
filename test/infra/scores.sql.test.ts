import { expect } from "bun:test"
import { Clock, Effect, Metric, type Scope } from "effect"
import { scoreLookups } from "../../src/domain/metrics.priority.ts"
import { overrideMsMax } from "../../src/domain/override.ts"
import { Scores } from "../../src/domain/priority.ports.ts"
import { Database } from "../../src/infra/database.ts"
import { effect, live } from "../support/effect.ts"
import { configured, factsOf, inTime, priorityOn, scored } from "../support/priority.ts"
import { stores } from "../support/store.ts"

for (const store of stores) {
  const on = <A, E>(
    name: string,
    program: Effect.Effect<A, E, Database | Scores | Scope.Scope>,
    env: Readonly<Record<string, string>> = {}
  ) => live(`scores, ${store.name}: ${name}`, () => Effect.provide(program, priorityOn(store.layer, env)))

  on(
    "a host of which nothing is known has no score, no override and the cluster's threshold",
    Effect.gen(function* () {
      expect(yield* factsOf("new.kr")).toEqual({ value: null, threshold: 0.7, override: null, rules: [] })
      expect((yield* Scores.use((it) => it.facts([]))).size).toBe(0)
    }),
    { SCORING_THRESHOLD: "0.7" }
  )

  on(
    "score, own threshold, override and rules come in one look",
    Effect.gen(function* () {
      yield* scored("a.kr", 0.75)
      yield* configured("a.kr", { base_priority: "low", override_until: yield* inTime(60_000), score_threshold: 0.9 })
      yield* Database.use((it) =>
        it.script(`insert into parsing_rules (source_name, host_pattern, path_pattern, target_type, priority, enabled, selectors)
          values ('a', 'a.kr', '/news', 'page', 'high', true, '{}'), ('a', 'a.kr', '', 'page', 'low', false, '{}'),
            ('a', 'a.kr', '/x', 'page', null, true, '{}')`)
      )
      const rules = [{ path: "/news", priority: "high" as const }]
      expect(yield* factsOf("a.kr")).toEqual({ value: 0.75, threshold: 0.9, override: "low", rules })
    })
  )

  on(
    "a score older than its window and an override past its end say nothing",
    Effect.gen(function* () {
      yield* scored("old.kr", 0.9, "6 hours 1 s")
      yield* scored("young.kr", 0.9, "5 hours 59 minutes")
      yield* configured("old.kr", { base_priority: "high", override_until: yield* inTime(-1) })
      expect(yield* factsOf("old.kr")).toMatchObject({ value: null, override: null })
      expect(yield* factsOf("young.kr")).toMatchObject({ value: 0.9 })
    })
  )

  on(
    "a score at the threshold is High though its column is REAL (S1.13, S1.15)",
    Effect.gen(function* () {
      for (const score of [0.1, 0.7, 0.333333, 0.999999]) {
        yield* scored(`s${score}.kr`, score)
        yield* configured(`s${score}.kr`, { score_threshold: score })
        const facts = yield* factsOf(`s${score}.kr`)
        expect([facts?.value, facts?.threshold]).toEqual([score, score])
      }
    })
  )

  on(
    "no spelling of updated_at makes an override endless (S2.12, settled 19)",
    Effect.gen(function* () {
      const database = yield* Database
      const put = (host: string, at: string) =>
        database.query(
          `insert into fetcher_rules (host_pattern, fetcher, priority_config, updated_at)
           values ($1, 'auto', '{"base_priority": "high", "override_until": "9999-01-01T00:00:00Z"}', $2::text::timestamptz)`,
          [host, at]
        )
      const left = Effect.fnUntraced(function* (host: string) {
        const { config } = yield* Scores.use((it) => it.standing(host))
        return (config.override?.until ?? 0) - (yield* Clock.currentTimeMillis)
      })
      for (const at of ["infinity", "2999-01-01", "-infinity", "now"]) {
        const host = `h${at.replace(/\W/g, "m")}.kr`
        yield* put(host, at)
        expect(yield* left(host)).toBeGreaterThan(overrideMsMax - 60_000)
        expect(yield* left(host)).toBeLessThanOrEqual(overrideMsMax + 60_000)
      }
      yield* put("past.kr", "2020-01-01")
      expect(yield* factsOf("past.kr")).toMatchObject({ override: null })
      yield* database.query("update fetcher_rules set updated_at = 'infinity' where host_pattern = 'past.kr'")
      expect(yield* left("past.kr")).toBeLessThanOrEqual(overrideMsMax + 60_000)
    })
  )

  on(
    "a rule stands for one host as URLs write it; what could never match is refused (S2.2)",
    Effect.gen(function* () {
      const database = yield* Database
      const put = (host: string) =>
        database.query(
          `insert into fetcher_rules (host_pattern, fetcher, priority_config)
           values ($1, 'auto', '{"score_threshold": 0.25}')
           on conflict (host_pattern) do update set fetcher = excluded.fetcher`,
          [host]
        )
      for (const host of ["News.Example.", "news.example", "xn--3e0b707e.kr", "[2001:db8::1]", "a_b-c.kr"])
        yield* put(host)
      expect(yield* factsOf("news.example")).toMatchObject({ threshold: 0.25 })
      expect((yield* database.query("select from fetcher_rules")).length).toBe(4)
      const never = ["https://news.example/", "news.example:8080", "*.news.example", "news.example/x", "뉴스.example"]
      for (const host of [...never, "", " ", "a..kr", ".kr", "[x]", "a@b.kr", "a b.kr"]) {
        expect([host, (yield* Effect.flip(put(host)))._tag]).toEqual([host, "BadData"])
      }
    })
  )

  on(
    "an override set by an update counts its 30 days from then, though nobody touched updated_at",
    Effect.gen(function* () {
      const database = yield* Database
      yield* database.query("insert into fetcher_rules (host_pattern, fetcher) values ('a.kr', 'http')")
      yield* database.script("update fetcher_rules set updated_at = now() - interval '90 days'")
      const update =
        "update fetcher_rules set priority_config = jsonb_build_object('base_priority', 'high', 'override_until', $1::text)"
      yield* database.query(update, ["2199-01-01T00:00:00Z"])
      const { config } = yield* Scores.use((it) => it.standing("a.kr"))
      const left = (config.override?.until ?? 0) - (yield* Clock.currentTimeMillis)
      expect(left).toBeGreaterThan(overrideMsMax - 60_000)
      expect(left).toBeLessThanOrEqual(overrideMsMax + 60_000)
    })
  )

  on(
    "a config over 8 KiB is left unread, one the driver cannot read changes nothing for others (B145, B159, S2.11)",
    Effect.gen(function* () {
      yield* configured("big.kr", {
        base_priority: "high",
        override_until: yield* inTime(60_000),
        pad: "x".repeat(1e6)
      })
      yield* configured("odd.kr", "high")
      yield* configured("null.kr", null)
      yield* configured("good.kr", { score_threshold: 0.2 })
      const facts = yield* Scores.use((it) => it.facts(["big.kr", "odd.kr", "null.kr", "good.kr"]))
      expect([...facts.values()].map((it) => [it.override, it.threshold])).toEqual([
        [null, 0.5],
        [null, 0.5],
        [null, 0.5],
        [null, 0.2]
      ])
    })
  )

  on(
    "PostgreSQL keeps the last of two equal keys and refuses NUL in a text (B161, B162)",
    Effect.gen(function* () {
      const database = yield* Database
      const put = (text: string) =>
        database.query(
          "insert into fetcher_rules (host_pattern, fetcher, priority_config) values ('a', 'auto', $1::text::jsonb)",
          [text]
        )
      expect((yield* Effect.flip(put('{"base_priority": "\\u0000"}')))._tag).toBe("BadData")
      yield* put('{"score_threshold": 0.1, "score_threshold": 0.6}')
      expect(yield* factsOf("a")).toMatchObject({ threshold: 0.6 })
    })
  )

  // A server's first word is that listening began, which forgets all; so memory alone is looked at where nobody tells.
  if (store.name === "embedded") {
    on(
      "many looks at once cost one load per host, and what is not there is remembered",
      Effect.gen(function* () {
        const database = yield* Database
        const it = yield* Scores
        const loads = Effect.map(Metric.value(scoreLookups("database")), (it) => it.count)
        const before = yield* loads
        const hosts = Array.from({ length: 1200 }, (_, n) => `h${n}.kr`)
        const all = yield* Effect.all(
          Array.from({ length: 20 }, () => it.facts(hosts)),
          { concurrency: 20 }
        )
        expect(all.map((found) => found.size)).toEqual(Array.from({ length: 20 }, () => 1200))
        expect((yield* loads) - before).toBe(1200)
        yield* scored("h7.kr", 0.9)
        expect((yield* it.facts(["h7.kr"])).get("h7.kr")?.value).toBeNull()
        yield* it.forget(["h7.kr"])
        expect((yield* it.facts(["h7.kr"])).get("h7.kr")?.value).toBeCloseTo(0.9, 6)
        yield* database.query("delete from host_scoring_state")
        yield* it.forget()
        expect((yield* it.facts(["h7.kr"])).get("h7.kr")?.value).toBeNull()
      }),
      { PRIORITY_CACHE_TTL: "5s" }
    )
  }

  on(
    "in memory an override begins to lapse at its very end, not with its entry",
    Effect.gen(function* () {
      yield* configured("a.kr", { base_priority: "high", override_until: yield* inTime(1500) })
      const start = yield* Clock.currentTimeMillis
      let held = 0
      while ((yield* factsOf("a.kr"))?.override === "high") {
        held += 1
        yield* Effect.sleep(5)
      }
      const took = (yield* Clock.currentTimeMillis) - start
      expect(held).toBeGreaterThan(0)
      // The entry itself would have lived for five seconds.
      expect(took).toBeLessThan(4000)
    }),
    { PRIORITY_CACHE_TTL: "5s" }
  )

  if (store.name === "server") {
    effect("scores, server: the database's time says whether an override holds, however wrong ours is (S2.10)", () =>
      Effect.gen(function* () {
        // Ours stands still at the beginning of 1970.
        yield* configured("holds.kr", { base_priority: "high", override_until: yield* inTime(3_600_000) })
        yield* configured("ended.kr", { base_priority: "high", override_until: yield* inTime(-1000) })
        expect(yield* Clock.currentTimeMillis).toBeLessThan(86_400_000)
        expect(yield* factsOf("holds.kr")).toMatchObject({ override: "high" })
        expect(yield* factsOf("ended.kr")).toMatchObject({ override: null })
      }).pipe(Effect.provide(priorityOn(store.layer)))
    )

    on(
      "a server tells of a changed rule at once, also to a process that just looked",
      Effect.gen(function* () {
        expect(yield* factsOf("a.kr")).toMatchObject({ override: null })
        // Listening has begun once a change arrives; until then it may be missed, so the change is made again.
        const seen = Effect.gen(function* () {
          yield* configured("a.kr", { base_priority: "high", override_until: yield* inTime(60_000) })
          yield* Effect.sleep(20)
          return (yield* factsOf("a.kr"))?.override ?? (yield* Effect.fail("not yet"))
        })
        expect(yield* Effect.retry(seen, { times: 100 })).toBe("high")
        yield* configured("a.kr", { score_threshold: 0.1 })
        const changed = Effect.gen(function* () {
          yield* Effect.sleep(5)
          const facts = yield* factsOf("a.kr")
          return facts?.threshold === 0.1 ? facts : yield* Effect.fail("not yet")
        })
        const start = yield* Clock.currentTimeMillis
        expect(yield* Effect.retry(changed, { times: 400 })).toMatchObject({ override: null })
        // Sooner than the entry's own end, so it was told.
        expect((yield* Clock.currentTimeMillis) - start).toBeLessThan(4000)
      }),
      { PRIORITY_CACHE_TTL: "5s" }
    )
  }
}
