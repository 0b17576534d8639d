import { insertMessages } from "./messages.ts"

const columns = "host_pattern as host, fetcher, reason, version::float8 as version, ms_of(updated_at) as updated_at"

/** $1 a host, or null for all; $2 rows. A row that only carries a priority is no fetcher rule. */
export const list = `select ${columns} from fetcher_rules
  where ($1::text is null or host_pattern = $1) and fetcher <> 'auto' order by host_pattern limit $2`

/** $1 host; $2 fetcher; $3 reason; $4 actor; $5 now. The change and its audit entry; priority_config is left alone. */
export const set = `with old as materialized (
  select fetcher, reason from fetcher_rules where host_pattern = $1),
changed as (
  insert into fetcher_rules as r (host_pattern, fetcher, reason, created_at, updated_at)
  values ($1, $2, $3, at_ms($5), at_ms($5))
  on conflict (host_pattern) do update set fetcher = excluded.fetcher, reason = excluded.reason, version = r.version + 1,
    republished = 0, updated_at = excluded.updated_at
  returning ${columns}),
told as (
  insert into audit_log (at, actor, action, subject, facts)
  select at_ms($5), $4, 'fetcher_rule.set', $1, jsonb_build_object('fetcher', $2::text, 'reason', $3::text,
    'before', (select fetcher from old), 'before_reason', (select reason from old)) from changed)
select * from changed`

/** $1 host; $2 actor; $3 now. */
export const unset = `with old as materialized (
  select fetcher, reason from fetcher_rules where host_pattern = $1 and fetcher <> 'auto'),
changed as (
  update fetcher_rules r set fetcher = 'auto', reason = null, version = r.version + 1, republished = 0,
    updated_at = at_ms($3)
  from old where r.host_pattern = $1 returning r.host_pattern),
told as (
  insert into audit_log (at, actor, action, subject, facts)
  select at_ms($3), $2, 'fetcher_rule.unset', $1, jsonb_build_object('before', o.fetcher, 'before_reason', o.reason)
  from old o join changed on true)
select count(*)::int as changed from changed`

/** $1 raw id; $2 host; $3 fetcher; $4 reason; $5 at; $6 job. */
export const note = `insert into fetch_failures (raw_id, host, fetcher, reason, at, job)
  values ($1, $2, $3, $4, at_ms($5), $6::text::jsonb) on conflict (raw_id) do nothing`

/** A republished job, its row and its message, of `from`: rows of `fetch_failures` with version, place and due time. */
const republish = (from: string, spacing: string, now: string, seq: string): string => `jobs as materialized (
  select c.raw_id, c.host, c.version, c.place, c.job,
    split_part(c.job ->> 'id', '.', 1) || '.r' || c.version || '.' || c.raw_id as job_id from ${from} c),
opened as (
  insert into republishes (original_raw_id, rule_version, job_id, url, target_type, fetcher, created_at)
  select j.raw_id, j.version, j.job_id, j.job -> 'target' ->> 'url', j.job -> 'target' ->> 'type', 'browser', at_ms(${now})
  from jobs j on conflict do nothing returning job_id),
sent as (${insertMessages(`(
  select j.job_id as id, 'crawl.' || (j.job -> 'priority' ->> 'value') as topic, j.host as key, ${now}::float8 as occurred_at,
    0 as attempt, j.job ->> 'id' as trace_id, jsonb_build_object('schema', '1', 'force_fetcher', 'browser',
      'retry_reason', 'validation_upgrade', 'original_raw_id', j.raw_id) as headers,
    j.job || jsonb_build_object('id', j.job_id, 'retry_count', 0, 'scheduled_at', ${now}::float8) as payload,
    ${now}::float8 + (j.place - 1) * ${spacing}::float8 as not_before, ${seq}::bigint + j.place as seq
  from jobs j join opened o on o.job_id = j.job_id) m`)})`

/** No row is a switch that nobody has turned: on. */
const switchedOn = "(not exists (select from switches where name = 'fetcher_auto_upgrade' and not enabled))"

/** May hosts be raised? */
export const allowed = `select ${switchedOn} as allowed`

/** $1 on or off; $2 actor; $3 now. */
export const allow = `with changed as (
  insert into switches as s (name, enabled, updated_at)
  select 'fetcher_auto_upgrade', $1::boolean, at_ms($3) where ${switchedOn} is distinct from $1::boolean
  on conflict (name) do update set enabled = excluded.enabled, updated_at = excluded.updated_at returning 1),
told as (
  insert into audit_log (at, actor, action, subject, facts)
  select at_ms($3), $2, 'fetcher_auto_upgrade.switched', 'all hosts', jsonb_build_object('enabled', $1::boolean) from changed)
select count(*)::int as changed from changed`

/**
 * $1 host; $2 now; $3 since; $4 pages at most; $5 spacing; $6 reason; $7 seq. The rule becomes `browser` unless it is that
 * already; only then are the host's latest failed pages, one per URL, sent again. Of many at once the row's lock lets one win.
 */
export const upgrade = `with old as materialized (
  select fetcher, reason from fetcher_rules where host_pattern = $1),
failed as materialized (
  select distinct on (f.job -> 'target' ->> 'url') f.raw_id, f.host, f.job, f.at from fetch_failures f
  where f.host = $1 and f.fetcher = 'http' and f.at >= at_ms($3)
  order by f.job -> 'target' ->> 'url', f.at desc, f.raw_id),
latest as materialized (select * from failed order by at desc, raw_id limit $4::int),
raised as (
  insert into fetcher_rules as r (host_pattern, fetcher, reason, created_at, updated_at, republished)
  select $1, 'browser', $6, at_ms($2), at_ms($2), (select count(*) from latest) where ${switchedOn}
  on conflict (host_pattern) do update set fetcher = 'browser', reason = excluded.reason, version = r.version + 1,
    republished = excluded.republished, updated_at = excluded.updated_at
  where r.fetcher <> 'browser' returning version),
chosen as materialized (
  select l.*, r.version, row_number() over (order by l.at desc, l.raw_id) as place from latest l cross join raised r),
${republish("chosen", "$5", "$2", "$7")},
told as (
  insert into audit_log (at, actor, action, subject, facts)
  select at_ms($2), 'crawler', 'fetcher_rule.auto_upgrade', $1, jsonb_build_object('fetcher', 'browser', 'reason', $6::text,
    'before', (select fetcher from old), 'before_reason', (select reason from old),
    'republished', (select count(*) from opened)) from raised)
select (select count(*) from raised)::int as upgraded, (select count(*) from opened)::int as republished`

/** $1 host; $2 now; $3 pages at most; $4 reason; $5 raw id; $6 job; $7 seq. One page more of a running cycle, within its bound. */
export const straggler = `with given as materialized (select $5::text as raw_id, $1::text as host, $6::text::jsonb as job),
taken as (
  update fetcher_rules r set republished = r.republished + 1 from given g
  where r.host_pattern = $1 and r.fetcher = 'browser' and r.reason = $4 and r.republished < $3::int
    and ${switchedOn} and not exists (select from republishes p where p.rule_version = r.version
      and (p.original_raw_id = g.raw_id or p.url = g.job -> 'target' ->> 'url'))
  returning r.version),
chosen as materialized (select g.*, t.version, 1::bigint as place from given g cross join taken t),
${republish("chosen", "0", "$2", "$7")}
select (select count(*) from opened)::int as republished`

export const authority = `select job_id, url, target_type, fetcher, closed_at is not null as closed
  from republishes where job_id = $1`

/** $1 job id; $2 now. */
export const close = "update republishes set closed_at = at_ms($2) where job_id = $1 and closed_at is null"

/** $1 actor; $2 action; $3 subject; $4 facts; $5 now; $6 entries of an hour at most. */
export const audit = `insert into audit_log (at, actor, action, subject, facts)
  select at_ms($5), $1, $2, $3, $4::text::jsonb
  where (select count(*) from (select from audit_log
    where subject = $3 and action = $2 and at > at_ms($5) - interval '1 hour' limit $6::int) recent) < $6::int`
