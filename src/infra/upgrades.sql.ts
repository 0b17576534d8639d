import { Clock, Effect, Layer } from "effect"
import { autoUpgradeReason, FetcherRules } from "../domain/fetcherrules.ts"
import { Bus } from "../domain/ports.ts"
import { type AuditEntry, auditMax, type Cycle, type PageFailure, type Republish, Upgrades } from "../domain/upgrade.ts"
import { Database } from "./database.ts"
import { noBadData } from "./sql/batches.ts"
import * as statement from "./sql/fetcherrules.ts"
import { nextSeq } from "./sql/messages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** The switch that every process obeys. */
const switching = (database: Database["Service"]): Pick<Upgrades["Service"], "allowed" | "allow"> => ({
  allowed: Effect.map(
    noBadData(database.query<{ allowed: boolean }>(statement.allowed, [])),
    ([row]) => row?.allowed ?? true
  ),
  allow: Effect.fn("Upgrades.allow")(function* (on: boolean, actor: string) {
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* noBadData(database.query<{ changed: number }>(statement.allow, [on, actor, now]))
    return row?.changed === 1
  })
})

/** What fetching learned, in Postgres. */
export const layer: Layer.Layer<Upgrades, never, Bus | Database | FetcherRules> = Layer.effect(
  Upgrades,
  Effect.gen(function* () {
    const database = yield* Database
    const bus = yield* Bus
    const rules = yield* FetcherRules
    // These statements write messages beside the bus: publishing nothing tells its consumers to look.
    const told = Effect.ignore(bus.publish([]))

    const note = Effect.fn("Upgrades.note")(({ raw_id, job, fetcher, reason, at }: PageFailure) =>
      Effect.asVoid(database.query(statement.note, [encodeText(raw_id), job.host, fetcher, reason, at, encode(job)]))
    )
    const upgrade = Effect.fn("Upgrades.upgrade")(function* ({ host, since, max, spacing_ms }: Cycle) {
      const now = yield* Clock.currentTimeMillis
      const values = [host, now, since, max, spacing_ms, autoUpgradeReason, nextSeq(now)]
      const [row] = yield* noBadData(
        database.query<{ upgraded: number; republished: number }>(statement.upgrade, values)
      )
      yield* rules.forget(host)
      yield* told
      return { upgraded: row?.upgraded === 1, republished: row?.republished ?? 0 }
    })
    const straggler = Effect.fn("Upgrades.straggler")(function* (cycle: Cycle, { raw_id, job }: PageFailure) {
      const now = yield* Clock.currentTimeMillis
      const values = [cycle.host, now, cycle.max, autoUpgradeReason, encodeText(raw_id), encode(job), nextSeq(now)]
      const [row] = yield* noBadData(database.query<{ republished: number }>(statement.straggler, values))
      yield* told
      return row?.republished === 1
    })
    const authority = Effect.fn("Upgrades.authority")((job_id: string) =>
      Effect.map(
        noBadData(database.query<Republish>(statement.authority, [encodeText(job_id)])),
        ([row]) => row ?? null
      )
    )
    const close = Effect.fn("Upgrades.close")((job_id: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.asVoid(noBadData(database.query(statement.close, [encodeText(job_id), now])))
      )
    )
    const audit = Effect.fn("Upgrades.audit")(({ actor, action, subject, facts }: AuditEntry) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.asVoid(
          noBadData(database.query(statement.audit, [actor, action, encodeText(subject), encode(facts), now, auditMax]))
        )
      )
    )
    return Upgrades.of({ note, upgrade, straggler, authority, close, audit, ...switching(database) })
  })
)
