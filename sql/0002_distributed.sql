-- Several processes: who relays messages to Kafka, which messages are on their way there, and whether the cache of host state
-- was ever filled before.
-- Way back: drop table host_generations, relays; alter table messages drop column sent;
-- then `delete from schema_versions where version = 2`. Stop every process that uses Kafka first: their messages are then
-- unleased by the end of their leases.

-- True while a message is Kafka's: `leased` then means that it was acknowledged there and that nobody has taken it yet.
alter table messages add column sent boolean not null default false;

-- One relay at a time keeps the order of each key; the others stand by until its lease is over.
create table relays (
  name text primary key,
  holder text not null,
  until timestamptz not null
);

-- A cache that is empty for the first time has forgotten nothing.
create table host_generations (
  id text primary key,
  started_at timestamptz not null default now()
);
