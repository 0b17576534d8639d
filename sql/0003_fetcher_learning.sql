-- What fetching learns by itself: numbered fetcher rules, and the failed pages an upgrade fetches again.
-- Way back: drop table fetch_failures; alter table fetcher_rules drop column version, drop column republished;
-- delete from schema_versions where version = 3. With
-- FETCHER_AUTO_UPGRADE_ENABLED=false nothing writes them, and browser rules stay as they are (S4.26).

-- A rule's version names its upgrade cycle; `republished` counts the pages of that cycle, so that its bound holds.
alter table fetcher_rules
  add column version bigint not null default 1,
  add column republished integer not null default 0;

-- Pages (2xx, articles) that came without a title or text (S4.7): the job is what a republish is made of.
create table fetch_failures (
  raw_id text primary key,
  host text not null,
  fetcher text not null,
  reason text not null,
  at timestamptz not null,
  job jsonb not null
);
create index fetch_failures_host on fetch_failures (host, at desc);
create index fetch_failures_at on fetch_failures (at);
create index republishes_url on republishes (url, rule_version);
