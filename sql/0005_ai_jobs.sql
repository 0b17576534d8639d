-- AI jobs, their results, what they cost, and the gate to the provider (S3.9–S3.20).
-- Way back: drop table ai_gate, llm_usage, ai_results, ai_jobs; then `delete from schema_versions where version = 5`.
-- Results and spending are lost by that; articles are not touched.

-- `leased_until` is in no index, so that a heartbeat touches none. A job outlives its article on purpose: it says what was paid for.
create table ai_jobs (
  id bigint generated always as identity primary key,
  article_id text not null,
  type text not null check (type in ('SUMMARY', 'TERM_CARDS', 'INSIGHT', 'QUIZ_CONTENT', 'QUIZ_TERM')),
  prompt_version text not null,
  model text,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'RETRY_WAIT', 'SUSPENDED')),
  retry_count integer not null default 0,
  max_retries integer not null,
  -- Answers that could not be used, and leases that ran out without an outcome.
  bad_outputs integer not null default 0,
  crashes integer not null default 0,
  next_run_at timestamptz,
  running_started_at timestamptz,
  leased_until timestamptz,
  lease_epoch bigint not null default 0,
  last_error_code text,
  last_error_message text,
  requested_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  unique (article_id, type, prompt_version)
) with (fillfactor = 70);
create index ai_jobs_pending on ai_jobs (type, id) where status = 'PENDING';
create index ai_jobs_running on ai_jobs (id) where status = 'RUNNING';
create index ai_jobs_waiting on ai_jobs (next_run_at) where status = 'RETRY_WAIT';
create index ai_jobs_suspended on ai_jobs (last_error_code, id) where status = 'SUSPENDED';

create table ai_results (
  article_id text not null,
  type text not null,
  prompt_version text not null,
  job_id bigint not null,
  model text not null,
  result jsonb not null,
  -- `ungrounded`: says numbers or names that its article does not.
  flags text[] not null default '{}',
  -- Hash of what was asked: the same question is answered from here.
  cache_key text,
  created_at timestamptz not null,
  primary key (article_id, type, prompt_version)
);
create index ai_results_cache on ai_results (cache_key) where cache_key is not null;

create table llm_usage (
  id text primary key,
  at timestamptz not null,
  job_id bigint not null,
  type text not null,
  host text not null,
  model text not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cost_usd double precision not null,
  latency_ms integer not null
);
create index llm_usage_at on llm_usage (at) include (cost_usd);

-- A row here closes the provider for everybody; one caller a minute may try.
create table ai_gate (
  provider text primary key,
  code text not null,
  closed_at timestamptz not null,
  probe_at timestamptz not null
);
