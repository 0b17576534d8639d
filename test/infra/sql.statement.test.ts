import { expect, test } from "bun:test"
import { sessionFault } from "../../src/infra/sql/statement.ts"

const refused: ReadonlyArray<readonly [text: string, why: RegExp]> = [
  ["copy articles to 'rows.csv'", /^copy is not taken: rows are not copied .*`articles export`/],
  ["/* all */ COPY (select 1) TO STDOUT", /^copy is not taken: rows are not copied/],
  ["begin", /^begin is not taken: a statement is a transaction of its own/],
  ["end;", /^end is not taken: a statement is a transaction/],
  ["prepare transaction 'x'", /^prepare is not taken: a statement is a transaction/],
  ["lock table articles", /^lock is not taken: a lock ends with its statement/],
  ["set work_mem = '1MB'", /^set is not taken: .* settings are not changed/],
  ["select set_config('a.b', 'c', false)", /^set_config is not taken: .* settings are not changed/],
  ["prepare p as select 1", /^prepare is not taken: .* nothing is kept/],
  ["execute p", /^execute is not taken: .* nothing is kept/],
  ["listen changes", /^listen is not taken: .* nothing is kept/],
  ["select 1; select 2", /^one statement is expected, not 2$/],
  ["-- nothing", /^one statement is expected, not 0$/]
]
test.each(refused)("%s is refused for its own reason", (text, why) => {
  expect(sessionFault(text)).toMatch(why)
})

const taken = [
  "select ';' as begin",
  "select $x$ begin; commit $x$;",
  "with copied as (delete from audit_log returning 1) select count(*) from copied",
  "explain select 1",
  "do $$ begin perform 1; end $$",
  "vacuum articles",
  "update sources set enabled = false"
]
test.each(taken)("%s is taken", (text) => {
  expect(sessionFault(text)).toBeNull()
})
