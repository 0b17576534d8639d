import { Effect } from "effect"
import type { CrawlJob, Millis } from "../domain/crawl.ts"
import type { Retryable } from "../domain/errors.ts"
import type { RawPage } from "../domain/fetching.ts"
import { type Released, type Signal, Signals } from "../domain/ports.ts"
import { isProbe } from "../domain/traits.ts"
import type { Failure } from "./slot.ts"
import { stored } from "./stage.ts"

/** A sample is an article fetch: polls of lists and feeds have a topic of their own. */
const isSample = (job: CrawlJob): boolean =>
  !isProbe(job) && (job.target.type === "article" || job.target.type === "auto")

const statusOf = (error: Failure): number =>
  error._tag !== "Retryable" ? 0 : error.code === "http_429" ? 429 : error.code === "http_5xx" ? 503 : 0

const base = { fetcher: "http", status: 0, latency_ms: 0, lag_ms: null } as const

/** Whose fault a failure is: not the host's where a redirect led to another, or where our own browser broke. */
const isHosts = ({ host }: CrawlJob, error: Retryable): boolean =>
  error.code !== "browser" && (error.host === undefined || error.host === host)

/**
 * A fetch that brought no page (S1.8), by the fetcher the job asked for. Refusals are our own doing and say nothing of the
 * host.
 */
export const observeFailure = (job: CrawlJob, error: Failure, at: Millis) => {
  if (error._tag !== "Retryable" || !isSample(job) || !isHosts(job, error)) return Effect.void
  const category = job.target.category ?? null
  const fetcher = job.fetcher === "browser" ? "browser" : "http"
  const signal: Signal = { ...base, host: job.host, at, kind: "fetch", fetcher, status: statusOf(error), category }
  return Effect.flatMap(Signals, (it) => stored(it.record([signal])))
}

/** Answers that end before the scorer: a page that is not there, and one that has not changed. */
export const observeAnswer = (job: CrawlJob, raw: RawPage) => {
  if ((raw.status < 400 && raw.status !== 304) || !isSample(job)) return Effect.void
  const { elapsed_ms: latency_ms, fetched_at: at, fetcher, status } = raw
  const category = job.target.category ?? null
  const signal: Signal = { host: job.host, at, kind: "fetch", fetcher, status, latency_ms, lag_ms: null, category }
  return Effect.flatMap(Signals, (it) => stored(it.record([signal])))
}

/**
 * A breaker that opened (S1.8) is told, since nothing of its host is fetched for a while. A lost signal loses no page, so
 * it is not waited for.
 */
export const observeRelease = (host: string, at: Millis, done: Released) =>
  done.tripped
    ? Effect.logWarning(
        `${host} failed too often in a row: nothing of it is fetched for now (crawler hosts show ${host})`
      ).pipe(
        Effect.andThen(
          Effect.flatMap(Signals, (it) => it.record([{ ...base, host, at, kind: "trip", category: null }]))
        )
      )
    : Effect.void
