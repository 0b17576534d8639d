-- What an operator switches while processes run; each obeys it in the statement that it concerns.
-- Way back: drop table switches; delete from schema_versions where version = 8. Without a row a switch is on.
create table switches (
  name text primary key,
  enabled boolean not null,
  updated_at timestamptz not null
);
