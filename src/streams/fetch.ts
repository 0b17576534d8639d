import { Clock, Duration, Effect, Option, type Result, Semaphore } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { Fatal, Postponed, Retryable } from "../domain/errors.ts"
import type { Fetched, Validators } from "../domain/fetching.ts"
import { Policy } from "../domain/policy.ts"
import { Fetcher, Hosts, Pages, type RawBody, Robots, Signals, type Slot } from "../domain/ports.ts"
import { normaliseUrl, urlKey } from "../domain/url.ts"
import { gate } from "./gate.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"

/** Refusals that are an answer, not a failure of ours: recorded as an outcome with their reason, never a dead letter. */
const answers = new Set(["robots", "address_refused", "url_refused"])

/** robots.txt, then the page: both inside the host's slot. */
const visit = Effect.fnUntraced(function* (job: CrawlJob, validators: Validators | null) {
  const robots = yield* Robots
  const fetcher = yield* Fetcher
  const answer = yield* steadfast(robots.check(job.target.url))
  if (answer.crawl_delay_ms !== null) yield* steadfast((yield* Hosts).setDelay(job.host, answer.crawl_delay_ms))
  if (!answer.allowed && answer.until !== undefined) {
    // Nobody could say what is allowed (RFC 9309 2.3.1.4): the page is not refused, it waits for an answer.
    const after = Math.max(0, answer.until - (yield* Clock.currentTimeMillis))
    return yield* new Retryable({ code: "robots", message: answer.reason, after })
  }
  if (!answer.allowed) return yield* new Fatal({ code: "robots", message: answer.reason })
  return yield* steadfast(fetcher.fetch(job, validators))
})

type Failure = Retryable | Fatal | Postponed
type Ending = { readonly failed: boolean; readonly pause_until: number | null }

/** What a fetch's end means for its host: Retry-After pauses it, network failures and 5xx count for its breaker. */
const ending = (host: string, failure: Failure | null, now: number): Ending => {
  if (failure?._tag !== "Retryable") return { failed: false, pause_until: null }
  // A redirect may lead to another host: then that one is at fault.
  const ours = failure.host === undefined || failure.host === host
  const counts = failure.code !== "http_429" && failure.code !== "partial"
  return { failed: ours && counts, pause_until: ours && failure.after !== undefined ? now + failure.after : null }
}

/** What every fetch of this process shares: FETCH_CONCURRENCY permits, and each host's door. */
interface Limits {
  readonly permits: Semaphore.Semaphore
  readonly door: ReturnType<typeof gate>
}

type Waiting = Extract<Slot, { readonly tag: "wait" }>

/**
 * One try: a permit, then the host's slot, then the page; or how long the host must wait. The permit comes first, so that
 * a granted slot means a request that starts now: gaps are kept at the wire. Giving the slot back cannot be interrupted.
 */
const attempt = Effect.fnUntraced(function* (permits: Semaphore.Semaphore, job: CrawlJob, known: Validators | null) {
  const hosts = yield* Hosts
  const giveBack = (token: string, failure: Failure | null) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.ignore(hosts.release(job.host, token, ending(job.host, failure, now)))
    )
  const once = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const slot = yield* restore(steadfast(hosts.acquire(job.host)))
      if (slot.tag === "wait") return slot
      return yield* restore(Effect.result(visit(job, known))).pipe(
        Effect.onExit((exit) =>
          giveBack(slot.token, exit._tag === "Success" && exit.value._tag === "Failure" ? exit.value.failure : null)
        )
      )
    })
  )
  return yield* permits.withPermit(once)
})

const isWaiting = (it: Waiting | Result.Result<RawBody, Failure>): it is Waiting => "tag" in it

/**
 * Tries until the host grants its slot. A longer wait than FETCH_WAIT_MAX goes back to `messages`: nothing sleeps long in
 * a consumer, and what waits holds no permit.
 */
const inSlot = Effect.fnUntraced(function* ({ permits }: Limits, job: CrawlJob, known: Validators | null) {
  const { fetchWaitMax } = yield* Policy
  const started = yield* Clock.currentTimeMillis
  while (true) {
    const answer = yield* attempt(permits, job, known)
    if (!isWaiting(answer)) return yield* Effect.fromResult(answer)
    const now = yield* Clock.currentTimeMillis
    if (answer.until - started > Duration.toMillis(fetchWaitMax)) {
      const code = answer.reason === "breaker" ? "breaker" : "busy_host"
      return yield* new Postponed({ code, message: `${job.host}: ${answer.reason}`, until: answer.until })
    }
    yield* Effect.sleep(Duration.millis(Math.max(1, answer.until - now)))
  }
})

/** Validators of a visit that was followed through, where a 304 would do: a poll, or an article's later visit. */
const knownValidators = Effect.fnUntraced(function* (job: CrawlJob) {
  const { conditional } = yield* Policy
  if (!conditional || job.visit === 0) return null
  const record = yield* steadfast((yield* Pages).url(urlKey(normaliseUrl(job.target.url))))
  return record === null ? null : record.validators
})

/**
 * A page is stored; an unchanged one (304) only noted. Its validators are kept by the router, after all that follows
 * from the page is: kept here, a crash in between would turn the next fetch into a 304 and lose the page for good.
 */
const store = Effect.fnUntraced(function* (job: CrawlJob, page: RawBody, known: Validators | null) {
  const pages = yield* Pages
  const { raw } = page
  if (raw.status !== 304) {
    yield* stored(pages.saveRaws([page]))
    return Option.some<Fetched>({ job, raw })
  }
  const seen = { validators: known ?? raw.validators, fetched_at: raw.fetched_at, status: raw.status }
  yield* stored(pages.saveValidators([{ url_key: urlKey(normaliseUrl(job.target.url)), ...seen }]))
  return Option.none<Fetched>()
})

/** A fetch that brought nothing: a signal of its host (S1.8), and an outcome where it is an answer. */
const failed = Effect.fnUntraced(function* (job: CrawlJob, error: Failure) {
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

const take = Effect.fnUntraced(function* (limits: Limits, work: Work<CrawlJob>) {
  const job = work.value
  if (work.envelope.key !== job.host) {
    return yield* new Fatal({ code: "key_mismatch", message: `key ${work.envelope.key} is not host ${job.host}` })
  }
  const validators = yield* knownValidators(job)
  const page = yield* Effect.result(limits.door(job.host)(inSlot(limits, job, validators)))
  return yield* page._tag === "Success" ? store(job, page.success, validators) : failed(job, page.failure)
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
  return stage(held, (work) => take(limits, work))
}
