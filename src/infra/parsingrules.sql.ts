import { Clock, Effect, Layer } from "effect"
import type { TargetType } from "../domain/crawl.ts"
import { ParsingRules, type Ruling, type RulingInput, ruleFor } from "../domain/ruling.ts"
import { Database } from "./database.ts"
import { noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** A changed rule is obeyed within this time (ms) by every process. */
const rememberedMs = 5000
/** Rules of one statement. */
const rowsMax = 100

const list = `select id::text as id, source_name, host_pattern, path_pattern, target_type, version, enabled, priority,
  identity_pattern, zone, selectors from parsing_rules order by host_pattern, path_pattern, id`

/** $1 rules; $2 actor. */
const put = `with given as (select * from json_to_recordset($1::text::json) as g(source_name text, host_pattern text,
  path_pattern text, target_type text, version int, enabled boolean, priority text, identity_pattern text, zone text,
  selectors jsonb)),
kept as (
  insert into parsing_rules (source_name, host_pattern, path_pattern, target_type, version, enabled, priority,
    identity_pattern, zone, selectors)
  select g.source_name, g.host_pattern, coalesce(g.path_pattern, ''), g.target_type, coalesce(g.version, 1),
    coalesce(g.enabled, true), g.priority, g.identity_pattern, g.zone, g.selectors from given g
  order by g.host_pattern, g.path_pattern
  on conflict (host_pattern, path_pattern, target_type, version) do update set source_name = excluded.source_name,
    enabled = excluded.enabled, priority = excluded.priority, identity_pattern = excluded.identity_pattern,
    zone = excluded.zone, selectors = excluded.selectors, updated_at = now()
  returning id, host_pattern, path_pattern),
audit as (
  insert into audit_log (actor, action, subject, facts)
  select $2, 'parsing_rule.set', 'host ' || k.host_pattern, jsonb_build_object('rule', k.id, 'path', k.path_pattern)
  from kept k)
select id::text as id from kept`

/** $1 id; $2 enabled; $3 actor. */
const enable = `with changed as (
  update parsing_rules set enabled = $2::boolean, updated_at = now() where id = $1::bigint returning id, host_pattern),
audit as (
  insert into audit_log (actor, action, subject, facts)
  select $3, 'parsing_rule.' || case when $2::boolean then 'enable' else 'disable' end, 'host ' || c.host_pattern,
    jsonb_build_object('rule', c.id) from changed c)
select id from changed`

/** Parsing rules in Postgres, remembered for a few seconds: a page's reading never waits for more than the first look. */
export const layer: Layer.Layer<ParsingRules, never, Database> = Layer.effect(
  ParsingRules,
  Effect.gen(function* () {
    const database = yield* Database
    const read = noBadData(database.query<Ruling>(list))
    let known: ReadonlyMap<string, ReadonlyArray<Ruling>> = new Map()
    let until = 0
    const refresh = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now < until) return
      until = now + rememberedMs
      const rules = yield* read
      known = Map.groupBy(rules, (it) => it.host_pattern)
    }).pipe(Effect.catch((it) => Effect.logWarning(`parsing rules are read later: ${it.message}`)))
    const forget = Effect.sync(() => {
      until = 0
    })
    const find = Effect.fnUntraced(function* (url: string, expected: TargetType) {
      yield* refresh
      return ruleFor(known.get(URL.parse(url)?.hostname ?? "") ?? [], url, expected)
    })
    return ParsingRules.of({
      find,
      list: read,
      put: Effect.fn("ParsingRules.put")(function* (rules: ReadonlyArray<RulingInput>, actor: string) {
        const rows = rules.map((it): Encoded => {
          const key = [it.host_pattern, it.path_pattern ?? "", it.target_type, it.version ?? 1]
          return { id: encode(key), json: encode(it) }
        })
        const answers = yield* writeAll(rows, { key: (it) => it.id, bytes: encodedSize, rowsMax }, (part) =>
          database.query(put, [arrayOf(part.map((it) => it.json)), encodeText(actor)])
        )
        yield* forget
        return answers.length
      }),
      enable: Effect.fn("ParsingRules.enable")(function* (id: string, enabled: boolean, actor: string) {
        if (!/^\d{1,18}$/.test(id)) return false
        const rows = yield* noBadData(database.query(enable, [id, enabled, encodeText(actor)]))
        yield* forget
        return rows.length > 0
      })
    })
  })
)
