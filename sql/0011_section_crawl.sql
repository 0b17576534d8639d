-- Sections of more than one list page, and what became of each run over a host's sections.
-- Way back: drop table crawl_lists; alter table sources drop column page_url, drop column max_pages;
-- then `delete from schema_versions where version = 11`. Lists are then read on their first page only.

-- How further pages of a list are addressed, `{page}` standing for their number; null: it has one.
alter table sources add column page_url text, add column max_pages integer check (max_pages between 1 and 100);

-- One row per list page of a run: all lists of one host that were due at the same slot. A page that answered says which URLs it
-- showed for the first time, so that their fate tells what the run brought.
create table crawl_lists (
  host text not null,
  slot timestamptz not null,
  source_id text not null,
  page integer not null,
  due_at timestamptz not null,
  answered_at timestamptz,
  links integer,
  fresh jsonb,
  -- When its run was over.
  closed_at timestamptz,
  primary key (host, slot, source_id, page)
) with (fillfactor = 70);
create index crawl_lists_open on crawl_lists (host, slot) where closed_at is null;
create index crawl_lists_slot on crawl_lists (slot);
