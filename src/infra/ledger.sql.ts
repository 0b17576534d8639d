import { Effect, Layer } from "effect"
import { AiLedger, type Pass, probeEvery } from "../domain/ai/ports.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import * as statement from "./sql/aijobs.ts"
import { noBadData } from "./sql/batches.ts"

/**
 * An open gate is believed for this long (ms): each worker learns of a suspension by its own next call at the latest, so
 * the fleet makes no more calls than it has slots.
 */
const rememberedMs = 1000

/** What was spent and the gate to the provider, in Postgres: one truth for all workers. */
export const layer: Layer.Layer<AiLedger, never, Database | Settings> = Layer.effect(
  AiLedger,
  Effect.gen(function* () {
    const database = yield* Database
    const { OPENAI_BASE_URL } = yield* Settings
    const provider = OPENAI_BASE_URL ?? "openai"
    let openUntil = 0
    const look = Effect.fn("AiLedger.look")(function* (now: number) {
      if (now < openUntil) return open
      const [row] = yield* noBadData(database.query<{ code: string; probe_at: number }>(statement.gate, [provider]))
      if (row === undefined) openUntil = now + rememberedMs
      return row === undefined ? open : ({ tag: "closed", code: row.code, until: row.probe_at } as const)
    })
    const pass: AiLedger["Service"]["pass"] = Effect.fn("AiLedger.pass")(function* (now) {
      const seen: Pass = yield* look(now)
      if (seen.tag !== "closed" || seen.until > now) return seen
      const won = yield* noBadData(database.query(statement.probe, [provider, now, now + probeEvery]))
      return won.length > 0 ? { tag: "probe" } : { ...seen, until: now + probeEvery }
    })
    return AiLedger.of({
      spent: Effect.fn("AiLedger.spent")((since) =>
        Effect.map(noBadData(database.query<{ usd: number }>(statement.spent, [since])), ([row]) => row?.usd ?? 0)
      ),
      look,
      pass,
      close: Effect.fn("AiLedger.close")((code, now) => {
        openUntil = 0
        return Effect.asVoid(noBadData(database.query(statement.close, [provider, code, now, now + probeEvery])))
      }),
      open: Effect.asVoid(noBadData(database.query(statement.open, [provider])))
    })
  })
)

const open: Pass = { tag: "open" }
