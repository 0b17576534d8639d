import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Unavailable } from "../../src/domain/errors.ts"
import { ParsingRules, type RulingInput } from "../../src/domain/ruling.ts"
import { presets } from "../../src/infra/cli/presets.ts"
import { Database, type Parameter } from "../../src/infra/database.ts"
import { layer } from "../../src/infra/parsingrules.sql.ts"
import { steadfast } from "../../src/streams/stage.ts"
import { live } from "../support/effect.ts"
import { embeddedStore, stores } from "../support/store.ts"

const rule: RulingInput = {
  source_name: "a",
  host_pattern: "a.kr",
  path_pattern: "/news/",
  target_type: "page",
  identity_pattern: "/news/{id}",
  selectors: { title: { css: "h1" } }
}

for (const store of stores) {
  const on = Layer.provideMerge(layer, store.layer)
  live(`parsing rules in SQL, ${store.name}: a rule holds at once, is replaced by its like, and is audited`, () =>
    Effect.gen(function* () {
      const rules = yield* ParsingRules
      expect(yield* rules.find("https://a.kr/news/1", "article")).toBe(null)
      expect(yield* rules.put([rule], "test")).toBe(1)
      const found = yield* rules.find("https://a.kr/news/1", "article")
      expect([found?.identity_pattern, found?.selectors]).toEqual(["/news/{id}", { title: { css: "h1" } }])
      yield* rules.put([{ ...rule, source_name: "b" }], "test")
      expect((yield* rules.list).map((it) => it.source_name)).toEqual(["b"])
      expect(yield* rules.enable(found?.id ?? "", false, "test")).toBe(true)
      expect(yield* rules.find("https://a.kr/news/1", "article")).toBe(null)
      expect(yield* rules.enable("4711", false, "test")).toBe(false)
      const database = yield* Database
      const audit = yield* database.query<{ action: string }>("select action from audit_log order by id")
      expect(audit.map((it) => it.action)).toEqual(["parsing_rule.set", "parsing_rule.set", "parsing_rule.disable"])
    }).pipe(Effect.provide(on))
  )

  live(`parsing rules in SQL, ${store.name}: a learned rule is the next version, disabled until it is enabled`, () =>
    Effect.gen(function* () {
      const rules = yield* ParsingRules
      yield* rules.put([{ ...rule, path_pattern: "" }], "test")
      const proposed = yield* rules.propose({ ...rule, selectors: { title: { css: "h2" } } }, "model", { job: "7" })
      expect([proposed.version, proposed.enabled, proposed.origin]).toEqual([2, false, "learned"])
      expect((yield* rules.find("https://a.kr/news/1", "article"))?.version).toBe(1)
      yield* rules.enable(proposed.id, true, "model", { pages: 9 })
      expect((yield* rules.find("https://a.kr/news/1", "article"))?.id).toBe(proposed.id)
      // What an operator writes over it is the operator's from then on.
      yield* rules.put([{ ...rule, path_pattern: "", version: 2 }], "test")
      expect((yield* rules.find("https://a.kr/news/1", "article"))?.origin).toBe("operator")
      const again = yield* rules.propose(rule, "model", {})
      expect(again.version).toBe(3)
      const database = yield* Database
      const audit = yield* database.query<{ action: string; facts: { pages?: number; job?: string } }>(
        "select action, facts from audit_log order by id"
      )
      expect(audit.map((it) => [it.action, it.facts.pages ?? it.facts.job ?? null])).toEqual([
        ["parsing_rule.set", null],
        ["parsing_rule.propose", "7"],
        ["parsing_rule.enable", 9],
        ["parsing_rule.set", null],
        ["parsing_rule.propose", null]
      ])
    }).pipe(Effect.provide(on))
  )

  live(`parsing rules in SQL, ${store.name}: the Naver preset's rules fit its lists and articles`, () =>
    Effect.gen(function* () {
      const rules = yield* ParsingRules
      yield* rules.put(presets["naver-economy"]?.rules ?? [], "test")
      const list = yield* rules.find("https://news.naver.com/breakingnews/section/101/259", "list")
      const page = yield* rules.find("https://n.news.naver.com/mnews/article/001/0000000001", "article")
      expect([list?.target_type, page?.target_type, page?.zone]).toEqual(["list", "page", "Asia/Seoul"])
    }).pipe(Effect.provide(on))
  )
}

live(
  "parsing rules in SQL: all who ask before the rules are known wait for the first look, also where it fails once",
  () =>
    Effect.gen(function* () {
      yield* (yield* ParsingRules).put([rule], "test")
      const own = yield* Database
      let looks = 0
      const down = Effect.fail(new Unavailable({ dependency: "database", message: "not yet" }))
      const slow = Database.of({
        ...own,
        query: <Row>(text: string, given?: ReadonlyArray<Parameter>) =>
          Effect.suspend(() => {
            looks += 1
            return Effect.andThen(Effect.sleep("50 millis"), looks === 1 ? down : own.query<Row>(text, given))
          })
      })
      const late = yield* Layer.build(Layer.fresh(layer).pipe(Layer.provide(Layer.succeed(Database, slow))))
      const find = ParsingRules.use((it) => it.find("https://a.kr/news/1", "article")).pipe(Effect.provideContext(late))
      const found = yield* Effect.all([find, find, find].map(steadfast), { concurrency: 3 })
      expect(found.map((it) => it?.identity_pattern)).toEqual(Array(3).fill("/news/{id}"))
    }).pipe(Effect.provide(Layer.provideMerge(layer, embeddedStore)))
)
