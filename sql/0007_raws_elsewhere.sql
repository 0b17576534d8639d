-- Bodies of raw pages may be objects of an S3 store instead of bytes of their rows.
-- Way back: pages whose body is an object are lost to older versions: `delete from raw_contents where place = 'object'`, then
-- `alter table raw_contents drop column place`, then `delete from schema_versions where version = 7`. Their objects lie under
-- `raws/` in the bucket and may be removed by hand.
alter table raw_contents add column place text not null default 'row' check (place in ('row', 'object'));
