import { Clock, Effect, Layer, Semaphore } from "effect"
import type { TargetType } from "../domain/crawl.ts"
import { ParsingRules, type Ruling, ruleFor } from "../domain/ruling.ts"
import { Database } from "./database.ts"
import { noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** A changed rule is obeyed within this time (ms) by every process. */
const rememberedMs = 5000
/** Rules of one statement. */
const rowsMax = 100

type Shape = ParsingRules["Service"]

const columns = `id::text as id, source_name, host_pattern, path_pattern, target_type, version, enabled, priority,
  identity_pattern, zone, selectors, origin`
const list = `select ${columns} from parsing_rules order by host_pattern, path_pattern, id`

/**
 * $1 source; $2 host; $3 selectors; $4 actor; $5 facts. Two at once ask for the same version: one of them is refused by the
 * key and asks again.
 */
const statementOfPropose = `with added as (
  insert into parsing_rules (source_name, host_pattern, path_pattern, target_type, version, enabled, selectors, origin)
  select $1, $2, '', 'page', coalesce(max(r.version), 0) + 1, false, $3::text::jsonb, 'learned'
  from parsing_rules r where r.host_pattern = $2 and r.path_pattern = '' and r.target_type = 'page'
  on conflict do nothing returning *),
audit as (
  insert into audit_log (actor, action, subject, facts)
  select $4, 'parsing_rule.propose', 'host ' || a.host_pattern,
    jsonb_build_object('rule', a.id, 'selectors', a.selectors) || $5::text::jsonb from added a)
select ${columns} from added`

/** $1 rules; $2 actor. */
const statementOfPut = `with given as (select * from json_to_recordset($1::text::json) as g(source_name text, host_pattern text,
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
    zone = excluded.zone, selectors = excluded.selectors, origin = 'operator', updated_at = now()
  returning id, host_pattern, path_pattern),
audit as (
  insert into audit_log (actor, action, subject, facts)
  select $2, 'parsing_rule.set', 'host ' || k.host_pattern, jsonb_build_object('rule', k.id, 'path', k.path_pattern)
  from kept k)
select id::text as id from kept`

/** $1 id; $2 enabled; $3 actor; $4 facts. */
const statementOfEnable = `with changed as (
  update parsing_rules set enabled = $2::boolean, updated_at = now() where id = $1::bigint returning id, host_pattern),
audit as (
  insert into audit_log (actor, action, subject, facts)
  select $3, 'parsing_rule.' || case when $2::boolean then 'enable' else 'disable' end, 'host ' || c.host_pattern,
    jsonb_build_object('rule', c.id) || $4::text::jsonb from changed c)
select id from changed`

/** Parsing rules in Postgres, remembered for a few seconds: a page's reading never waits for more than the first look. */
export const layer: Layer.Layer<ParsingRules, never, Database> = Layer.effect(
  ParsingRules,
  Effect.gen(function* () {
    const database = yield* Database
    const read = noBadData(database.query<Ruling>(list))
    let known: ReadonlyMap<string, ReadonlyArray<Ruling>> | null = null
    let until = 0
    const look = Effect.gen(function* () {
      until = (yield* Clock.currentTimeMillis) + rememberedMs
      known = Map.groupBy(yield* read, (it) => it.host_pattern)
    })
    const one = Semaphore.makeUnsafe(1)
    const first = one.withPermit(Effect.suspend(() => (known === null ? look : Effect.void)))
    const later = Effect.gen(function* () {
      if ((yield* Clock.currentTimeMillis) < until) return
      yield* Effect.catch(look, (it) => Effect.logWarning(`parsing rules are read later: ${it.message}`))
    })
    const forget = Effect.sync(() => {
      until = 0
    })
    const find = Effect.fnUntraced(function* (url: string, expected: TargetType) {
      yield* known === null ? first : later
      return ruleFor(known?.get(URL.parse(url)?.hostname ?? "") ?? [], url, expected)
    })
    const put: Shape["put"] = Effect.fn("ParsingRules.put")(function* (rules, actor) {
      const rows = rules.map((it): Encoded => {
        const key = [it.host_pattern, it.path_pattern ?? "", it.target_type, it.version ?? 1]
        return { id: encode(key), json: encode(it) }
      })
      const answers = yield* writeAll(rows, { key: (it) => it.id, bytes: encodedSize, rowsMax }, (part) =>
        database.query(statementOfPut, [arrayOf(part.map((it) => it.json)), encodeText(actor)])
      )
      yield* forget
      return answers.length
    })
    const enable: Shape["enable"] = Effect.fn("ParsingRules.enable")(function* (id, enabled, actor, facts = {}) {
      if (!/^\d{1,18}$/.test(id)) return false
      const given = [id, enabled, encodeText(actor), encode(facts)]
      const rows = yield* noBadData(database.query(statementOfEnable, given))
      yield* forget
      return rows.length > 0
    })
    const propose: Shape["propose"] = Effect.fn("ParsingRules.propose")(function* (rule, actor, facts) {
      const { host_pattern, selectors, source_name } = rule
      const texts = [source_name, host_pattern].map(encodeText)
      const given = [...texts, encode(selectors), encodeText(actor), encode(facts)]
      while (true) {
        const [row] = yield* database.query<Ruling>(statementOfPropose, given)
        if (row !== undefined) return row
      }
    })
    return ParsingRules.of({ find, list: read, put, enable, propose })
  })
)
