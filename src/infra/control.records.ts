import { Cause, Clock, Effect } from "effect"
import type { Topic } from "../domain/topics.ts"
import { stored } from "./control.sources.ts"
import { type Control, controlError } from "./control.ts"
import type { Database } from "./database.ts"
import { insertMessages, type MessageRow, messageColumns } from "./sql/messages.ts"
import { encode } from "./sql/rows.ts"

type Operations = Pick<
  Control["Service"],
  "dlq.list" | "dlq.show" | "dlq.replay" | "dlq.drop" | "hosts.list" | "hosts.show" | "sql"
>
type Store = Database["Service"]

/** Rows when no limit is given. */
const LIMIT = 50

interface Letter {
  readonly id: string
  readonly topic: Topic
  readonly key: string
  readonly stage: string
  readonly code: string
  readonly message: string
  readonly attempts: number
  readonly at: number
}
const letterColumns = "id, topic, key, stage, code, message, attempts, ms_of(at) as at"

const missing = (ids: ReadonlyArray<string>, found: ReadonlyArray<{ readonly id: string }>) => {
  const known = new Set(found.map((it) => it.id))
  return { changed: found.length, missing: ids.filter((it) => !known.has(it)) }
}

/** The input of a dead letter: its payload, or a whole message where even that could not be read. */
const payloadOf = (bytes: string): unknown => {
  try {
    const value: unknown = JSON.parse(bytes)
    const isMessage = typeof value === "object" && value !== null && "payload" in value && "occurred_at" in value
    return isMessage ? value.payload : value
  } catch {
    return undefined
  }
}

/** Only letters whose input is JSON can be worked on again; what is not stays where it is. */
const replay = Effect.fnUntraced(function* (database: Store, ids: ReadonlyArray<string>) {
  const wanted = encode([...new Set(ids)])
  const now = yield* Clock.currentTimeMillis
  const letters = yield* stored(
    database.query<Letter & { readonly bytes: string }>(
      `select ${letterColumns}, bytes from dead_letters where id in (select jsonb_array_elements_text($1::text::jsonb))`,
      [wanted]
    )
  )
  const messages = letters.flatMap(({ id, topic, key, bytes }) => {
    const payload = payloadOf(bytes)
    if (payload === undefined) return []
    const origin = id.split("~")[0] ?? id
    const message: Omit<MessageRow, "lease" | "deliveries"> & { readonly not_before: number; readonly letter: string } =
      {
        id: `${origin}~replay.${now.toString(36)}`,
        topic,
        key,
        occurred_at: now,
        attempt: 0,
        trace_id: origin,
        headers: { schema: "1", replayed: id },
        payload,
        not_before: now,
        letter: id
      }
    return [message]
  })
  // One statement: a letter is deleted exactly when its message is there, and of two operators one finds it gone.
  const done = yield* stored(
    database.query<{ readonly id: string }>(
      `with given as (select * from jsonb_to_recordset($1::text::jsonb) as g(${messageColumns}, letter text)),
       gone as (delete from dead_letters d using given g where d.id = g.letter returning d.id),
       sent as (${insertMessages("given m where m.letter in (select id from gone)")})
       select id from gone`,
      [encode(messages)]
    )
  )
  return missing(ids, done)
})

const hostRow = `
  select h.host, h.urls::int, coalesce(a.articles, 0)::int as articles,
    to_char(h.last_fetch_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as last_fetch_at,
    s.delay_ms::float8,
    to_char(s.paused_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as paused_until,
    to_char(s.breaker_open_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as breaker_open_until
  from (select host, count(*) as urls, max(fetched_at) as last_fetch_at from urls
        where $1::text is null or host = $1 group by host) h
  left join (select host, count(*) as articles from articles
             where $1::text is null or host = $1 group by host) a using (host)
  left join hosts s using (host)
  order by articles desc, h.urls desc, h.host
  limit $2::int`

interface HostFacts {
  readonly host: string
  readonly urls: number
  readonly articles: number
  readonly last_fetch_at: string | null
  readonly delay_ms: number | null
  readonly paused_until: string | null
  readonly breaker_open_until: string | null
}

/** Statements that would change the one session that all of us share. */
const SESSION =
  /^\s*(?:begin|start|commit|end|rollback|abort|savepoint|release|prepare|set|reset|discard|listen|copy)\b/i

/** A value as JSON shows it. */
const shown = (value: unknown): unknown =>
  typeof value === "bigint"
    ? value.toString()
    : value instanceof Uint8Array
      ? Buffer.from(value).toString("hex")
      : value instanceof Date
        ? value.toISOString()
        : (value ?? null)

const sql = (database: Store, text: string) =>
  SESSION.test(text)
    ? Effect.fail(
        controlError("invalid", "text: one statement without a transaction or session setting is expected", "text")
      )
    : stored(database.query(text)).pipe(
        Effect.catchDefect((defect) =>
          Effect.fail(
            controlError(
              "invalid",
              `text: ${defect instanceof Error ? defect.message : Cause.pretty(Cause.die(defect))}`,
              "text"
            )
          )
        ),
        Effect.map((rows) => ({
          rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, it]) => [key, shown(it)]))),
          count: rows.length
        }))
      )

/** What only a database knows. Each change is one statement. */
export const recordOperations = (database: Store): Operations => ({
  "dlq.list": ({ topic, limit }) =>
    stored(
      database.query<Letter>(
        `select ${letterColumns} from dead_letters where $1::text is null or topic = $1
         order by dead_letters.at desc, id limit $2::int`,
        [topic ?? null, limit ?? LIMIT]
      )
    ).pipe(Effect.map((letters) => ({ letters }))),
  "dlq.show": ({ id }) =>
    stored(
      database.query<Letter & { readonly bytes: string }>(
        `select ${letterColumns}, bytes from dead_letters where id = $1`,
        [id]
      )
    ).pipe(
      Effect.flatMap(([letter]) =>
        letter === undefined
          ? Effect.fail(controlError("not_found", `there is no dead letter ${id}`, "id"))
          : Effect.succeed(letter)
      )
    ),
  "dlq.replay": ({ ids }) => replay(database, ids),
  "dlq.drop": ({ ids }) =>
    stored(
      database.query<{ readonly id: string }>(
        "delete from dead_letters where id in (select jsonb_array_elements_text($1::text::jsonb)) returning id",
        [encode(ids)]
      )
    ).pipe(Effect.map((gone) => missing(ids, gone))),
  "hosts.list": ({ limit }) =>
    stored(database.query<HostFacts>(hostRow, [null, limit ?? LIMIT])).pipe(Effect.map((hosts) => ({ hosts }))),
  "hosts.show": ({ host }) =>
    stored(database.query<HostFacts>(hostRow, [host, 1])).pipe(
      Effect.flatMap(([row]) =>
        row === undefined
          ? Effect.fail(controlError("not_found", `no URL of host ${host} is known`, "host"))
          : Effect.succeed(row)
      )
    ),
  sql: ({ text }) => sql(database, text)
})

const withoutDatabase = () =>
  Effect.fail(controlError("unsupported", "this process keeps everything in memory: there is no database to ask"))
export const noRecords: Operations = {
  "dlq.list": withoutDatabase,
  "dlq.show": withoutDatabase,
  "dlq.replay": withoutDatabase,
  "dlq.drop": withoutDatabase,
  "hosts.list": withoutDatabase,
  "hosts.show": withoutDatabase,
  sql: withoutDatabase
}
