import { Cache, Clock, Duration, Effect, Exit, Layer } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import { type FetcherRule, FetcherRules, type RuleChange, ruleLife } from "../domain/fetcherrules.ts"
import { Database } from "./database.ts"
import { noBadData } from "./sql/batches.ts"
import * as statement from "./sql/fetcherrules.ts"
import { encodeText } from "./sql/rows.ts"

/** Hosts remembered, those without a rule too. */
const HOSTS_MAX = 20_000

/** The same rules with a memory: an answer, also "none", is asked for once per host and life, however many ask at once. */
export const remembered = (rules: Omit<FetcherRules["Service"], "of" | "forget">) =>
  Effect.gen(function* () {
    const look = (host: string): Effect.Effect<FetcherRule | null, Unavailable> =>
      Effect.map(rules.list({ host, limit: 1 }), ([rule]) => rule ?? null)
    const known = yield* Cache.makeWith(look, {
      capacity: HOSTS_MAX,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? ruleLife : Duration.zero)
    })
    const forget = (host: string) => Cache.invalidate(known, host)
    return FetcherRules.of({
      of: (host) => Cache.get(known, host),
      list: rules.list,
      set: (change) => Effect.ensuring(rules.set(change), forget(change.host)),
      unset: (host, actor) => Effect.ensuring(rules.unset(host, actor), forget(host)),
      forget
    })
  })

/** Fetcher rules in Postgres. */
export const layer: Layer.Layer<FetcherRules, never, Database> = Layer.effect(
  FetcherRules,
  Effect.gen(function* () {
    const database = yield* Database
    const list = Effect.fn("FetcherRules.list")((query: { readonly host?: string; readonly limit: number }) =>
      noBadData(
        database.query<FetcherRule>(statement.list, [
          query.host === undefined ? null : encodeText(query.host),
          query.limit
        ])
      )
    )
    const set = Effect.fn("FetcherRules.set")(function* ({ host, fetcher, reason, actor }: RuleChange) {
      const now = yield* Clock.currentTimeMillis
      const why = reason === null ? null : encodeText(reason)
      const [rule] = yield* database.query<FetcherRule>(statement.set, [host, fetcher, why, actor, now])
      return rule ?? { host, fetcher, reason, version: 1, updated_at: now }
    })
    const unset = Effect.fn("FetcherRules.unset")(function* (host: string, actor: string) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* noBadData(
        database.query<{ changed: number }>(statement.unset, [encodeText(host), actor, now])
      )
      return (row?.changed ?? 0) > 0
    })
    return yield* remembered({ list, set, unset })
  })
)
