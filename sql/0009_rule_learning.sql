-- Parsing rules that a model proposed: who wrote a rule, jobs that ask for one, and the stored pages of a host.
-- Way back: delete the jobs of type PARSING_RULE and disable the rules with origin 'learned', drop index raw_contents_host, drop column
-- parsing_rules.origin, give ai_jobs_type_check the five types of step 5 again, then `delete from schema_versions where version = 9`.

alter table parsing_rules add column origin text not null default 'operator' check (origin in ('operator', 'learned'));

alter table ai_jobs drop constraint ai_jobs_type_check;
alter table ai_jobs add constraint ai_jobs_type_check
  check (type in ('SUMMARY', 'TERM_CARDS', 'INSIGHT', 'QUIZ_CONTENT', 'QUIZ_TERM', 'PARSING_RULE'));

-- A rule is made from and tried on a host's latest pages.
create index raw_contents_host on raw_contents (host, fetched_at desc);
