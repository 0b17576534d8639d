import { summed, summedOrZero } from "./signals.ts"

/** A config is read as text: `null` of JSON and no config at all differ, and an oversized one is left where it is. */
export const configOf = (table: string, bytesMax: number): string =>
  `case when octet_length(${table}.priority_config::text) <= ${bytesMax} then ${table}.priority_config::text end as config,
   octet_length(${table}.priority_config::text) as config_bytes, ms_of(${table}.updated_at) as updated_at`

/** A REAL as the number that was written: cast straight to a double, 0.7 would come back below 0.7. */
const exactly = (column: string): string => `${column}::text::float8`

/**
 * $1 interval; $2 lease, ms. One row, so of two scorers one waits and then finds the turn taken. Due an interval after the
 * last start, or as soon as a lease ran out without an end (its process died). A start or a lease that the database's clock
 * has not reached was written before it was set back.
 */
export const begin = `update scoring_turns set epoch = epoch + 1, started_at = clock_timestamp(), finished_at = null,
    leased_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
  where (leased_until is null or leased_until <= clock_timestamp()
      or leased_until > clock_timestamp() + $2::float8 * interval '1 millisecond')
    and (started_at is null or finished_at is null or started_at > clock_timestamp()
      or started_at <= clock_timestamp() - $1::float8 * interval '1 millisecond')
  returning epoch::float8, ms_of(clock_timestamp()) as now`

/**
 * $1 from; $2 after this host; $3 hosts of one page. Goes from host to host by the primary key and reads of each the window
 * alone: grouped over the table, every page would read the whole week that is kept. The walk goes in the order of hosts
 * and ends with the page, for nothing asks it for more. A host without signals in the window is a row without sums.
 */
export const totals = (configBytesMax: number): string => `
  with recursive walk as (
    (select host from host_signals where host > $2 order by host limit 1)
    union all
    select (select n.host from host_signals n where n.host > w.host order by n.host limit 1)
    from walk w where w.host is not null),
  page as materialized (select host from walk where host is not null limit $3),
  sums as materialized (
    select host, ${summed} from host_signals
    where host = any (array(select host from page)) and bucket >= at_ms($1) group by host)
  select s.*, p.host, ${exactly("h.rating")} as rating, h.category, ${configOf("f", configBytesMax)}
  from page p
  left join sums s on s.host = p.host
  left join hosts h on h.host = p.host
  left join fetcher_rules f on f.host_pattern = p.host
  order by p.host`

/**
 * $1 epoch; $2 lease, ms; $3 window, minutes; $4 rows. Renews the lease; a turn that is over writes nothing. A host without a
 * score loses the one it had.
 */
export const save = `with held as (
  update scoring_turns set leased_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
  where epoch = $1::float8::bigint and finished_at is null returning epoch),
given as materialized (
  select g.* from json_to_recordset($4::text::json) as g(host text, score float8, signals jsonb)
  where exists (select 1 from held)),
gone as (
  delete from host_scoring_state where host = any (array(select g.host from given g where g.score is null))),
kept as (
  insert into host_scoring_state (host, score, signals, window_minutes, calculated_at)
  select g.host, g.score, g.signals, $3::int, clock_timestamp() from given g where g.score is not null
  order by g.host
  on conflict (host) do update set score = excluded.score, signals = excluded.signals,
    window_minutes = excluded.window_minutes, calculated_at = excluded.calculated_at)
select count(*)::int as held, ms_of(clock_timestamp()) as now from held`

/** $1 epoch; $2 hosts; $3 scored: null for a turn that failed. */
export const end = `update scoring_turns set finished_at = clock_timestamp(), leased_until = clock_timestamp(),
    hosts = coalesce($2::int, hosts), scored = coalesce($3::int, scored)
  where epoch = $1::float8::bigint and finished_at is null`

/** $1 window, minutes; $2 rows. Scores that say nothing any more, of hosts that nobody visits. */
export const forget = `delete from host_scoring_state where host in (
  select host from host_scoring_state
  where calculated_at < clock_timestamp() - 2 * $1::int * interval '1 minute' limit $2)`

/** $1 hosts. A row per host asked for, known or not. */
export const standings = (configBytesMax: number): string => `
  select h.host, ${exactly("s.score")} as score, ms_of(s.calculated_at) as calculated_at, s.window_minutes,
    ${configOf("f", configBytesMax)}, r.rules
  from json_array_elements_text($1::text::json) as h(host)
  left join host_scoring_state s on s.host = h.host
  left join fetcher_rules f on f.host_pattern = h.host
  left join lateral (
    select json_agg(json_build_object('path', p.path_pattern, 'priority', p.priority) order by p.version desc) as rules
    from parsing_rules p where p.host_pattern = h.host and p.enabled and p.priority is not null) r on true`

/** $1 after this id; $2 rows. Rows whose override may have ended; the program reads the instants, which SQL would choke on. */
export const withOverrides = (configBytesMax: number): string => `
  select f.id::float8, f.host_pattern as host, ${configOf("f", configBytesMax)}
  from fetcher_rules f
  where f.priority_config ? 'override_until' and f.id > $1::float8::bigint order by f.id limit $2`

/** $1 rows: id, config as it was read, ended. A row changed meanwhile is left alone. Weights and threshold stay. */
export const expireOverrides = `with given as (
  select g.* from json_to_recordset($1::text::json) as g(id float8, config text, ended text)),
lapsed as (
  update fetcher_rules f
  set priority_config = nullif(f.priority_config - 'base_priority' - 'override_until', '{}'::jsonb)
  from given g where f.id = g.id::bigint and f.priority_config = g.config::jsonb
  returning f.host_pattern, g.config, g.ended),
told as (
  insert into audit_log (actor, action, subject, facts)
  select 'sweeper', 'override_expired', l.host_pattern,
    jsonb_build_object('priority_config', l.config::jsonb, 'ended', l.ended) from lapsed l)
select count(*)::int as lapsed from lapsed`

/** $1 host; $2 from. One row, known or not: the kept score, the sums as they are now, what operators said. */
export const dossier = (configBytesMax: number): string => `
  select s.*, ${exactly("h.rating")} as rating, h.category, ${configOf("f", configBytesMax)},
    ${exactly("t.score")} as score, ms_of(t.calculated_at) as calculated_at, t.window_minutes
  from (select ${summedOrZero} from host_signals where host = $1 and bucket >= at_ms($2)) s
  left join hosts h on h.host = $1
  left join fetcher_rules f on f.host_pattern = $1
  left join host_scoring_state t on t.host = $1`
