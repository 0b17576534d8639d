-- What a host's addresses and pages have taught: which part of an address names an article, and what stands where there is no page.
-- Way back: drop table host_traits, then `delete from schema_versions where version = 12`.

create table host_traits (
  host text primary key,
  identity_pattern text,
  missing jsonb,
  home jsonb,
  probed_at timestamptz,
  home_at timestamptz,
  updated_at timestamptz not null default now()
);
