import { paceHeader } from "../../domain/topics.ts"
import { insertMessages } from "./messages.ts"

/**
 * $1 links; $2 now. Known (URL, visit) pairs are dropped; the rest are marked, paced and sent, and told by their `seq`.
 * A link that may go now takes its host's next turns (per topic); one that may not go before a later instant (a revisit)
 * keeps that instant and holds nobody up. The line's row is moved in one upsert, whose answer says where the line began:
 * so two writers, even of a host that is new to both, never deal out the same turn.
 */
export const enqueue = `with given as materialized (
  select distinct on (g.url_key, g.visit) g.* from json_to_recordset($1::text::json) as g(url_key text, visit int, url text,
    host text, topic text, pace float8, not_before float8, id text, seq bigint, payload jsonb)
  order by g.url_key, g.visit, g.seq),
old as materialized (
  select u.url_key, u.visited from urls u
  where u.url_key in (select g.url_key from given g) order by u.url_key for update of u),
unknown as materialized (
  select g.* from given g left join old o on o.url_key = g.url_key
  where o.url_key is null or not (g.visit = any (o.visited))),
marked as (
  insert into urls as u (url_key, url, host, first_seen_at, visited)
  select k.url_key, min(k.url), min(k.host), at_ms($2), array_agg(k.visit) from unknown k group by k.url_key
  order by k.url_key
  on conflict (url_key) do update set visited = u.visited || excluded.visited,
    url = case when u.url = '' then excluded.url else u.url end,
    host = case when u.host = '' then excluded.host else u.host end
  where not excluded.visited <@ u.visited
  returning u.url_key),
fresh as materialized (
  select k.*, k.not_before <= $2 as now,
    row_number() over (partition by k.host, k.topic, k.not_before <= $2 order by k.seq) as place
  from unknown k join marked m on m.url_key = k.url_key),
lines as materialized (
  select host, topic, max(pace) as pace, count(*) as links from fresh where now group by host, topic),
moved as (
  insert into host_paces as p (host, topic, due_at)
  select l.host, l.topic, at_ms($2) + l.links * l.pace * interval '1 millisecond' from lines l order by l.host, l.topic
  on conflict (host, topic) do update
    set due_at = greatest(p.due_at, at_ms($2)) + (excluded.due_at - at_ms($2))
  returning p.host, p.topic, ms_of(p.due_at) as ends),
due as (
  select f.id, f.topic, f.host as key, $2::float8 as occurred_at, 0 as attempt, f.id as trace_id,
    case when f.now then jsonb_build_object('${paceHeader}', l.pace::text) else '{}'::jsonb end as headers, f.payload, f.seq,
    case when f.now then v.ends - (l.links - f.place + 1) * l.pace else f.not_before end as not_before
  from fresh f left join lines l on f.now and l.host = f.host and l.topic = f.topic
    left join moved v on f.now and v.host = f.host and v.topic = f.topic),
sent as (${insertMessages("due m")})
select seq::float8 as seq from fresh`

/** $1 URL keys. */
export const known = `select u.url_key from urls u
  where u.url_key in (select json_array_elements_text($1::text::json)) and 0 = any (u.visited)`

const dealt = `not m.leased and m.key = $1 and m.headers ? '${paceHeader}'`
const pace = `m.headers ->> '${paceHeader}'`

/**
 * $1 host; $2 pace (ms) as text; $3 now; $4 topics; $5 rows at most per topic. Waiting links that were dealt out by another pace
 * stand behind those dealt by this one, in the order they had, and the line's next turn behind them all.
 */
export const repace = `with topics as materialized (select json_array_elements_text($4::text::json) as topic),
stray as materialized (
  select m.* from topics t cross join lateral (
    select m.id, m.topic, m.not_before, m.seq from messages m
    where m.topic = t.topic and ${dealt} and ${pace} <> $2::text
    order by m.not_before, m.seq limit $5 for update skip locked) m),
heads as (
  select t.topic, greatest(at_ms($3), max(m.not_before)) as at from topics t
  left join messages m on m.topic = t.topic and ${dealt} and ${pace} = $2::text group by t.topic),
again as (
  update messages m set not_before = p.at, headers = m.headers || jsonb_build_object('${paceHeader}', $2::text)
  from (
    select s.id, h.at + row_number() over (partition by s.topic order by s.not_before, s.seq) * g.gap as at
    from stray s join heads h on h.topic = s.topic cross join (select $2::text::float8 * interval '1 millisecond' as gap) g) p
  where m.id = p.id returning m.topic, m.not_before),
moved as (
  insert into host_paces as p (host, topic, due_at)
  select $1, a.topic, max(a.not_before) + $2::text::float8 * interval '1 millisecond' from again a group by a.topic
  order by a.topic on conflict (host, topic) do update set due_at = excluded.due_at)
select count(*)::int as links from again`
