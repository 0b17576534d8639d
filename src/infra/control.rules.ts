import { Effect } from "effect"
import type { FetcherRule, FetcherRules } from "../domain/fetcherrules.ts"
import type { Upgrades } from "../domain/upgrade.ts"
import type { Settings } from "./config.ts"
import { stored } from "./control.sources.ts"
import { type Control, controlError } from "./control.ts"
import type { Database } from "./database.ts"

type Operations = Pick<
  Control["Service"],
  | "fetcher-rules.list"
  | "fetcher-rules.show"
  | "fetcher-rules.set"
  | "fetcher-rules.unset"
  | "fetcher-rules.upgrades"
  | "fetcher-rules.switch"
  | "rules.show"
>

/** Rows when no limit is given. */
const LIMIT = 50
/** Who changes a rule by command or API. */
const actor = "operator"

/** $1 host. */
const seen = `select
  (select coalesce(json_agg(json_build_object('id', id, 'source_name', source_name, 'path_pattern', path_pattern,
      'target_type', target_type, 'version', version, 'enabled', enabled) order by length(path_pattern) desc, version desc), '[]')
    from parsing_rules where host_pattern = $1) as parsing,
  (select priority_config from fetcher_rules where host_pattern = $1) as priority,
  (select round(sum(browser)::numeric / nullif(sum(samples), 0), 3)::float8 from host_signals
    where host = $1 and bucket > now() - interval '1 day') as browser_share,
  (select count(*)::int from fetch_failures where host = $1 and at > now() - interval '1 hour') as failures,
  (select coalesce(max(republished), 0)::int from fetcher_rules where host_pattern = $1) as republished,
  (select coalesce(json_agg(a), '[]') from (select at, actor, action, facts from audit_log where subject = $1
    order by at desc limit 10) a) as audit`

interface Seen {
  readonly parsing: ReadonlyArray<Record<string, unknown>>
  readonly priority: unknown
  readonly browser_share: number | null
  readonly failures: number
  readonly republished: number
  readonly audit: ReadonlyArray<Record<string, unknown>>
}
const nothingSeen: Seen = { parsing: [], priority: null, browser_share: null, failures: 0, republished: 0, audit: [] }

const only = (host: string, rules: FetcherRules["Service"]) =>
  Effect.map(stored(rules.list({ host, limit: 1 })), ([rule]): FetcherRule | null => rule ?? null)

/** The switch of automatic upgrades, beside their setting. */
const switching = (upgrades: Upgrades["Service"], setting: boolean) => {
  const state = Effect.map(stored(upgrades.allowed), (on) => ({ setting, switch: on, active: setting && on }))
  return {
    "fetcher-rules.upgrades": () => state,
    "fetcher-rules.switch": ({ enabled }: { readonly enabled: boolean }) =>
      Effect.andThen(stored(upgrades.allow(enabled, actor)), state)
  }
}

/** Fetcher rules, and all that steers a host; the latter's facts need a database. */
export const ruleOperations = (
  rules: FetcherRules["Service"],
  upgrades: Upgrades["Service"],
  settings: Settings["Service"],
  database: Database["Service"] | null
): Operations => ({
  ...switching(upgrades, settings.FETCHER_AUTO_UPGRADE_ENABLED),
  "fetcher-rules.list": ({ limit }) =>
    Effect.map(stored(rules.list({ limit: limit ?? LIMIT })), (found) => ({ rules: found })),
  "fetcher-rules.show": ({ host }) =>
    Effect.flatMap(only(host, rules), (rule) =>
      rule === null
        ? Effect.fail(controlError("not_found", `${host} has no fetcher rule: it gets the default chain`, "host"))
        : Effect.succeed(rule)
    ),
  "fetcher-rules.set": ({ host, fetcher, reason }) =>
    stored(rules.set({ host, fetcher, reason: reason ?? null, actor })),
  "fetcher-rules.unset": ({ host }) => Effect.map(stored(rules.unset(host, actor)), (changed) => ({ host, changed })),
  "rules.show": Effect.fnUntraced(function* ({ host }) {
    const fetcher = yield* only(host, rules)
    const [row] = database === null ? [] : yield* stored(database.query<Seen>(seen, [host]))
    return { host, fetcher, ...(row ?? nothingSeen) }
  })
})

const without = () => Effect.fail(controlError("unsupported", "this process keeps no rules"))
export const noRules: Operations = {
  "fetcher-rules.list": without,
  "fetcher-rules.show": without,
  "fetcher-rules.set": without,
  "fetcher-rules.unset": without,
  "fetcher-rules.upgrades": without,
  "fetcher-rules.switch": without,
  "rules.show": without
}
