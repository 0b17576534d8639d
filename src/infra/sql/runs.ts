const pages = "json_to_recordset($1::text::json) as g(host text, slot float8, source_id text, page int)"

/** $1 list pages; $2 now. */
export const due = `insert into crawl_lists (host, slot, source_id, page, due_at)
  select g.host, at_ms(g.slot), g.source_id, g.page, at_ms($2) from ${pages} order by g.host, g.slot, g.source_id, g.page
  on conflict do nothing`

/** $1 one list page; $2 when; $3 its links, null for unchanged; $4 new URL keys. The first answer holds. */
export const answered = `insert into crawl_lists as c (host, slot, source_id, page, due_at, answered_at, links, fresh)
  select g.host, at_ms(g.slot), g.source_id, g.page, at_ms($2), at_ms($2), $3::int, $4::text::jsonb from ${pages}
  on conflict (host, slot, source_id, page) do update
    set answered_at = excluded.answered_at, links = excluded.links, fresh = excluded.fresh
  where c.answered_at is null`

/** Runs closed by one statement. */
const runsMax = 200

/**
 * $1 now; $2 due before. A run is its rows: of two that close it at once the second finds them closed, and is told nothing. A page
 * that answers after its run was closed belongs to no run.
 */
export const close = `with runs as materialized (
  select c.host, c.slot, min(c.due_at) as due_at, max(c.answered_at) as answered_at,
    count(*) filter (where c.page = 1)::int as lists,
    count(*) filter (where c.page = 1 and c.answered_at is not null)::int as answered,
    count(*) filter (where c.answered_at is not null and c.links is null)::int as unchanged,
    coalesce(sum(c.links), 0)::int as links
  from crawl_lists c where c.closed_at is null group by c.host, c.slot order by min(c.due_at) limit ${runsMax}),
keys as materialized (
  select distinct c.host, c.slot, k.key from runs r join crawl_lists c on c.host = r.host and c.slot = r.slot
    cross join jsonb_array_elements_text(c.fresh) as k(key) where c.closed_at is null and c.fresh is not null),
fates as materialized (
  select k.host, k.slot, count(*)::int as fresh, count(u.article_id)::int as saved, count(u.fetched_at)::int as visited,
    max(u.fetched_at) as fetched_at
  from keys k left join urls u on u.url_key = k.key group by k.host, k.slot),
over as materialized (
  select r.*, coalesce(f.fresh, 0) as fresh, coalesce(f.saved, 0) as saved,
    greatest(r.answered_at, f.fetched_at) as last_at
  from runs r left join fates f on f.host = r.host and f.slot = r.slot
  where r.due_at < at_ms($2) or (r.answered = r.lists and coalesce(f.visited = f.fresh, true))),
closed as (
  update crawl_lists c set closed_at = at_ms($1) from over o
  where c.host = o.host and c.slot = o.slot and c.closed_at is null returning c.host, c.slot)
select o.host, ms_of(o.slot) as slot, o.lists, o.answered, o.unchanged, o.links, o.fresh, o.saved,
  ms_of(o.due_at) as due_at, ms_of(o.last_at) as last_at
from over o where o.lists > 0 and exists (select from closed c where c.host = o.host and c.slot = o.slot)
order by o.due_at, o.host`

/** $1 slots before; $2 most. */
export const forget = `delete from crawl_lists c using (
  select host, slot, source_id, page from crawl_lists where slot < at_ms($1) limit $2) f
where c.host = f.host and c.slot = f.slot and c.source_id = f.source_id and c.page = f.page`
