import { Clock, Effect, Fiber, Metric, Option, Semaphore } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { Fatal, type FetchError, Postponed, Retryable } from "../domain/errors.ts"
import type { Errand } from "../domain/fault.ts"
import type { FetcherRules } from "../domain/fetcherrules.ts"
import type { Fetched, RawPage, Validators } from "../domain/fetching.ts"
import { wantsBrowser } from "../domain/lazyload.ts"
import { fetchBytes, fetchSeconds } from "../domain/metrics.ts"
import { Policy } from "../domain/policy.ts"
import {
  Bus,
  Fetcher,
  type Frontier,
  Hosts,
  Pages,
  type RawBody,
  Robots,
  type Signals,
  type Sources
} from "../domain/ports.ts"
import type { Runs } from "../domain/runs.ts"
import type { Upgrades } from "../domain/upgrade.ts"
import { normaliseUrl, parseHttpUrl, urlKey } from "../domain/url.ts"
import { alone, Run } from "./chain.ts"
import { gate } from "./gate.ts"
import { observeAnswer, observeFailure } from "./observe.ts"
import { type Dealt, keepPace } from "./pace.ts"
import { notePoll, type Polled, tellPoll, unasked } from "./polls.ts"
import { listAnswered } from "./runs.ts"
import { type Failure, inSlot, type Limits } from "./slot.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"
import { isVariant } from "./twins.ts"
import { chooseFetcher } from "./upgrade.ts"

/** Refusals that are an answer, not a failure of ours: recorded as an outcome with their reason, never a dead letter. */
const answers = new Set(["robots", "address_refused", "url_refused"])

/** What robots.txt says of a page, and the pace it asks for taken to heart; inside the host's slot. */
const heed = Effect.fnUntraced(function* ({ host, target }: CrawlJob) {
  const answer = yield* Robots.use((it) => it.check(target.url))
  const { allowed, crawl_delay_ms, reason, until } = answer
  if (crawl_delay_ms !== null) yield* Hosts.use((it) => it.setDelay(host, crawl_delay_ms))
  if (allowed || until === undefined) return answer
  // Nobody could say what is allowed (RFC 9309 2.3.1.4): the page is not refused, it waits for an answer.
  const after = Math.max(0, until - (yield* Clock.currentTimeMillis))
  return yield* new Retryable({ code: "robots", message: reason, after })
})

/** The page, if robots.txt allows it; inside the host's slot. */
const visit = Effect.fnUntraced(function* (job: CrawlJob, validators: Validators | null) {
  const fetcher = yield* Fetcher
  const answer = yield* heed(job)
  if (!answer.allowed) return yield* new Fatal({ code: "robots", message: answer.reason })
  const fetched = fetcher.fetch(job, validators)
  // A scheduled list page by plain HTTP has less time than other pages (S3.21); a browser needs its own.
  if (job.source_id === null || job.target.type !== "list" || job.fetcher === "browser") return yield* fetched
  const { timeout } = (yield* Policy).crawl
  const late = new Retryable({ code: "timeout", message: `${job.target.url}: not whole within CRAWL_TIMEOUT` })
  return yield* Effect.timeoutOrElse(fetched, { duration: timeout, orElse: () => Effect.fail(late) })
})

const errandOf = ({ host, target: { url } }: CrawlJob): Errand => ({ host, page: url })

/** The rules of a host that nobody has asked for are a request of their own, at the host's pace like any other. */
const learnRobots = Effect.fnUntraced(function* (limits: Limits, job: CrawlJob) {
  const robots = yield* Robots
  if (yield* steadfast(robots.known(job.target.url))) return
  yield* inSlot(limits, errandOf(job), heed(job))
})

/** Validators of a visit that was followed through, where a 304 would do: a poll, or an article's later visit. */
const knownValidators = Effect.fnUntraced(function* (job: CrawlJob) {
  const { conditional } = yield* Policy
  if (!conditional || job.visit === 0) return null
  const record = yield* steadfast((yield* Pages).url(urlKey(normaliseUrl(job.target.url))))
  return record === null ? null : record.validators
})

/** What a later fetch of this URL may build on. */
export const seenOf = ({ host, target: { url } }: CrawlJob, { fetched_at, status, validators }: RawPage) => ({
  url_key: urlKey(normaliseUrl(url)),
  url,
  host,
  validators,
  fetched_at,
  status
})

/**
 * A page is stored; an unchanged one (304) only noted. Its validators are kept by the router, after all that follows
 * from the page is: kept here, a crash in between would turn the next fetch into a 304 and lose the page for good.
 */
const store = Effect.fnUntraced(function* (work: Work<CrawlJob>, page: RawBody, known: Validators | null) {
  const job = work.value
  const pages = yield* Pages
  const { raw } = page
  yield* Metric.update(fetchSeconds(raw.fetcher), raw.elapsed_ms / 1000)
  yield* Metric.update(fetchBytes, raw.bytes)
  yield* observeAnswer(job, raw)
  if (raw.status !== 304) {
    const kept = { ...raw, expected: job.target.type }
    const { priority, source_id, target } = job
    yield* stored(pages.saveRaws([{ ...page, raw: { ...kept, asked: { source_id, target, priority } } }]))
    return Option.some<Fetched>({ job, raw: kept })
  }
  yield* stored(pages.saveValidators([seenOf(job, { ...raw, validators: known ?? raw.validators })]))
  yield* listAnswered(job, null, [])
  yield* notePoll(work, { outcome: "unchanged", message: "answered 304: not changed", links: 0, fresh: 0 })
  return Option.none<Fetched>()
})

/** A job that is not asked for, which is its outcome. */
const refused = Effect.fnUntraced(function* (job: CrawlJob, { code, message }: Fatal) {
  const at = yield* Clock.currentTimeMillis
  const record = { raw_id: job.id, url: job.target.url, host: job.host, verdict: "refused", at } as const
  yield* stored((yield* Pages).saveOutcomes([{ ...record, evidence: { reason: message }, codes: [code] }]))
  return Option.none<Fetched>()
})

/** A fetch that brought nothing: a signal of its host (S1.8), and an outcome where it is an answer. */
const failed = Effect.fnUntraced(function* (work: Work<CrawlJob>, error: Failure) {
  const job = work.value
  const at = yield* Clock.currentTimeMillis
  yield* observeFailure(job, error, at)
  if (error._tag === "Fatal" && answers.has(error.code)) {
    yield* tellPoll(work, error.code, error.message)
    return yield* refused(job, error)
  }
  // The host asked for time: the URL is not at fault, so no attempt is charged (field case B21).
  if (error._tag === "Retryable" && error.code === "http_429" && error.after !== undefined) {
    return yield* new Postponed({ code: "http_429", message: error.message, until: at + error.after })
  }
  return yield* error
})

/** What all fetches of this process share besides. */
interface Shared extends Limits {
  /** BROWSER_PAGES permits. */
  readonly browsers: Semaphore.Semaphore
  readonly dealt: Dealt
}

/** A page for a browser waits for its room in one before it takes a permit or a slot: at its host's door, where others of the host wait. */
const asking = Effect.fnUntraced(function* <A, R>(
  limits: Shared,
  job: CrawlJob,
  request: Effect.Effect<A, FetchError, R>
) {
  const renders = job.fetcher === "browser" && (yield* Fetcher).renders === true
  const inside = inSlot(limits, errandOf(job), request)
  return yield* renders ? limits.browsers.withPermit(inside) : inside
})

/**
 * The default chain's second half (S4.2): a page that looks like a shell is fetched by a browser, as a request of its own
 * at the host's pace. Where that cannot be, or fails, the plain page is what there is.
 */
const rendered = Effect.fnUntraced(function* (limits: Shared, asked: CrawlJob, page: RawBody) {
  const { renders } = yield* Fetcher
  const marker = asked.fetcher === "auto" && renders === true ? wantsBrowser(page) : null
  if (marker === null || asked.target.type === "feed" || asked.target.type === "sitemap") return page
  yield* Effect.logDebug(`${asked.target.url}: ${marker}, fetched by a browser`)
  const again: CrawlJob = { ...asked, fetcher: "browser" }
  return yield* asking(limits, again, visit(again, null)).pipe(
    Effect.catch((error) => Effect.as(Effect.logDebug(`${asked.target.url}: ${error.message}`), page))
  )
})

/** Slots, pace and fairness go by the key: it must be the host of the very URL that is fetched. */
const hostFault = ({ envelope: { key }, value: { host, target } }: Work<CrawlJob>): string | null => {
  const url = parseHttpUrl(target.url, { anyPort: true })
  const real = url._tag === "Success" ? url.success.hostname : null
  return key === host && (real === null || real === host) ? null : `key ${key}, host ${host}, URL ${target.url}`
}

const take = Effect.fnUntraced(function* (shared: Shared, polled: Polled, work: Work<CrawlJob>) {
  const job = work.value
  const limits = { ...shared, leaving: (yield* Run).stop }
  const mismatch = hostFault(work)
  if (mismatch !== null) return yield* new Fatal({ code: "key_mismatch", message: mismatch })
  const unwanted = yield* unasked(polled, job)
  if (unwanted !== null) {
    yield* listAnswered(job, null, [])
    return yield* refused(job, unwanted)
  }
  if (yield* isVariant(job)) return Option.none<Fetched>()
  const asked: CrawlJob = { ...job, fetcher: yield* chooseFetcher(work) }
  const validators = yield* knownValidators(job)
  // Work begins with the page's own request, not with waiting for its host; neither the host's slot nor its door waits for the store.
  const begin = steadfast(Bus.use((bus) => bus.begin([work.receipt])))
  const request = Effect.forkChild(begin, { startImmediately: true }).pipe(
    Effect.flatMap((begun) => Effect.map(visit(asked, validators), (page) => ({ page, begun })))
  )
  const once = learnRobots(limits, job).pipe(
    Effect.andThen(keepPace(limits.dealt, work)),
    Effect.andThen(asking(limits, asked, request)),
    Effect.flatMap(({ begun, page }) => Effect.map(rendered(limits, asked, page), (it) => ({ begun, page: it })))
  )
  // One order for all: who waits to be alone holds no door, permit or slot that others need.
  yield* alone(work)
  const fetched = Effect.flatMap(limits.door(job.host)(once), ({ begun, page }) => Effect.as(Fiber.join(begun), page))
  const page = yield* Effect.result(fetched)
  return yield* page._tag === "Success"
    ? store(work, page.success, validators)
    : failed({ ...work, value: asked }, page.failure)
})

/**
 * Fetches crawl jobs: robots, host slot, breaker, then the page. Gives the stored page's claim check.
 * Work waiting for its host holds no permit of FETCH_CONCURRENCY.
 */
export const fetch = (
  policy: Policy["Service"]
): Stage<
  CrawlJob,
  Fetched,
  Bus | Fetcher | FetcherRules | Frontier | Hosts | Pages | Policy | Robots | Run | Runs | Signals | Sources | Upgrades
> => {
  const limits: Shared = {
    permits: Semaphore.makeUnsafe(policy.fetchConcurrency),
    browsers: Semaphore.makeUnsafe(policy.browserPages),
    dealt: new Map(),
    door: gate(policy.fetchPerHost)
  }
  const held = policy.fetchConcurrency * 4
  const polled: Polled = new Map()
  return stage("fetcher", held, (work) => take(limits, polled, work))
}
