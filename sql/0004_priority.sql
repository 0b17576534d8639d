-- Host signals in time buckets, one scorer at a time, and word of a changed rule.
-- Way back: drop both triggers and the function tell_rule_changed, drop table scoring_turns and host_signals, create
-- host_signals as in step 1 (scores start cold), then `delete from schema_versions where version = 4`.

-- Sums per host and quarter of an hour instead of a row per batch: what a scorer reads stays small, whatever is crawled.
-- The columns are those of `domain/signals.ts`.
drop table host_signals;
create table host_signals (
  host text not null,
  bucket timestamptz not null,
  samples integer not null,
  errors integer not null,
  browser integer not null,
  latency_ms double precision not null,
  latencies integer not null,
  lag_ms double precision not null,
  lags integer not null,
  passed integer not null,
  rejected integer not null,
  impact double precision not null,
  impacts integer not null,
  trips integer not null,
  relearns integer not null,
  primary key (host, bucket)
) with (fillfactor = 80);
create index host_signals_bucket on host_signals using brin (bucket);

-- The turn of the one scorer: who holds the latest epoch may write scores. One row.
create table scoring_turns (
  one boolean primary key default true check (one),
  epoch bigint not null default 0,
  started_at timestamptz,
  leased_until timestamptz,
  finished_at timestamptz,
  hosts integer,
  scored integer
);
insert into scoring_turns default values;

-- Processes keep rules for seconds; this tells them at once (where the database can). An operator's UPDATE rarely thinks of
-- updated_at, from which the 30 days of an override count.
create function tell_rule_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' and tg_table_name = 'fetcher_rules' then
    if tg_op = 'UPDATE' and new.priority_config is distinct from old.priority_config
      and new.updated_at is not distinct from old.updated_at then
      new.updated_at := now();
    end if;
  end if;
  if tg_op <> 'INSERT' then
    perform pg_notify('crawler_rules', left(old.host_pattern, 1000));
  end if;
  if tg_op <> 'DELETE' then
    perform pg_notify('crawler_rules', left(new.host_pattern, 1000));
    return new;
  end if;
  return old;
end $$;
create trigger fetcher_rules_changed before insert or update or delete on fetcher_rules
  for each row execute function tell_rule_changed();
create trigger parsing_rules_changed before insert or update or delete on parsing_rules
  for each row execute function tell_rule_changed();
