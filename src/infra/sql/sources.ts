import { insertMessages, messageColumns } from "./messages.ts"

const columns = `id, name, url, kind, every_ms::float8 as every_ms, cron, zone, category, country, section, page_url, max_pages, priority, enabled,
  ms_of(created_at) as created_at, ms_of(next_poll_at) as next_poll_at, ms_of(polled_at) as polled_at, last`

export const list = `select ${columns} from sources order by created_at, id`
export const due = `select ${columns} from sources where enabled and next_poll_at <= at_ms($1)
  order by next_poll_at, id limit $2`
export const find = `select ${columns} from sources where id = $1`
/** $1 source, $2 result, $3 its instant. */
export const ended = `update sources set last = $2::text::jsonb
  where id = $1 and coalesce((last->>'at')::float8, 0) <= $3::float8`
export const remove = "delete from sources where id = $1 returning id"

const updated = [
  ..."name url kind every_ms cron zone category country section page_url max_pages priority enabled".split(" "),
  ..."created_at next_poll_at polled_at".split(" ")
]
/** $1 sources. `fired_slot` survives, so that an edit fires no slot twice, and so does `last`. */
export const put = `insert into sources (id, ${updated.join(", ")})
  select g.id, g.name, g.url, g.kind, g.every_ms, g.cron, g.zone, g.category, g.country, g.section, g.page_url, g.max_pages, g.priority, g.enabled,
    at_ms(g.created_at), at_ms(g.next_poll_at), at_ms(g.polled_at)
  from json_to_recordset($1::text::json) as g(id text, name text, url text, kind text, every_ms bigint, cron text, zone text,
    category text, country text, section text, page_url text, max_pages int, priority text, enabled boolean, created_at float8, next_poll_at float8,
    polled_at float8)
  order by g.id
  on conflict (id) do update set ${updated.map((it) => `${it} = excluded.${it}`).join(", ")}`

/**
 * $1 polls with their message; $2 now. A source moves on whenever its slot has come, but its message is sent only for a
 * slot later than the last one fired.
 */
export const fire = `with given as materialized (
  select distinct on (m.source_id) m.* from json_to_recordset($1::text::json)
    as m(source_id text, slot float8, next float8, ${messageColumns}) order by m.source_id, m.slot),
old as materialized (
  select s.id as source, s.fired_slot from sources s join given g on g.source_id = s.id
  where s.enabled and s.next_poll_at <= at_ms(g.slot) order by s.id for update of s),
moved as (
  update sources s set next_poll_at = at_ms(g.next), polled_at = at_ms($2),
    fired_slot = greatest(s.fired_slot, at_ms(g.slot))
  from given g join old o on o.source = g.source_id where s.id = g.source_id),
fired as materialized (
  select g.* from given g join old o on o.source = g.source_id
  where o.fired_slot is null or o.fired_slot < at_ms(g.slot)),
sent as (${insertMessages("fired m")})
select count(*)::int as fired from fired`
