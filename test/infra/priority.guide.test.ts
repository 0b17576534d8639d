import { expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Scores } from "../../src/domain/priority.ports.ts"
import { settings } from "../../src/infra/config.ts"
import { Database } from "../../src/infra/database.ts"
import { hostPriority } from "../../src/infra/dossier.ts"
import { sessionFault } from "../../src/infra/sql/statement.ts"
import { live } from "../support/effect.ts"
import { factsOf, priorityOn } from "../support/priority.ts"
import { settingsOf, stores } from "../support/store.ts"

const guide = readFileSync(join(import.meta.dir, "../../docs/priority.md"), "utf8")
const examples = [...guide.matchAll(/^(.+)\n```sql\n([\s\S]*?)```/gm)].map(([, title = "", sql = ""]) => ({
  title,
  sql
}))
const example = (start: string): string => {
  const found = examples.find((it) => it.title.startsWith(start))
  if (found === undefined) throw new Error(`the guide has no example "${start}"`)
  return found.sql
}

for (const store of stores) {
  live(`the guide's SQL runs and does what it says (S2.15), ${store.name}`, () =>
    Effect.gen(function* () {
      const database = yield* Database
      const done = (start: string) =>
        Effect.andThen(
          database.query(example(start)),
          Scores.use((it) => it.forget())
        )
      expect(examples.length).toBeGreaterThan(8)
      expect(examples.map((it) => sessionFault(it.sql))).toEqual(examples.map(() => null))

      yield* done("Judge a host")
      expect(yield* factsOf("wire.example")).toMatchObject({ threshold: 0.7, override: null })
      const { weights, warnings } = yield* hostPriority(database, "wire.example")
      expect([weights.freshness, weights.cost, weights.impact, warnings]).toEqual([3, 0.5, 1, []])

      yield* done("Say what a host writes about")
      expect(yield* hostPriority(database, "market.example")).toMatchObject({
        category: "economy",
        signals: { impact: 1 }
      })
      yield* done("Put a host first")
      expect(yield* factsOf("news.example")).toMatchObject({ threshold: 0.5, override: "high" })
      expect((yield* hostPriority(database, "news.example")).warnings).toEqual([])
      yield* done("Hold a host back")
      expect(
        (yield* hostPriority(database, "archive.example")).warnings.filter((it) => it.field !== "override_until")
      ).toEqual([])

      yield* database.query(
        "update fetcher_rules set priority_config = priority_config || '{\"score_threshold\": 0.2}'"
      )
      yield* done("End an override now")
      expect(yield* factsOf("news.example")).toMatchObject({ threshold: 0.2, override: null })
      yield* done("Forget all")
      expect(yield* factsOf("wire.example")).toMatchObject({ threshold: 0.5, override: null })
      for (const { sql } of examples.filter((it) => it.sql.startsWith("select"))) yield* database.query(sql)
    }).pipe(Effect.provide(Layer.merge(priorityOn(store.layer), settingsOf())))
  )
}

live("the guide names settings that exist", () =>
  Effect.sync(() => {
    const named = [...guide.matchAll(/`((?:SCORING|PRIORITY)_[A-Z_]+[A-Z])(?:=\d+)?`/g)].map(([, name = ""]) => name)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((it) => !Object.keys(settings).includes(it))).toEqual([])
  })
)
