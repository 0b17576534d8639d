-- The research engine: batches, their chunks and parts, the datasets they published, and what liveness checks found.
-- Way back: drop research_days, research_batches, research_chunks, research_parts, datasets and liveness_results, delete the messages
-- of topics research and liveness, then `delete from schema_versions where version = 6`. Published files stay where they are.

-- Numbers handed out per shelf and day (settled 14): reserved once, never given back.
create table research_days (
  country text not null,
  category text not null,
  day date not null,
  batches integer not null,
  numbers integer not null,
  primary key (country, category, day)
);

create table research_batches (
  batch_id text primary key,
  kind text not null check (kind in ('research', 'liveness')),
  country text not null,
  category text not null,
  methods jsonb not null,
  chunk_size integer not null,
  total_urls integer not null,
  total_chunks integer not null,
  first_number integer not null,
  day date not null,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index research_batches_shelf on research_batches (country, category, created_at desc);
create index research_batches_created on research_batches (created_at desc);

-- `done` counts finished parts; one row per chunk, so that parts that end at once take turns here.
create table research_chunks (
  batch_id text not null,
  chunk_index integer not null,
  number integer not null,
  parts integer not null,
  done integer not null default 0,
  path text,
  partial boolean not null default false,
  finished_at timestamptz,
  primary key (batch_id, chunk_index)
) with (fillfactor = 80);

create table research_parts (
  batch_id text not null,
  chunk_index integer not null,
  part integer not null,
  state text not null default 'queued' check (state in ('queued', 'done', 'failed', 'suspended')),
  reason text,
  finished_at timestamptz,
  primary key (batch_id, chunk_index, part)
) with (fillfactor = 80);

-- The lines of the manifests, and each dataset's registrable domains for the summary of its day.
create table datasets (
  dataset_id text primary key,
  path text not null unique,
  country text not null,
  category text not null,
  day date not null,
  batch_id text not null,
  chunk_index integer not null,
  sha256 text not null,
  record_count integer not null,
  size_bytes bigint not null,
  partial boolean not null,
  unique_domains integer not null,
  domains jsonb not null,
  methods jsonb not null,
  created_at timestamptz not null,
  audited_at timestamptz
);
create index datasets_shelf on datasets (country, category, day);
create index datasets_unaudited on datasets (created_at) where audited_at is null;

-- History per domain: one row per check (S5.7).
create table liveness_results (
  domain text not null,
  checked_at timestamptz not null,
  country text not null,
  domain_id text not null,
  status text not null check (status in ('alive', 'dead', 'blocked', 'redirect', 'error')),
  http_status integer,
  response_time_ms integer not null,
  ssl_valid boolean,
  redirect_chain jsonb not null,
  error text,
  primary key (domain, checked_at)
);
create index liveness_results_day on liveness_results (country, checked_at);
