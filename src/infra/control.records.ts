import { Cause, Clock, Effect } from "effect"
import type { Scores } from "../domain/priority.ports.ts"
import type { DeadLetter } from "../domain/topics.ts"
import { Settings } from "./config.ts"
import { stored } from "./control.sources.ts"
import { type Control, controlError } from "./control.ts"
import type { Database } from "./database.ts"
import { absent, type DeadLetters, letterAddress } from "./deadletters.ts"
import { hostPriority, rate } from "./dossier.ts"
import { sessionFault } from "./sql/statement.ts"

type Operations = Pick<
  Control["Service"],
  | "dlq.list"
  | "dlq.show"
  | "dlq.replay"
  | "dlq.drop"
  | "hosts.list"
  | "hosts.show"
  | "hosts.priority"
  | "hosts.rate"
  | "sql"
>
type Store = Database["Service"]

/** Rows when no limit is given. */
const LIMIT = 50

/** A letter with the address of the page it is about. */
const addressed = (letter: DeadLetter) => ({ ...letter, url: letterAddress(letter.bytes) })
const withoutBytes = ({ bytes: _, ...row }: ReturnType<typeof addressed>) => row

/** Dead letters over their own service. */
export const letterOperations = (
  letters: DeadLetters["Service"]
): Pick<Operations, `dlq.${string}` & keyof Operations> => ({
  "dlq.list": ({ topic, limit }) =>
    stored(letters.list({ limit: limit ?? LIMIT, ...(topic === undefined ? {} : { topic }) })).pipe(
      Effect.map((found) => ({ letters: found.map(addressed).map(withoutBytes) }))
    ),
  "dlq.show": ({ id }) =>
    stored(letters.show(id)).pipe(
      Effect.flatMap((letter) =>
        letter === null
          ? Effect.fail(controlError("not_found", `there is no dead letter ${id}`, "id"))
          : Effect.succeed(addressed(letter))
      )
    ),
  "dlq.replay": ({ ids }) =>
    stored(letters.replay(ids)).pipe(Effect.map(({ replayed, refused }) => ({ changed: replayed.length, refused }))),
  "dlq.drop": ({ ids }) =>
    stored(letters.drop(ids)).pipe(
      Effect.map((dropped) => ({ changed: dropped.length, refused: absent(ids, dropped) }))
    )
})

const hostRow = `
  select h.host, h.urls::int, coalesce(a.articles, 0)::int as articles,
    to_char(h.last_fetch_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as last_fetch_at,
    s.delay_ms::float8,
    case when s.paused_until > at_ms($3)
      then to_char(s.paused_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end as paused_until,
    case when s.breaker_open_until > at_ms($3)
      then to_char(s.breaker_open_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end as breaker_open_until
  from (select host, count(*) as urls, max(fetched_at) as last_fetch_at from urls
        where $1::text is null or host = $1 group by host) h
  left join (select host, count(*) as articles from articles
             where $1::text is null or host = $1 group by host) a using (host)
  left join hosts s using (host)
  order by articles desc, h.urls desc, h.host
  limit $2::int`

/** One host, or those with most articles; a pause that is over is none. */
const hostFacts = (database: Store, host: string | null, limit: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => stored(database.query<HostFacts>(hostRow, [host, limit, now])))

interface HostFacts {
  readonly host: string
  readonly urls: number
  readonly articles: number
  readonly last_fetch_at: string | null
  readonly delay_ms: number | null
  readonly paused_until: string | null
  readonly breaker_open_until: string | null
}

/** A value as JSON shows it. */
const shown = (value: unknown): unknown =>
  typeof value === "bigint"
    ? value.toString()
    : value instanceof Uint8Array
      ? Buffer.from(value).toString("hex")
      : value instanceof Date
        ? Number.isNaN(value.getTime())
          ? "infinity"
          : value.toISOString()
        : (value ?? null)

const sql = Effect.fnUntraced(function* (database: Store, text: string) {
  const fault = sessionFault(text)
  if (fault !== null) return yield* controlError("invalid", `text: ${fault}`, "text")
  const rows = yield* stored(database.query(text)).pipe(
    // What the driver calls a bug of ours is here the operator's text.
    Effect.catchDefect((defect) =>
      Effect.fail(
        controlError(
          "invalid",
          `text: ${defect instanceof Error ? defect.message : Cause.pretty(Cause.die(defect))}`,
          "text"
        )
      )
    )
  )
  return {
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, it]) => [key, shown(it)]))),
    count: rows.length
  }
})

/** What only a database knows. */
export const recordOperations = (
  database: Store,
  settings: Settings["Service"],
  scores: Scores["Service"] | null
): Pick<Operations, (`hosts.${string}` & keyof Operations) | "sql"> => ({
  "hosts.priority": ({ host }) => Effect.provideService(hostPriority(database, host), Settings, settings),
  "hosts.rate": ({ host, rating }) => Effect.provideService(rate(database, scores, host, rating), Settings, settings),
  "hosts.list": ({ limit }) => hostFacts(database, null, limit ?? LIMIT).pipe(Effect.map((hosts) => ({ hosts }))),
  "hosts.show": ({ host }) =>
    hostFacts(database, host, 1).pipe(
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
  "hosts.priority": withoutDatabase,
  "hosts.rate": withoutDatabase,
  sql: withoutDatabase
}
