import { describe, expect } from "bun:test"
import { Effect, Layer, Schema } from "effect"
import { FetcherRules } from "../../src/domain/fetcherrules.ts"
import { Upgrades } from "../../src/domain/upgrade.ts"
import { HostRules } from "../../src/infra/api/rules.ts"
import * as memoryBus from "../../src/infra/bus.memory.ts"
import * as tableBus from "../../src/infra/bus.table.ts"
import { Settings } from "../../src/infra/config.ts"
import { ruleOperations } from "../../src/infra/control.rules.ts"
import { Database } from "../../src/infra/database.ts"
import * as memory from "../../src/infra/fetcherrules.memory.ts"
import * as rules from "../../src/infra/fetcherrules.sql.ts"
import * as upgrades from "../../src/infra/upgrades.sql.ts"
import { upgradesConformance } from "../support/conformance/upgrades.ts"
import { live } from "../support/effect.ts"
import { job } from "../support/net.ts"
import { settingsOf, stores } from "../support/store.ts"

upgradesConformance("memory", memory.layer.pipe(Layer.provideMerge(memoryBus.layer())))

for (const { name, layer } of stores) {
  const base = Layer.mergeAll(layer, settingsOf())
  const all = upgrades.layer.pipe(
    Layer.provideMerge(Layer.merge(rules.layer, tableBus.layer)),
    Layer.provideMerge(base)
  )
  upgradesConformance(name, all)

  describe(`${name}: what SQL sees`, () => {
    live("setting and unsetting a fetcher keeps the host's priority, and is audited with what was before", () =>
      Effect.gen(function* () {
        const database = yield* Database
        const all = yield* FetcherRules
        yield* database.query(
          `insert into fetcher_rules (host_pattern, fetcher, priority_config) values ('a.kr', 'auto', '{"x":1}')`
        )
        expect(yield* all.of("a.kr")).toBeNull()
        yield* all.set({ host: "a.kr", fetcher: "http", reason: "cheap", actor: "operator" })
        yield* all.unset("a.kr", "operator")
        const rows = yield* database.query("select fetcher, reason, priority_config from fetcher_rules")
        expect(rows).toEqual([{ fetcher: "auto", reason: null, priority_config: { x: 1 } }])
        const audit = yield* database.query("select action, subject, facts from audit_log order by id")
        expect(audit).toEqual([
          {
            action: "fetcher_rule.set",
            subject: "a.kr",
            facts: { fetcher: "http", reason: "cheap", before: "auto", before_reason: null }
          },
          { action: "fetcher_rule.unset", subject: "a.kr", facts: { before: "http", before_reason: "cheap" } }
        ])
      }).pipe(Effect.provide(all))
    )

    live("the rules of a host are shown together, with what was sent again and why", () =>
      Effect.gen(function* () {
        const upgrades = yield* Upgrades
        const page = job("https://a.kr/1", { id: "key.0", target: { url: "https://a.kr/1", type: "article" } })
        yield* upgrades.note({ raw_id: "r1", job: page, fetcher: "http", reason: "parse", at: Date.now() })
        yield* upgrades.upgrade({ host: "a.kr", since: 0, max: 20, spacing_ms: 0 })
        const operations = ruleOperations(yield* FetcherRules, upgrades, yield* Settings, yield* Database)
        const shown = yield* operations["rules.show"]({ host: "a.kr" })
        expect(yield* operations["fetcher-rules.switch"]({ enabled: false })).toEqual({
          setting: true,
          switch: false,
          active: false
        })
        expect(yield* operations["fetcher-rules.upgrades"]({})).toMatchObject({ active: false })
        expect(shown).toMatchObject({
          fetcher: { fetcher: "browser" },
          failures: 1,
          republished: 1,
          browser_share: null
        })
        expect(shown.audit).toMatchObject([{ actor: "crawler", action: "fetcher_rule.auto_upgrade" }])
        expect(Schema.is(HostRules)(shown)).toBe(true)
      }).pipe(Effect.provide(all))
    )

    live("a flood of one audited event leaves twenty entries an hour", () =>
      Effect.gen(function* () {
        const database = yield* Database
        const { audit } = yield* Upgrades
        const entry = { actor: "crawler", action: "force_fetcher.rejected", subject: "a.kr", facts: {} }
        for (let at = 0; at < 30; at += 1) yield* audit(entry)
        const [row] = yield* database.query<{ entries: number }>("select count(*)::int as entries from audit_log")
        expect(row?.entries).toBe(20)
      }).pipe(Effect.provide(all))
    )
  })
}
