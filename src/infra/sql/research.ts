import { insertMessages, messageColumns } from "./messages.ts"

/** $1 country; $2 category; $3 day; $4 file numbers wanted; $5 highest number that is in use already. */
export const reserve = `insert into research_days as d (country, category, day, batches, numbers)
  values ($1, $2, $3::text::date, 1, $5::int + $4::int)
  on conflict (country, category, day) do update
    set batches = d.batches + 1, numbers = greatest(d.numbers, $5::int) + $4::int
  returning batches as batch, numbers - $4::int + 1 as first`

/** $1 batch; $2 parts {chunk_index, part}; $3 messages; $4 now. A batch that is there already stays as it is. */
export const create = `with given as materialized (
  select * from json_to_record($1::text::json) as b(batch_id text, kind text, country text, category text, methods jsonb,
    chunk_size int, total_urls int, total_chunks int, first_number int, day date, created_at float8)),
batch as (
  insert into research_batches (batch_id, kind, country, category, methods, chunk_size, total_urls, total_chunks, first_number, day, created_at)
  select batch_id, kind, country, category, methods, chunk_size, total_urls, total_chunks, first_number, day, at_ms(created_at)
  from given on conflict (batch_id) do nothing returning batch_id, first_number, total_urls, kind),
parts as materialized (
  select b.batch_id, b.first_number, p.chunk_index, p.part
  from json_to_recordset($2::text::json) as p(chunk_index int, part int), batch b),
chunks as (
  insert into research_chunks (batch_id, chunk_index, number, parts)
  select batch_id, chunk_index, case when first_number = 0 then 0 else first_number + chunk_index - 1 end, count(*) from parts
  group by batch_id, first_number, chunk_index returning 1),
pieces as (
  insert into research_parts (batch_id, chunk_index, part) select batch_id, chunk_index, part from parts returning 1),
audit as (
  insert into audit_log (at, actor, action, subject, facts)
  select at_ms($4), 'research', 'batch_created', batch_id, jsonb_build_object('kind', kind, 'urls', total_urls) from batch),
sent as (${insertMessages(`(select m.* from json_to_recordset($3::text::json) as m(${messageColumns}), batch) m`)})
select batch_id from batch`

const progress = (
  where: string
) => `select b.batch_id, b.kind, b.country, b.category, b.methods, b.chunk_size, b.total_urls,
  b.total_chunks, b.first_number, to_char(b.day, 'YYYY-MM-DD') as day, ms_of(b.created_at) as created_at,
  ms_of(b.finished_at) as finished_at,
  (select json_agg(json_build_object('chunk_index', c.chunk_index, 'parts', c.parts, 'parts_done', c.done, 'path', c.path,
      'partial', c.partial, 'finished', c.finished_at is not null, 'failed', coalesce(h.failed, false),
      'suspended', coalesce(h.suspended, false), 'open', coalesce(h.open, false), 'reason', h.reason) order by c.chunk_index)
   from research_chunks c left join lateral (
     select bool_or(p.state = 'failed' or d.id is not null) as failed, bool_or(p.state = 'suspended') as suspended,
       bool_or(p.state = 'queued' and d.id is null) as open,
       max(coalesce(p.reason, d.code || ': ' || d.message)) as reason
     from research_parts p left join dead_letters d
       on p.state <> 'done' and split_part(d.id, '~', 1) = p.batch_id || '.' || p.chunk_index || '.' || p.part
     where p.batch_id = c.batch_id and p.chunk_index = c.chunk_index and p.state <> 'done') h on true
   where c.batch_id = b.batch_id) as chunks
  from research_batches b ${where}`
/** $1 batch id. */
export const one = progress("where b.batch_id = $1")
/** $1 limit; $2 offset. */
export const recent = progress("order by b.created_at desc, b.batch_id desc limit $1::int offset $2::int")
/** $1 country; $2 category: open batches and the latest one. */
export const checkpoint =
  progress(`where b.country = $1 and b.category = $2 and b.kind = 'research' and (b.finished_at is null
  or b.batch_id = (select l.batch_id from research_batches l where l.country = $1 and l.category = $2 and l.kind = 'research'
    order by l.created_at desc, l.batch_id desc limit 1))
  order by b.created_at, b.batch_id limit 1000`)

const left = `select b.batch_id, b.country, b.category, b.methods, b.chunk_size, b.total_chunks, to_char(b.day, 'YYYY-MM-DD') as day,
  ms_of(b.created_at) as created_at, c.chunk_index, c.number, c.parts - c.done as remaining, c.finished_at is not null as finished,
  (select json_agg(p.part order by p.part) from research_parts p
   where p.batch_id = c.batch_id and p.chunk_index = c.chunk_index) as parts`
/** $1 batch id; $2 chunk; $3 part. */
export const leftOf = `${left}, q.state = 'done' as part_done, q.state in ('failed', 'suspended') as part_held
  from research_batches b join research_chunks c using (batch_id) join research_parts q using (batch_id, chunk_index)
  where b.batch_id = $1 and c.chunk_index = $2::int and q.part = $3::int`

/**
 * $1 batch id; $2 chunk; $3 part; $4 now. The chunk's row is the turnstile: of two parts that end at once, the later update sees
 * the earlier one's count.
 */
export const partDone = `with part as (
  update research_parts set state = 'done', reason = null, finished_at = at_ms($4)
  where batch_id = $1 and chunk_index = $2::int and part = $3::int and state <> 'done' returning 1),
c as (
  update research_chunks set done = done + (select count(*)::int from part)
  where batch_id = $1 and chunk_index = $2::int returning *)
${left}, true as part_done, false as part_held from research_batches b join c using (batch_id)`

/** $1 batch id; $2 chunk; $3 part; $4 state; $5 reason. */
export const partHeld = `update research_parts set state = $4, reason = $5
  where batch_id = $1 and chunk_index = $2::int and part = $3::int and state <> 'done'`

/** $1 batch id; $2 chunk; $3 part. */
export const partBegun = `update research_parts set state = 'queued', reason = null
  where batch_id = $1 and chunk_index = $2::int and part = $3::int and state in ('failed', 'suspended')`

/** $1 batch id; $2 now; $3 the instant nobody reaches. A message names its batch in its trace. */
export const resume = `with open as materialized (
  select p.chunk_index, p.part, p.state, p.batch_id || '.' || p.chunk_index || '.' || p.part as name
  from research_parts p where p.batch_id = $1 and p.state <> 'done'),
woken as (
  update messages m set not_before = at_ms($2) from open o
  where m.topic in ('research', 'liveness') and not m.leased and m.not_before >= at_ms($3) and m.trace_id = $1
    and split_part(m.id, '~', 1) = o.name
  returning o.chunk_index, o.part),
letters as (select d.id, o.chunk_index, o.part from dead_letters d join open o on split_part(d.id, '~', 1) = o.name),
changed as (
  update research_parts p set state = 'queued', reason = null
  from (select chunk_index, part from woken union select chunk_index, part from letters) h
  where p.batch_id = $1 and p.chunk_index = h.chunk_index and p.part = h.part returning 1),
audit as (
  insert into audit_log (at, actor, action, subject, facts)
  select at_ms($2), 'operator', 'batch_resumed', $1, jsonb_build_object('parts', count(*)) from changed having count(*) > 0)
select (select count(*)::int from woken) as woken, coalesce((select json_agg(id order by id) from letters), '[]') as letters`

const entryFields = `dataset_id text, path text, sha256 text, record_count int, size_bytes bigint, created_at text, date date,
  batch_id text, chunk_index int, partial boolean, unique_domains int, research_methods jsonb`

/** $1 entry; $2 domains; $3 country; $4 category; $5 now. Ends the batch with its last chunk. */
export const published = `with given as materialized (select * from json_to_record($1::text::json) as e(${entryFields})),
fresh as (
  insert into datasets (dataset_id, path, country, category, day, batch_id, chunk_index, sha256, record_count, size_bytes, partial,
    unique_domains, domains, methods, created_at)
  select dataset_id, path, $3, $4, date, batch_id, chunk_index, sha256, record_count, size_bytes, partial, unique_domains,
    $2::text::jsonb, research_methods, created_at::timestamptz
  from given on conflict (dataset_id) do nothing returning batch_id, dataset_id, record_count),
chunk as (
  update research_chunks c set path = g.path, partial = g.partial, finished_at = at_ms($5) from given g
  where c.batch_id = g.batch_id and c.chunk_index = g.chunk_index and c.finished_at is null returning c.batch_id),
audit as (
  insert into audit_log (at, actor, action, subject, facts)
  select at_ms($5), 'research', 'dataset_published', dataset_id, jsonb_build_object('records', record_count, 'batch', batch_id) from fresh)
select exists (select from fresh) as fresh`

/** $1 batch id; $2 now. A statement of its own: it must see the chunk that ended just before. */
export const endBatch = `update research_batches b set finished_at = at_ms($2)
  where b.batch_id = $1 and b.finished_at is null and not exists (
    select from research_chunks c where c.batch_id = b.batch_id and c.finished_at is null)
  returning b.batch_id`

/** $1 batch id; $2 chunk; $3 now. A liveness chunk has no dataset: it ends with its last part. */
export const endChunk = `update research_chunks set finished_at = at_ms($3)
  where batch_id = $1 and chunk_index = $2::int and done >= parts and finished_at is null`

const entry = `select dataset_id, path, sha256, record_count, size_bytes::float8 as size_bytes,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at, to_char(day, 'YYYY-MM-DD') as date, batch_id,
  chunk_index, partial, unique_domains, methods as research_methods from datasets`
/** $1 country; $2 category. */
export const entries = `${entry} where country = $1 and category = $2 order by path`
/** $1 country; $2 category; $3 day. */
export const domains = `select count(distinct d)::int as n from datasets, jsonb_array_elements_text(domains) as d
  where country = $1 and category = $2 and day = $3::text::date`
/** $1 limit. */
export const unaudited = `${entry} where audited_at is null order by created_at, dataset_id limit $1::int`
/** $1 ids; $2 now. */
export const audited = `update datasets set audited_at = at_ms($2) where dataset_id in (select json_array_elements_text($1::text::json))`

/** $1 checks; $2 country. */
export const saveChecks = `insert into liveness_results
    (domain, checked_at, country, domain_id, status, http_status, response_time_ms, ssl_valid, redirect_chain, error)
  select domain, last_check::timestamptz, $2, domain_id, status, http_status, response_time_ms, ssl_valid, redirect_chain, error
  from json_to_recordset($1::text::json) as c(domain text, last_check text, domain_id text, status text, http_status int,
    response_time_ms int, ssl_valid boolean, redirect_chain jsonb, error text)
  order by domain on conflict (domain, checked_at) do nothing`

/** $1 country; $2 day: the latest check of each domain on that day. */
export const checks = `select distinct on (domain) domain_id, domain, status, http_status, response_time_ms,
    to_char(checked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_check, ssl_valid, redirect_chain, error
  from liveness_results where country = $1 and checked_at >= ($2 || 'T00:00:00Z')::timestamptz
    and checked_at < ($2 || 'T00:00:00Z')::timestamptz + interval '1 day'
  order by domain, checked_at desc`
