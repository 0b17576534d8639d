-- What the last poll of a source came to: when it was asked, its outcome, and how many links it brought.
-- Way back: alter table sources drop column last, then `delete from schema_versions where version = 14`.

alter table sources add column last jsonb;
