-- The store: messages, pages, articles, rules and hosts. Postgres 15 or later, also inside PGlite (18).
-- Way back: drop the tables in reverse order of creation, then the two functions, then
-- `delete from schema_versions where version = 1`. Nothing older exists, so nothing else changes.
-- Instants are timestamptz here and milliseconds since the epoch in the program: `at_ms` and `ms_of` convert.

create function at_ms(ms double precision) returns timestamptz language sql immutable parallel safe
  as 'select to_timestamp(ms / 1000.0)';
create function ms_of(at timestamptz) returns double precision language sql immutable parallel safe
  as 'select round(extract(epoch from at) * 1000)::double precision';

-- The table bus, the outbox and the parking place at once: a row is a message until it is settled.
-- `leased` is a column of its own so that renewing a lease touches no index; `lease` numbers the leases of a row.
create table messages (
  id text primary key,
  topic text not null,
  key text not null,
  occurred_at timestamptz not null,
  attempt integer not null default 0,
  trace_id text not null default '',
  headers jsonb not null default '{}',
  payload jsonb not null,
  not_before timestamptz not null,
  leased boolean not null default false,
  leased_until timestamptz,
  lease bigint not null default 0,
  -- How often work on it began and its lease ended without an outcome; begun: in this very lease.
  starts integer not null default 0,
  begun boolean not null default false,
  -- Order of publication, where due times are equal: microseconds, made distinct by the publishing process.
  seq bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint
) with (fillfactor = 85);
create index messages_ready on messages (topic, not_before, seq) where not leased;
create index messages_keys on messages (topic, key, not_before, seq) where not leased;
create index messages_leased on messages (topic, key) where leased;

create table dead_letters (
  id text primary key,
  topic text not null,
  key text not null,
  stage text not null,
  code text not null,
  message text not null,
  bytes text not null,
  attempts integer not null,
  at timestamptz not null
);
create index dead_letters_at on dead_letters (at desc, id);

create table sources (
  id text primary key,
  name text not null,
  url text not null,
  kind text not null check (kind in ('list', 'feed', 'sitemap')),
  every_ms bigint,
  cron text,
  zone text not null,
  category text,
  country text,
  section text,
  priority text check (priority in ('high', 'normal', 'low')),
  enabled boolean not null default true,
  created_at timestamptz not null,
  next_poll_at timestamptz not null,
  polled_at timestamptz,
  -- The latest slot that was fired: one poll per (source, slot), however many schedulers run.
  fired_slot timestamptz
);
create index sources_due on sources (next_poll_at) where enabled;

-- One row per normalised URL. `visited` has the numbers of the visits that were asked for.
create table urls (
  url_key text primary key,
  url text not null,
  host text not null,
  first_seen_at timestamptz not null,
  visited integer[] not null default '{}',
  fetched_at timestamptz,
  status integer,
  etag text,
  last_modified text,
  article_id text,
  next_visit_at timestamptz
) with (fillfactor = 80);
create index urls_host on urls (host);

-- Raw pages, by the UTC day on which they expire: a day's partition is dropped whole. Partitions are made on demand.
create table raw_contents (
  id text not null,
  expires_on date not null,
  host text not null,
  fetched_at timestamptz not null,
  metadata jsonb not null,
  codec text not null check (codec in ('none', 'zstd')),
  body bytea not null,
  primary key (id, expires_on)
) partition by range (expires_on);
-- Bodies are compressed before they come here.
alter table raw_contents alter column body set storage external;

create table articles (
  id text primary key,
  url text not null,
  -- The primary URL: only it writes revisions.
  url_key text not null,
  host text not null,
  title text not null,
  text text not null,
  language text,
  published_at timestamptz,
  fetched_at timestamptz,
  detected_at timestamptz,
  revision integer not null default 0,
  -- The jobs that found it new and that changed it last: asked again, they are answered as before.
  new_by text not null,
  revised_by text,
  -- The article as exported, without title and text.
  rest jsonb not null
);
create index articles_host on articles (host, id);
create index articles_detected on articles (detected_at);

-- What an article said before its text or title changed.
create table article_revisions (
  article_id text not null references articles on delete cascade,
  revision integer not null,
  title text not null,
  text text not null,
  fetched_at timestamptz,
  primary key (article_id, revision)
);

create table validation_outcomes (
  raw_id text primary key,
  url text not null,
  host text not null,
  verdict text not null,
  evidence jsonb not null,
  codes text[] not null default '{}',
  at timestamptz not null
);
create index validation_outcomes_host on validation_outcomes (host, at desc);

-- S4.3 and S2.2. `auto` is the default chain: it counts as no rule, so that a priority may stand alone.
create table fetcher_rules (
  id bigserial primary key,
  host_pattern text not null unique,
  fetcher text not null check (fetcher in ('http', 'browser', 'auto')),
  reason text,
  priority_config jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The only authority for `force_fetcher` (S4.15): a job is obeyed when an open row matches it.
create table republishes (
  original_raw_id text not null,
  rule_version bigint not null,
  job_id text not null unique,
  url text not null,
  target_type text not null,
  fetcher text not null check (fetcher in ('http', 'browser')),
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  primary key (original_raw_id, rule_version)
);

create table parsing_rules (
  id bigserial primary key,
  source_name text not null,
  host_pattern text not null,
  path_pattern text not null default '',
  target_type text not null check (target_type in ('page', 'list')),
  version integer not null default 1,
  enabled boolean not null default true,
  priority text check (priority in ('high', 'normal', 'low')),
  identity_pattern text,
  zone text,
  selectors jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (host_pattern, path_pattern, target_type, version)
);

create table hosts (
  host text primary key,
  first_seen_at timestamptz not null default now(),
  delay_ms integer,
  requests_per_hour integer,
  -- Kept here too, so that a lost cache forgets no promise made to a host.
  paused_until timestamptz,
  breaker_open_until timestamptz,
  category text,
  rating real check (rating between 0 and 1),
  updated_at timestamptz not null default now()
);

-- When the last due time of a host was, per crawl topic: the next link is due one pace later.
create table host_paces (
  host text not null,
  topic text not null,
  due_at timestamptz not null,
  primary key (host, topic)
) with (fillfactor = 70);

-- S1.4: a time series per host, summed per minute and kind where a batch is written.
create table host_signals (
  host text not null,
  minute timestamptz not null,
  kind text not null,
  fetcher text not null,
  status integer not null,
  category text,
  samples integer not null,
  latency_ms_sum double precision not null,
  lag_ms_sum double precision not null,
  lag_samples integer not null
);
create index host_signals_host on host_signals (host, minute);
create index host_signals_minute on host_signals using brin (minute);

-- S1.15
create table host_scoring_state (
  host text primary key,
  score real not null,
  signals jsonb not null,
  window_minutes integer not null,
  calculated_at timestamptz not null
);

create table audit_log (
  id bigserial primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  facts jsonb not null default '{}'
);
create index audit_log_subject on audit_log (subject, at desc);
