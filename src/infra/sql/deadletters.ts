import { insertMessages, messageColumns } from "./messages.ts"

const columns = "id, topic, key, stage, code, message, bytes, attempts, ms_of(at) as at"
const named = "id in (select json_array_elements_text($1::text::json))"

/** $1 topic; $2 code; $3 key; $4 after; $5 limit: null asks for all. */
export const list = `select ${columns} from dead_letters d
  where ($1::text is null or topic = $1) and ($2::text is null or code = $2) and ($3::text is null or key = $3)
    and ($4::text is null or exists (
      select from dead_letters l where l.id = $4 and (d.at < l.at or (d.at = l.at and d.id > l.id))))
  order by d.at desc, d.id limit $5`

/** $1 ids. */
export const some = `select ${columns} from dead_letters where ${named}`
export const drop = `delete from dead_letters where ${named} returning id`

/** $1 messages with the letter they come from: the letter goes as its message comes. */
export const replay = `with given as materialized (
  select * from json_to_recordset($1::text::json) as m(owner text, ${messageColumns})),
gone as (delete from dead_letters d using given g where d.id = g.owner returning d.id),
sent as (${insertMessages("given m join gone on gone.id = m.owner")})
select id from gone`
