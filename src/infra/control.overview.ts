import { Clock, Duration, Effect } from "effect"
import type { AiJobs, AiLedger } from "../domain/ai/ports.ts"
import type { BadData, Unavailable } from "../domain/errors.ts"
import { suspendedUntil } from "../domain/job.ts"
import type { Bus } from "../domain/ports.ts"
import { bucketMs } from "../domain/signals.ts"
import type { PollResult } from "../domain/source.ts"
import type { Overview } from "./api/overview.ts"
import { hasModel } from "./config.ai.ts"
import type { Settings } from "./config.ts"
import { providerOf } from "./control.jobs.ts"
import { stored } from "./control.sources.ts"
import { type Control, controlError } from "./control.ts"
import type { Database } from "./database.ts"
import * as statement from "./sql/overview.ts"
import { encode } from "./sql/rows.ts"

/** Hosts and sources that are named; the rest are counted. */
const NAMED_MAX = 3
/** Hosts whose answers take longer than this (ms) on the mean hold up their pages. */
const SLOW_MS = 3000
/** Outcomes of polls after which nobody needs to look. */
const WELL = ["found", "unchanged", "unasked"]

type Operations = Pick<Control["Service"], "overview">
/** What an overview looks at. */
export interface Looked {
  readonly version: string
  readonly settings: Settings["Service"]
  readonly database: Database["Service"]
  readonly bus: Bus["Service"]
  readonly jobs: AiJobs["Service"] | null
  readonly ledger: AiLedger["Service"] | null
}

const iso = (ms: number): string => new Date(ms).toISOString()
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

const backlogOf = Effect.fnUntraced(function* ({ bus, database }: Looked) {
  const backlog = yield* bus.backlog
  const topics = encode(backlog.map((it) => it.topic))
  const rows = yield* database.query<{ topic: string; due: number | null; suspended: number }>(statement.waiting, [
    topics,
    suspendedUntil
  ])
  const more = new Map(rows.map((it) => [it.topic, it]))
  return backlog.map((it) => {
    const suspended = more.get(it.topic)?.suspended ?? 0
    const due = more.get(it.topic)?.due ?? null
    const due_at = due === null || due >= suspendedUntil ? null : iso(due)
    return { ...it, later: Math.max(0, it.later - suspended), suspended, due_at }
  })
})

const hostsOf = Effect.fnUntraced(function* ({ database }: Looked, now: number, hourAgo: number) {
  const shut = yield* database.query<{ host: string; failing: boolean | null; until: number; hosts: number }>(
    statement.shut,
    [now, NAMED_MAX]
  )
  const slow = yield* database.query<{ host: string; ms: number; hosts: number }>(statement.slow, [
    hourAgo,
    SLOW_MS,
    NAMED_MAX
  ])
  return {
    shut: shut[0]?.hosts ?? 0,
    slow: slow[0]?.hosts ?? 0,
    shut_longest: shut.map(({ failing, host, until }) => ({ host, failing: failing === true, until: iso(until) })),
    slowest: slow.map(({ host, ms }) => ({ host, answer_ms: Math.round(ms) }))
  }
})

const sourcesOf = Effect.fnUntraced(function* ({ database }: Looked) {
  const [row] = yield* database.query<{
    enabled: number
    failed: number
    latest: ReadonlyArray<Pick<PollResult, "at" | "message" | "outcome"> & { id: string; url: string }>
  }>(statement.polls, [encode(WELL), NAMED_MAX])
  const latest = row?.latest ?? []
  return {
    enabled: row?.enabled ?? 0,
    failed: row?.failed ?? 0,
    latest_failures: latest.map((it) => ({ ...it, at: iso(it.at) }))
  }
})

const aiOf = Effect.fnUntraced(function* ({ jobs, ledger, settings }: Looked, now: number) {
  if (!hasModel(settings) || jobs === null || ledger === null) return null
  const byStatus = Map.groupBy(yield* jobs.counts, (it) => it.status)
  const counted = [...byStatus].map(([status, rows]) => ({ status, jobs: rows.reduce((sum, it) => sum + it.jobs, 0) }))
  return { jobs: counted, provider: yield* providerOf(ledger, settings.AI_BUDGET_DAILY_USD, now) }
})

const look = Effect.fnUntraced(function* (it: Looked): Effect.fn.Return<Overview, Unavailable | BadData> {
  const { database, version } = it
  const now = yield* Clock.currentTimeMillis
  const dayAgo = now - Duration.toMillis("1 day")
  const hourAgo = now - Duration.toMillis("1 hour")
  // Signals are summed by buckets: those that began within the hour.
  const bucketsFrom = Math.ceil(hourAgo / bucketMs) * bucketMs
  const [articles] = yield* database.query<{ day: number; hour: number; latest: number | null }>(statement.articles, [
    dayAgo,
    hourAgo
  ])
  const [fetches] = yield* database.query<{ hour: number; failed: number }>(statement.fetches, [bucketsFrom])
  const letters = yield* database.query<{ code: string; letters: number; day: number }>(statement.letters, [dayAgo])
  return {
    version,
    pid: process.pid,
    at: iso(now),
    articles: {
      last_hour: articles?.hour ?? 0,
      last_day: articles?.day ?? 0,
      latest_at: isoOrNull(articles?.latest ?? null)
    },
    fetches: { last_hour: fetches?.hour ?? 0, failed: fetches?.failed ?? 0 },
    backlog: yield* backlogOf(it),
    dead_letters: {
      total: letters.reduce((sum, row) => sum + row.letters, 0),
      last_day: letters.reduce((sum, row) => sum + row.day, 0),
      codes: letters.map(({ code, letters: count }) => ({ code, letters: count }))
    },
    hosts: yield* hostsOf(it, now, bucketsFrom),
    sources: yield* sourcesOf(it),
    ai: yield* aiOf(it, now)
  }
})

/** What goes on, from the store alone: the same whether a crawler holds it or not. */
export const overviewOperation = (looked: Looked): Operations => ({ overview: () => stored(look(looked)) })

export const noOverview: Operations = {
  overview: () => Effect.fail(controlError("unsupported", "this process keeps everything in memory: there is no store"))
}
