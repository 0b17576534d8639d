const recordset = (columns: string) => `json_to_recordset($1::text::json) as g(${columns})`

/**
 * $1 raws; $2 the bodies that rows keep, one after another in base64, each from its `first` byte (counted from 1; 0: its body is
 * elsewhere): inside JSON they would be read character by character. The same fetch saved again is the same row.
 */
export const saveRaws = `with blob as materialized (select decode($2::text, 'base64') as bytes)
  insert into raw_contents (id, expires_on, host, fetched_at, metadata, codec, place, start, size, body)
  select g.id, g.expires_on, g.host, at_ms(g.fetched_at), g.metadata, g.codec, g.place, g.start, g.size,
    case when g.first > 0 then substring((select bytes from blob) from g.first for g.size) else '' end
  from ${recordset(
    "id text, expires_on date, host text, fetched_at float8, metadata jsonb, codec text, place text, start bigint, size int, first int"
  )}
  order by g.id on conflict do nothing`

const rawColumns =
  "r.metadata, r.codec, r.body, r.place, r.start::float8 as start, r.size, to_char(r.expires_on, 'YYYY-MM-DD') as day"
export const raw = `select ${rawColumns} from raw_contents r where r.id = $1 limit 1`

/** Pages of a host looked through for the latest of each URL. */
const latestMax = 500

/** $1 host; $2 largest body; $3 most. */
export const raws = `with latest as materialized (
  select id, expires_on, fetched_at, metadata ->> 'url' as url from raw_contents
  where host = $1 and (metadata ->> 'bytes')::float8 <= $2 order by fetched_at desc limit ${latestMax}),
chosen as materialized (
  select * from (select distinct on (url) * from latest order by url, fetched_at desc) u order by fetched_at desc limit $3)
select ${rawColumns} from chosen c
  join raw_contents r on r.id = c.id and r.expires_on = c.expires_on order by c.fetched_at desc`

const dayMs = 86_400_000
/** The UTC day of an instant, as the store writes dates. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export const partitionOf = (day: string): string => `raw_contents_${day.replaceAll("-", "")}`

export const dayOfPartition = (name: string): string => name.replace(/^raw_contents_(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3")

/** Makes a day's partition; two processes may do so at once. The day is a date of ours, never a caller's text. */
export const makePartition = (day: string): string => `do $$ begin
    create table if not exists ${partitionOf(day)} partition of raw_contents
      for values from ('${day}') to ('${dayOf(Date.parse(day) + dayMs)}');
  exception when duplicate_table or unique_violation then null; end $$`

const articleColumns =
  "id text, url_key text, job_id text, url text, host text, title text, text text, language text, " +
  "published_at float8, fetched_at float8, detected_at float8, rest jsonb"

const givenArticles = `given as materialized (select * from ${recordset(articleColumns)})`
/** Which article each URL of `from` (rows `g`) leads to. */
const knownUrls = (from: string) => `known as (
  insert into urls as u (url_key, url, host, first_seen_at, article_id)
  select distinct on (g.url_key) g.url_key, g.url, g.host, at_ms(g.fetched_at), g.id from ${from} order by g.url_key
  on conflict (url_key) do update set article_id = excluded.article_id,
    url = case when u.url = '' then excluded.url else u.url end,
    host = case when u.host = '' then excluded.host else u.host end
  where u.article_id is distinct from excluded.article_id)`

/**
 * $1 articles, each id once. Stores those that are new and answers their ids. Nearly all are, and a statement that also compares
 * with what is there costs three times as much.
 */
export const insertArticles = `with ${givenArticles},
fresh as (
  insert into articles (id, url, url_key, host, title, text, language, published_at, fetched_at, detected_at, new_by, rest)
  select g.id, g.url, g.url_key, g.host, g.title, g.text, g.language, at_ms(g.published_at), at_ms(g.fetched_at),
    at_ms(g.detected_at), g.job_id, g.rest
  from given g order by g.id on conflict (id) do nothing returning id),
${knownUrls("given g join fresh f on f.id = g.id")}
select id from fresh`

/**
 * $1 articles that are there, each id once. Answers per id what it was. The rows are locked first, so that two writers of one
 * article see each other; `detected_at` stays what it was when the article was new.
 */
export const reviseArticles = `with ${givenArticles},
old as materialized (
  select a.id, a.url_key, a.title, a.text, a.revision, a.fetched_at, a.new_by, a.revised_by
  from articles a join given g on g.id = a.id order by a.id for update of a),
changed as materialized (
  select g.*, o.title as old_title, o.text as old_text, o.revision, o.fetched_at as old_fetched_at
  from given g join old o on o.id = g.id
  where o.url_key = g.url_key and o.new_by <> g.job_id and o.revised_by is distinct from g.job_id
    and (o.title <> g.title or o.text <> g.text)),
kept as (
  insert into article_revisions (article_id, revision, title, text, fetched_at)
  select c.id, c.revision, c.old_title, c.old_text, c.old_fetched_at from changed c on conflict do nothing),
revised as (
  update articles a set url = c.url, host = c.host, title = c.title, text = c.text, language = c.language,
    published_at = at_ms(c.published_at), fetched_at = at_ms(c.fetched_at), revision = a.revision + 1,
    revised_by = c.job_id, rest = c.rest || jsonb_build_object('detected_at', a.rest -> 'detected_at')
  from changed c where a.id = c.id),
${knownUrls("given g")}
select g.id, case
    when o.new_by = g.job_id then 'new'
    when c.id is not null or o.revised_by = g.job_id then 'revision'
    else 'duplicate' end as saved
from given g left join old o on o.id = g.id left join changed c on c.id = g.id`

/** The query's conditions are chosen by what is asked, so that each form has the plan that fits it. */
export const articles = (asked: { ids: boolean; host: boolean; since: boolean; after: boolean }): string => {
  const conditions = [
    ...(asked.ids ? ["id in (select json_array_elements_text($1::text::json))"] : []),
    ...(asked.host ? ["host = $2"] : []),
    ...(asked.since ? ["detected_at >= at_ms($3)"] : []),
    ...(asked.after ? ["id > $4"] : [])
  ]
  // Unused parameters still need a type.
  const unused =
    "($1::text is null or true) and ($2::text is null or true) and ($3::float8 is null or true) and ($4::text is null or true)"
  return `select rest || jsonb_build_object('title', title, 'text', text) as article from articles
    where ${[...conditions, unused].join(" and ")} order by id limit $5`
}

export const saveOutcomes = `insert into validation_outcomes (raw_id, url, host, verdict, evidence, codes, at)
  select g.raw_id, g.url, g.host, g.verdict, g.evidence, array(select jsonb_array_elements_text(g.codes)), at_ms(g.at)
  from ${recordset("raw_id text, url text, host text, verdict text, evidence jsonb, codes jsonb, at float8")}
  order by g.raw_id
  on conflict (raw_id) do update set url = excluded.url, host = excluded.host, verdict = excluded.verdict,
    evidence = excluded.evidence, codes = excluded.codes, at = excluded.at`

export const url = `select url_key, url, host, article_id, etag, last_modified, ms_of(first_seen_at) as first_seen_at,
  ms_of(fetched_at) as fetched_at, status, coalesce((select max(v) + 1 from unnest(visited) v), 0) as visits
  from urls where url_key = $1`

/** A URL that did not come through the frontier (a poll) is kept from here on. */
export const saveValidators = `insert into urls (url_key, url, host, first_seen_at, fetched_at, status, etag, last_modified)
  select g.url_key, g.url, g.host, at_ms(g.fetched_at), at_ms(g.fetched_at), g.status, g.etag, g.last_modified
  from ${recordset("url_key text, url text, host text, fetched_at float8, status int, etag text, last_modified text")}
  order by g.url_key
  on conflict (url_key) do update set fetched_at = excluded.fetched_at, status = excluded.status,
    etag = excluded.etag, last_modified = excluded.last_modified`
