-- Rules of hosts are written by hand: what could never act is refused, and no row changed in the future.
-- Way back: create tell_rule_changed as in step 4, then `delete from schema_versions where version = 10`.

-- A rule counts for its exact host, as URLs write it. 'News.Example.' is that host by another spelling; 'https://news.example/',
-- '*.news.example' or '뉴스.example' would stand there and match nothing, ever: their author is told.
-- An override counts its 30 days from updated_at: in the future, or at infinity, they would never end.
create or replace function tell_rule_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    if tg_op = 'INSERT' or new.host_pattern is distinct from old.host_pattern then
      new.host_pattern := lower(rtrim(new.host_pattern, '.'));
      if new.host_pattern !~ '^\[[0-9a-f:.]+\]$' and (new.host_pattern !~ '^[!-~]{1,253}$'
        or new.host_pattern ~ '[]*/:@%?#[]' or new.host_pattern ~ '(^|\.)(\.|$)') then
        raise exception 'host_pattern "%": expected one host as URLs write it: punycode, without scheme, port, path or *',
          left(new.host_pattern, 100) using errcode = 'check_violation';
      end if;
    end if;
    if tg_table_name = 'fetcher_rules' then
      if tg_op = 'UPDATE' and new.priority_config is distinct from old.priority_config
        and new.updated_at is not distinct from old.updated_at then
        new.updated_at := now();
      end if;
      if new.updated_at > now() or not isfinite(new.updated_at) then
        new.updated_at := now();
      end if;
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
update fetcher_rules set updated_at = now() where updated_at > now() or not isfinite(updated_at);
