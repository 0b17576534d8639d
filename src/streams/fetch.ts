import { Clock, Duration, Effect, Option, Semaphore } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { Fatal, Postponed, type Retryable } from "../domain/errors.ts"
import type { Fetched, Validators } from "../domain/fetching.ts"
import { Policy } from "../domain/policy.ts"
import { Fetcher, Hosts, Pages, type RawBody, Robots, Signals } from "../domain/ports.ts"
import { normaliseUrl, urlKey } from "../domain/url.ts"
import { gate } from "./gate.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"

/** Refusals that are an answer, not a failure of ours: recorded as an outcome with their reason, never a dead letter. */
const answers = new Set(["robots", "address_refused", "url_refused"])

/** Waits for the host's slot; a longer wait than FETCH_WAIT_MAX goes back to `messages`, so nothing sleeps in a consumer. */
const takeSlot = Effect.fnUntraced(function* (host: string) {
  const hosts = yield* Hosts
  const { fetchWaitMax } = yield* Policy
  const started = yield* Clock.currentTimeMillis
  while (true) {
    const slot = yield* steadfast(hosts.acquire(host))
    if (slot.tag === "granted") return slot.token
    const now = yield* Clock.currentTimeMillis
    if (slot.until - started > Duration.toMillis(fetchWaitMax)) {
      const code = slot.reason === "breaker" ? "breaker" : "busy_host"
      return yield* new Postponed({ code, message: `${host}: ${slot.reason}`, until: slot.until })
    }
    yield* Effect.sleep(Duration.millis(Math.max(1, slot.until - now)))
  }
})

/** robots.txt, then the page: both inside the host's slot. */
const visit = Effect.fnUntraced(function* (job: CrawlJob, validators: Validators | null) {
  const robots = yield* Robots
  const fetcher = yield* Fetcher
  const answer = yield* steadfast(robots.check(job.target.url))
  if (answer.crawl_delay_ms !== null) yield* steadfast((yield* Hosts).setDelay(job.host, answer.crawl_delay_ms))
  if (!answer.allowed) return yield* new Fatal({ code: "robots", message: answer.reason })
  return yield* steadfast(fetcher.fetch(job, validators))
})

type Ending = { readonly failed: boolean; readonly pause_until: number | null }

const unharmed: Ending = { failed: false, pause_until: null }

/** What a fetch's end means for its host: Retry-After pauses it, network failures and 5xx count for its breaker. */
const ending = (error: Retryable | Fatal | Postponed, now: number): Ending => ({
  failed: error._tag === "Retryable" && error.code !== "http_429" && error.code !== "partial",
  pause_until: error._tag === "Retryable" && error.after !== undefined ? now + error.after : null
})

/** What every fetch of this process shares: FETCH_CONCURRENCY permits, and each host's door. */
interface Limits {
  readonly permits: Semaphore.Semaphore
  readonly door: ReturnType<typeof gate>
}

/** Waiting for the slot can be interrupted (a drain must not wait for a slow host); giving it back cannot. */
const inSlot = Effect.fnUntraced(function* ({ permits }: Limits, job: CrawlJob, validators: Validators | null) {
  const hosts = yield* Hosts
  const giveBack = (token: string, failure: Retryable | Fatal | Postponed | null) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.ignore(hosts.release(job.host, token, failure === null ? unharmed : ending(failure, now)))
    )
  const page = yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(takeSlot(job.host)), (token) =>
      restore(Effect.result(permits.withPermit(visit(job, validators)))).pipe(
        Effect.onExit((exit) =>
          giveBack(token, exit._tag === "Success" && exit.value._tag === "Failure" ? exit.value.failure : null)
        )
      )
    )
  )
  return yield* Effect.fromResult(page)
})

/** Validators of the last fetch of this URL, where a 304 would do: never on a first visit. */
const knownValidators = Effect.fnUntraced(function* (job: CrawlJob) {
  const { conditional } = yield* Policy
  if (!conditional || (job.visit === 0 && job.source_id === null)) return null
  const record = yield* steadfast((yield* Pages).url(urlKey(normaliseUrl(job.target.url))))
  return record === null ? null : record.validators
})

const store = Effect.fnUntraced(function* (job: CrawlJob, page: RawBody) {
  const pages = yield* Pages
  const { raw } = page
  const seen = { validators: raw.validators, fetched_at: raw.fetched_at, status: raw.status }
  yield* stored(pages.saveValidators([{ url_key: urlKey(normaliseUrl(job.target.url)), ...seen }]))
  if (raw.status === 304) return Option.none<Fetched>()
  yield* stored(pages.saveRaws([page]))
  return Option.some<Fetched>({ job, raw })
})

/** A fetch that brought nothing: a signal of its host (S1.8), and an outcome where it is an answer. */
const failed = Effect.fnUntraced(function* (job: CrawlJob, error: Retryable | Fatal | Postponed) {
  const at = yield* Clock.currentTimeMillis
  if (error._tag === "Retryable") {
    const status = error.code === "http_429" ? 429 : error.code === "http_5xx" ? 503 : 0
    const facts = { fetcher: "http", latency_ms: 0, lag_ms: null, category: job.target.category ?? null } as const
    yield* stored((yield* Signals).record([{ host: job.host, at, kind: "fetch", status, ...facts }]))
  }
  if (error._tag === "Fatal" && answers.has(error.code)) {
    const evidence = { reason: error.message }
    const record = { raw_id: job.id, url: job.target.url, host: job.host, verdict: "refused", at } as const
    yield* stored((yield* Pages).saveOutcomes([{ ...record, evidence, codes: [error.code] }]))
    return Option.none<Fetched>()
  }
  // The host asked for time: the URL is not at fault, so no attempt is charged (field case B21).
  if (error._tag === "Retryable" && error.code === "http_429" && error.after !== undefined) {
    return yield* new Postponed({ code: "http_429", message: error.message, until: at + error.after })
  }
  return yield* error
})

const attempt = Effect.fnUntraced(function* (limits: Limits, work: Work<CrawlJob>) {
  const job = work.value
  if (work.envelope.key !== job.host) {
    return yield* new Fatal({ code: "key_mismatch", message: `key ${work.envelope.key} is not host ${job.host}` })
  }
  const validators = yield* knownValidators(job)
  const page = yield* Effect.result(limits.door(job.host)(inSlot(limits, job, validators)))
  return yield* page._tag === "Success" ? store(job, page.success) : failed(job, page.failure)
})

/**
 * Fetches crawl jobs: robots, host slot, breaker, then the page. Gives the stored page's claim check.
 * Work waiting for its host holds no permit of FETCH_CONCURRENCY.
 */
export const fetch = (
  policy: Policy["Service"]
): Stage<CrawlJob, Fetched, Fetcher | Hosts | Pages | Policy | Robots | Signals> => {
  const limits = { permits: Semaphore.makeUnsafe(policy.fetchConcurrency), door: gate(policy.fetchPerHost) }
  const held = policy.fetchConcurrency * 4
  return stage(held, (work) => attempt(limits, work))
}
