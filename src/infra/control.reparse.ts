import { Clock, Effect } from "effect"
import type { RawPage } from "../domain/fetching.ts"
import type { Bus, Pages } from "../domain/ports.ts"
import { chooser, reparseJob } from "../domain/reparse.ts"
import { type Outgoing, schemaVersion } from "../domain/topics.ts"
import { stored } from "./control.sources.ts"
import { type Control, controlError } from "./control.ts"
import type { Database } from "./database.ts"
import { encodeText } from "./sql/rows.ts"

type Operations = Pick<Control["Service"], "reparse">
type Input = Parameters<Operations["reparse"]>[0]

/** Stored pages of one statement: their metadata only. */
const PAGE = 500
/** Pages sent at most when no limit is given. */
const LIMIT = 100_000

/** $1 host or null; $2 since (ms) or null; then where the last statement ended: $3 host, $4 fetched at (µs), $5 id. Newest first per host. */
const raws = `select metadata, host, (extract(epoch from fetched_at) * 1000000)::bigint::text as at, id from raw_contents
  where ($1::text is null or host = $1) and ($2::float8 is null or fetched_at >= at_ms($2))
    and ($3::text is null or host > $3 or (host = $3 and (fetched_at < to_timestamp($4::float8 / 1000000)
      or ((extract(epoch from fetched_at) * 1000000)::bigint = $4::bigint and id < $5))))
  order by host, fetched_at desc, id desc limit ${PAGE}`
interface Row {
  readonly metadata: RawPage
  readonly host: string
  readonly at: string
  readonly id: string
}

const messageOf = (page: RawPage, run: string, now: number): Outgoing => {
  const job = reparseJob(page, run, now)
  const { asked: _, ...raw } = page
  return {
    id: job.id,
    topic: "fetched",
    key: raw.host,
    occurred_at: now,
    attempt: 0,
    trace_id: job.id,
    headers: { schema: String(schemaVersion) },
    payload: { job, raw },
    not_before: now
  }
}

/** The narrowest walk that can answer: of one page, its host's from its own fetch on. */
const rangeOf = Effect.fnUntraced(function* (input: Input, pages: Pages["Service"]) {
  const since = input.since === undefined ? undefined : Date.parse(input.since)
  const until = input.until === undefined ? undefined : Date.parse(input.until)
  const times = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
  if (input.raw === undefined) return { host: input.host ?? null, from: since ?? null, asked: times }
  const page = yield* stored(pages.raw(input.raw))
  if (page === null) return yield* controlError("not_found", `there is no stored page ${input.raw}`, "raw")
  return { host: page.raw.host, from: page.raw.fetched_at, asked: { ...times, raw: input.raw } }
})

/** Reads stored pages again: each becomes a message behind the fetcher, so that all that follows is as ever, and once. */
export const reparseOperation = (
  database: Database["Service"],
  bus: Bus["Service"],
  pages: Pages["Service"]
): Operations => ({
  reparse: Effect.fnUntraced(function* (input) {
    if (input.raw === undefined && input.host === undefined && input.since === undefined && input.until === undefined)
      return yield* controlError("invalid", "which pages? name one by raw, or a host, since or until", "host")
    const now = yield* Clock.currentTimeMillis
    const run = now.toString(36)
    const { asked, from, host } = yield* rangeOf(input, pages)
    const choose = chooser(asked)
    const limit = input.limit ?? LIMIT
    const left = { superseded: 0, truncated: 0 }
    let sent = 0
    let last: Row | undefined
    while (sent < limit) {
      const at = last === undefined ? [null, null, null] : [encodeText(last.host), last.at, encodeText(last.id)]
      const rows: ReadonlyArray<Row> = yield* stored(
        database.query<Row>(raws, [host === null ? null : encodeText(host), from, ...at])
      )
      const messages: Array<Outgoing> = []
      for (const { metadata } of rows) {
        const verdict = choose(metadata)
        if (verdict === "chosen" && sent + messages.length < limit) {
          messages.push(messageOf(metadata, run, now))
        } else if (verdict === "superseded" || verdict === "truncated") left[verdict] += 1
      }
      if (messages.length > 0) yield* stored(bus.publish(messages))
      sent += messages.length
      last = rows.at(-1)
      if (rows.length < PAGE) break
    }
    return { run, sent, ...left }
  })
})

export const noReparse: Operations = {
  reparse: () =>
    Effect.fail(controlError("unsupported", "this process keeps everything in memory: there are no stored pages"))
}
