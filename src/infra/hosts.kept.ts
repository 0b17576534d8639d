import { Effect } from "effect"
import type { Millis } from "../domain/crawl.ts"
import type { Unavailable } from "../domain/errors.ts"
import type { Database } from "./database.ts"
import { noBadData } from "./sql/batches.ts"
import { encodeText } from "./sql/rows.ts"

/** Promises made to a host that must outlive the cache, or the process whose memory has them. 0: none. */
export interface Kept {
  readonly host: string
  readonly paused_until: Millis
  readonly breaker_open_until: Millis
  /** The gap it asked for (ms). */
  readonly delay_ms: number
}

/** Hosts of one answer: more is a page further. */
const pageRows = 1000

const keepText = `insert into hosts as h (host, paused_until, breaker_open_until, delay_ms)
  values ($1, nullif(at_ms($2), at_ms(0)), nullif(at_ms($3), at_ms(0)), nullif($4::int, 0))
  on conflict (host) do update set updated_at = now(),
    paused_until = greatest(h.paused_until, excluded.paused_until),
    breaker_open_until = greatest(h.breaker_open_until, excluded.breaker_open_until),
    delay_ms = greatest(h.delay_ms, excluded.delay_ms)`

const standingText = `select host, coalesce(ms_of(paused_until), 0) as paused_until,
    coalesce(ms_of(breaker_open_until), 0) as breaker_open_until, coalesce(delay_ms, 0) as delay_ms
  from hosts where host > $1 and (paused_until > at_ms($2) or breaker_open_until > at_ms($2) or delay_ms > 0)
  order by host limit $3`

/** The row is new to the statement that writes it: what it counts are those before. */
const generationText = `insert into host_generations (id) values ($1) on conflict (id) do nothing
  returning (select count(*)::int from host_generations) as before`

/** Host promises in Postgres, and how often their cache has begun from nothing. */
export const hostsKept = (database: (typeof Database)["Service"]) => {
  const store = ({ host, paused_until, breaker_open_until, delay_ms }: Kept): Effect.Effect<void, Unavailable> =>
    noBadData(Effect.asVoid(database.query(keepText, [encodeText(host), paused_until, breaker_open_until, delay_ms])))
  /** Should that fail, whoever asks still holds them: no reason to keep a page waiting. */
  const keep = (it: Kept): Effect.Effect<void> =>
    Effect.catch(store(it), ({ message }) => Effect.logWarning(`${it.host}: its promises are not stored: ${message}`))

  /** Every promise that still stands. */
  const standing = Effect.fn("Hosts.standing")(function* (now: Millis) {
    const all: Array<Kept> = []
    for (let after = ""; ; ) {
      const rows = yield* noBadData(database.query<Kept>(standingText, [after, now, pageRows]))
      all.push(...rows)
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageRows) return all
      after = last.host
    }
  })

  /** Has no cache of this database ever held host state before? Then nobody can have been dialled. */
  const isFirst = (generation: string): Effect.Effect<boolean, Unavailable> =>
    Effect.map(
      noBadData(database.query<{ before: number }>(generationText, [generation])),
      (rows) => rows[0]?.before === 0
    )
  return { keep, standing, isFirst }
}
