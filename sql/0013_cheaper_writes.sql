-- Bodies of raw pages may be parts of files beside the embedded store, and an article's text is kept as it is: compressing it took
-- longer than all else that storing an article takes.
-- Way back: pages whose body is in a file are lost to older versions: `delete from raw_contents where place = 'file'`, then
-- `alter table raw_contents drop column start, drop column size`, then `delete from schema_versions where version = 13`. The files
-- lie under `raws/` in the data dir and may be removed by hand. Texts that were kept in the meantime are read as before.
alter table articles alter column text set storage external;
alter table article_revisions alter column text set storage external;

alter table raw_contents drop constraint raw_contents_place_check;
alter table raw_contents
  add constraint raw_contents_place_check check (place in ('row', 'object', 'file')),
  -- Where in its file a body begins, and its bytes as kept.
  add column start bigint not null default 0,
  add column size integer not null default 0;
