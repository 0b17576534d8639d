import type { AiEvent, AiJobStatus } from "../../domain/ai/job.ts"
import { transitions } from "../../domain/ai/job.ts"

/** The states an event starts from, as SQL: the table of transitions is the only place that knows them. */
const from = (event: AiEvent): string =>
  Object.entries(transitions)
    .filter(([, events]) => event in events)
    .map(([status]) => `'${status}'`)
    .join(", ")
const to = (event: AiEvent): AiJobStatus => {
  const found = Object.values(transitions).find((events) => events[event] !== undefined)?.[event]
  if (found === undefined) throw new Error(`no transition is called ${event}`)
  return found
}

const columns = `j.id::text as id, j.article_id, j.type, j.prompt_version, j.model, j.status, j.retry_count, j.bad_outputs,
  j.max_retries, ms_of(j.next_run_at) as next_run_at, ms_of(j.running_started_at) as running_started_at,
  j.last_error_code, j.last_error_message, ms_of(j.requested_at) as requested_at, ms_of(j.started_at) as started_at,
  ms_of(j.finished_at) as finished_at, j.lease_epoch::float8 as lease_epoch`

const fresh = "article_id text, type text, prompt_version text, max_retries int, requested_at float8"
const insert = (given: string, where = ""): string => `
  insert into ai_jobs (article_id, type, prompt_version, max_retries, requested_at)
  select n.article_id, n.type, n.prompt_version, n.max_retries, at_ms(n.requested_at) from ${given} ${where}
  order by n.article_id, n.type, n.prompt_version
  on conflict (article_id, type, prompt_version) do nothing`

/** The channel on which a server tells workers of other processes that there is work. */
export const channel = "crawler_ai_jobs"

/** $1 jobs. One notice per statement, and none when nothing was new. */
export const enqueue = `with added as (${insert(`json_to_recordset($1::text::json) as n(${fresh})`)} returning 1)
  select count(*)::int as fresh, case when count(*) > 0 then pg_notify('${channel}', '') end from added`

/**
 * $1 types {type, max}; $2 now; $3 lease end; $4 most. One conditional update: rows that somebody else is taking are
 * skipped, waiting jobs that are due count as pending. A claim does not wait for the disk: a server that crashes forgets
 * it, the job is claimed again, and whoever ends it first is the one whose outcome counts.
 */
export const claim = `with wanted as materialized (
  select w.* from json_to_recordset($1::text::json) as w(type text, max int),
    (select set_config('synchronous_commit', 'off', true)) as unwaited),
picked as materialized (
  select p.id from wanted w cross join lateral (
    select j.id from ai_jobs j where j.status = 'PENDING' and j.type = w.type
    order by j.id limit w.max for update skip locked) p
  union all
  select d.id from (
    select j.id from ai_jobs j where j.status = 'RETRY_WAIT' and j.next_run_at <= at_ms($2)
      and j.type in (select w.type from wanted w)
    order by j.next_run_at limit $4 for update skip locked) d
  limit $4)
update ai_jobs j set status = '${to("claim")}', running_started_at = at_ms($2),
  started_at = coalesce(j.started_at, at_ms($2)), leased_until = at_ms($3), lease_epoch = j.lease_epoch + 1, next_run_at = null
from picked p where j.id = p.id and j.status in (${from("claim")}, ${from("due")})
returning ${columns}`

const receipts = "json_to_recordset($1::text::json) as g(id bigint, epoch bigint)"
const held = `j.id = g.id and j.lease_epoch = g.epoch and j.status = 'RUNNING'`

/** $1 receipts; $2 lease end. Touches no indexed column. */
export const renew = `update ai_jobs j set leased_until = at_ms($2) from ${receipts} where ${held} returning j.id::text as id`

/**
 * $1 settlements; $2 follow-up jobs with their owner; $3 usage. What a job leads to is stored with its end or not at all;
 * what was spent is stored in any case.
 */
export const settle = `with given as materialized (select * from json_to_recordset($1::text::json) as g(
  id bigint, epoch bigint, status text, at float8, model text, code text, message text, next_run_at float8,
  retry_count int, bad_outputs int, result jsonb, flags jsonb, cache_key text)),
ended as (
  update ai_jobs j set status = g.status, model = coalesce(g.model, j.model), leased_until = null, running_started_at = null,
    last_error_code = case when g.status = 'PENDING' then j.last_error_code else g.code end,
    last_error_message = case when g.status = 'PENDING' then j.last_error_message else g.message end,
    next_run_at = at_ms(g.next_run_at), retry_count = coalesce(g.retry_count, j.retry_count),
    bad_outputs = coalesce(g.bad_outputs, j.bad_outputs),
    crashes = case when g.status = 'PENDING' then j.crashes else 0 end,
    finished_at = case when g.status in ('SUCCESS', 'FAILED') then at_ms(g.at) end
  from given g where ${held}
  returning j.id, j.article_id, j.type, j.prompt_version, j.status),
kept as (
  insert into ai_results (article_id, type, prompt_version, job_id, model, result, flags, cache_key, created_at)
  select e.article_id, e.type, e.prompt_version, e.id, coalesce(g.model, ''), g.result,
    array(select jsonb_array_elements_text(g.flags)), g.cache_key, at_ms(g.at)
  from given g join ended e on e.id = g.id where e.status = 'SUCCESS' and jsonb_typeof(g.result) <> 'null'
  on conflict (article_id, type, prompt_version) do update set job_id = excluded.job_id, model = excluded.model,
    result = excluded.result, flags = excluded.flags, cache_key = excluded.cache_key, created_at = excluded.created_at),
followed as (${insert(
  `json_to_recordset($2::text::json) as n(owner bigint, ${fresh}) join ended e on e.id = n.owner`,
  "where e.status = 'SUCCESS'"
)}),
paid as (
  insert into llm_usage (id, at, job_id, type, host, model, input_tokens, output_tokens, cost_usd, latency_ms)
  select u.id, at_ms(u.at), u.job_id, u.type, u.host, u.model, u.input_tokens, u.output_tokens, u.cost_usd, u.latency_ms
  from json_to_recordset($3::text::json) as u(id text, at float8, job_id bigint, type text, host text, model text,
    input_tokens int, output_tokens int, cost_usd float8, latency_ms int)
  on conflict (id) do nothing)
select id::text as id from ended`

/** $1 now; $2 crashes that end a job. */
export const recover = `with lost as (
  select j.id from ai_jobs j where j.status = 'RUNNING' and j.leased_until < at_ms($1)
  order by j.id limit 1000 for update skip locked)
update ai_jobs j set crashes = j.crashes + 1, leased_until = null, running_started_at = null,
  status = case when j.crashes + 1 >= $2::int then 'FAILED' else '${to("lease_lost")}' end,
  last_error_code = case when j.crashes + 1 >= $2::int then 'crash_loop' else 'lease_lost' end,
  last_error_message = 'the worker''s lease ran out without an outcome',
  next_run_at = case when j.crashes + 1 >= $2::int then null else at_ms($1) end,
  finished_at = case when j.crashes + 1 >= $2::int then at_ms($1) end
from lost l where j.id = l.id and j.status in (${from("lease_lost")}) returning j.id`

/** $1 now; $2 started before; $3 base wait in ms; $4 longest wait. The epoch moves on, so the one that hangs is fenced. */
export const stuck = `update ai_jobs j set lease_epoch = j.lease_epoch + 1, leased_until = null, running_started_at = null,
  retry_count = j.retry_count + 1, last_error_code = 'stuck', last_error_message = 'RUNNING for too long',
  status = case when j.retry_count >= j.max_retries then 'FAILED' else '${to("stuck")}' end,
  next_run_at = case when j.retry_count >= j.max_retries then null
    else at_ms($1 + least($4::float8, $3::float8 * power(2, j.retry_count))) end,
  finished_at = case when j.retry_count >= j.max_retries then at_ms($1) end
where j.status in (${from("stuck")}) and j.running_started_at < at_ms($2) returning j.id`

/** $1 now. */
export const due = `with ready as (
  select j.id from ai_jobs j where j.status in (${from("due")}) and j.next_run_at <= at_ms($1)
  order by j.next_run_at limit 10000 for update skip locked)
update ai_jobs j set status = '${to("due")}', next_run_at = null from ready r
where j.id = r.id and j.status in (${from("due")}) returning j.id`

export const nextDue = "select ms_of(min(next_run_at)) as at from ai_jobs where status = 'RETRY_WAIT'"

/** $1 status; $2 type; $3 article; $4 after; $5 most. */
export const list = `select ${columns} from ai_jobs j
  where ($1::text is null or j.status = $1) and ($2::text is null or j.type = $2) and ($3::text is null or j.article_id = $3)
    and ($4::bigint is null or j.id > $4) order by j.id limit $5`
export const find = `select ${columns} from ai_jobs j where j.id = $1::bigint`

const audited = (action: string) => `
  insert into audit_log (actor, action, subject, facts)
  select $2, '${action}', 'ai_job ' || c.id, jsonb_build_object('code', c.last_error_code, 'type', c.type) from changed c`
const resumed = "status = 'PENDING', retry_count = 0, bad_outputs = 0, next_run_at = null"

/** $1 id; $2 actor. */
export const resume = `with changed as (
  update ai_jobs j set ${resumed} where j.id = $1::bigint and j.status in (${from("resume")}) returning j.*),
audit as (${audited("ai.resume")})
select ${columns} from changed j`

/** $1 codes; $2 actor; $3 the reason asked for; $4 most. One line in the audit log for all of them. */
export const resumeAll = `with chosen as (
  select id from ai_jobs where status in (${from("resume")}) and last_error_code in (select json_array_elements_text($1::text::json))
  order by id limit $4 for update),
changed as (
  update ai_jobs j set ${resumed} from chosen s where j.id = s.id returning j.id),
audit as (
  insert into audit_log (actor, action, subject, facts)
  select $2, 'ai.resume', 'ai_jobs ' || $3, jsonb_build_object('jobs', count(*)) from changed having count(*) > 0)
select count(*)::int as n, case when count(*) > 0 then pg_notify('${channel}', '') end from changed`

/** $1 id; $2 actor; $3 now. The epoch moves on, so that whoever is working on it changes nothing any more. */
export const cancel = `with changed as (
  update ai_jobs j set status = 'FAILED', last_error_code = 'cancelled', last_error_message = 'cancelled by ' || $2,
    lease_epoch = j.lease_epoch + 1, next_run_at = null, leased_until = null, running_started_at = null,
    finished_at = at_ms($3)
  where j.id = $1::bigint and j.status in (${from("cancel")}) returning j.*),
audit as (${audited("ai.cancel")})
select ${columns} from changed j`

export const counts = `select type, status, count(*)::float8 as jobs, ms_of(min(requested_at)) as oldest
  from ai_jobs group by type, status`
export const result = `select result, to_json(flags) as flags, model from ai_results where article_id = $1 and type = $2
  order by created_at desc limit 1`
export const cached = "select result, to_json(flags) as flags, model from ai_results where cache_key = $1 limit 1"

/** $1 since. */
export const spent = "select coalesce(sum(cost_usd), 0)::float8 as usd from llm_usage where at >= at_ms($1)"
/** $1 provider; $2 now; $3 next probe. Of all who ask one gets the row. */
export const probe = `update ai_gate set probe_at = at_ms($3) where provider = $1 and probe_at <= at_ms($2)
  returning code`
export const gate = "select code, ms_of(probe_at) as probe_at from ai_gate where provider = $1"
/** $1 provider; $2 code; $3 now; $4 next probe. */
export const close = `insert into ai_gate (provider, code, closed_at, probe_at) values ($1, $2, at_ms($3), at_ms($4))
  on conflict (provider) do update set code = excluded.code, probe_at = greatest(ai_gate.probe_at, excluded.probe_at)`
export const open = "delete from ai_gate where provider = $1"
