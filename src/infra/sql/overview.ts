/** $1 a day ago; $2 an hour ago. */
export const articles = `select count(*)::int as day,
  count(*) filter (where detected_at >= at_ms($2))::int as hour,
  (select ms_of(max(detected_at)) from articles) as latest
from articles where detected_at >= at_ms($1)`

/** $1 a quarter-hour that is at most an hour ago. */
export const fetches = `select coalesce(sum(samples), 0)::int as hour, coalesce(sum(errors), 0)::int as failed
from host_signals where bucket >= at_ms($1)`

/** $1 topics; $2 from where on a due time means that an operator is waited for. */
export const waiting = `select w.topic,
  ms_of((select min(m.not_before) from messages m where not m.leased and m.topic = w.topic)) as due,
  (select count(*)::int from messages m where not m.leased and m.topic = w.topic and m.not_before >= at_ms($2)) as suspended
from json_array_elements_text($1::text::json) as w(topic)`

/** $1 a day ago. Codes are a closed set. */
export const letters = `select code, count(*)::int as letters, (count(*) filter (where at >= at_ms($1)))::int as day
from dead_letters group by code order by letters desc, code`

/** $1 now; $2 most. */
export const shut = `select host, greatest(breaker_open_until, paused_until) = breaker_open_until as failing,
  ms_of(greatest(breaker_open_until, paused_until)) as until, (count(*) over ())::int as hosts
from hosts where breaker_open_until > at_ms($1) or paused_until > at_ms($1) order by until desc, host limit $2::int`

/** $1 a quarter-hour that is at most an hour ago; $2 mean time of an answer, ms; $3 most. */
export const slow = `select host, sum(latency_ms) / sum(latencies) as ms, (count(*) over ())::int as hosts
from host_signals where bucket >= at_ms($1) group by host
having sum(latencies) > 0 and sum(latency_ms) / sum(latencies) >= $2::float8 order by ms desc, host limit $3::int`

/** $1 outcomes that are well; $2 most. */
export const polls = `with asked as (
  select id, url, last, last is not null and last ->> 'outcome' not in (select json_array_elements_text($1::text::json)) as failed
  from sources where enabled)
select (select count(*)::int from asked) as enabled, (select count(*)::int from asked where failed) as failed,
  (select coalesce(json_agg(f), '[]') from (
    select id, url, last ->> 'outcome' as outcome, last ->> 'message' as message, (last ->> 'at')::float8 as at
    from asked where failed order by at desc, id limit $2::int) f) as latest`
