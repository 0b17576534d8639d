import { Duration, Effect, Metric, Result } from "effect"
import type { CrawlJob, FetcherName } from "../domain/crawl.ts"
import { autoUpgradeReason, FetcherRules } from "../domain/fetcherrules.ts"
import type { Validated } from "../domain/flow.ts"
import { autoUpgrades, forceRejected, validationFailures } from "../domain/metrics.ts"
import { Policy } from "../domain/policy.ts"
import type { Reading } from "../domain/reading.ts"
import type { Envelope } from "../domain/topics.ts"
import {
  consequenceOf,
  failureOf,
  failureWindow,
  forcedFetcher,
  forceHeader,
  type PageFailure,
  Upgrades,
  Windows
} from "../domain/upgrade.ts"
import { steadfast, stored, type Work } from "./stage.ts"

/** A header that nobody had the right to send: counted and audited; the job runs by its rule. */
const refuseForce = Effect.fnUntraced(function* (
  job: CrawlJob,
  header: string,
  reason: Parameters<typeof forceRejected>[0]
) {
  yield* Metric.update(forceRejected(reason), 1)
  const facts = { reason, job: job.id, url: job.target.url, asked: header.slice(0, 100) }
  yield* steadfast(
    Upgrades.use((it) => it.audit({ actor: "crawler", action: "force_fetcher.rejected", subject: job.host, facts }))
  )
})

/**
 * Which fetcher a job gets: a republish's own (S4.15), else its host's rule (S4.6), else the default chain. What the job
 * itself says is not asked: anybody may have written it.
 */
export const chooseFetcher = Effect.fnUntraced(function* ({ envelope, value: job }: Work<CrawlJob>) {
  const header = envelope.headers[forceHeader]
  if (header !== undefined) {
    const row = yield* steadfast(Upgrades.use((it) => it.authority(job.id)))
    const forced = forcedFetcher(header, job, row)
    if (Result.isSuccess(forced)) return forced.success
    yield* refuseForce(job, header, forced.failure)
  }
  const rule = yield* steadfast(FetcherRules.use((it) => it.of(job.host)))
  const chosen: FetcherName = rule?.fetcher ?? "auto"
  return chosen
})

/** A forced job whose page has been judged is done with: its header is worth nothing from now on (bad input B202). */
export const closeRepublish = (envelope: Envelope, job: CrawlJob) =>
  envelope.headers[forceHeader] === undefined ? Effect.void : steadfast(Upgrades.use((it) => it.close(job.id)))

const announce = Effect.fnUntraced(function* (host: string, republished: number) {
  yield* Metric.update(autoUpgrades(host, autoUpgradeReason), 1)
  yield* Effect.logWarning(`${host} gets a browser: its articles came empty; ${republished} are fetched again`)
})

/** Failures that no rule may answer: an operator should look (S4.19). */
const alert = Effect.fnUntraced(function* (failure: PageFailure, count: number) {
  const { fetcher, job, reason } = failure
  yield* Effect.logWarning(`${job.host}: ${count} article pages came empty by ${fetcher}; no upgrade is possible`)
  const facts = { fetcher, reason, count, url: job.target.url, raw_id: failure.raw_id }
  yield* steadfast(
    Upgrades.use((it) => it.audit({ actor: "crawler", action: "fetcher_rule.alert", subject: job.host, facts }))
  )
})

/**
 * Counts a failed article page of its host, and draws the consequence: nothing yet, a browser for the host and its failed
 * pages fetched again, or an alert. The window is emptied with each consequence: the next one needs as many failures anew.
 */
const count = Effect.fnUntraced(function* (failure: PageFailure) {
  const { upgrade: policy } = yield* Policy
  const upgrades = yield* Upgrades
  const windows = yield* Windows
  const { at, fetcher, job } = failure
  const { host } = job
  const key = failureWindow(host)
  const span_ms = Duration.toMillis(policy.window)
  yield* Metric.update(validationFailures(host, fetcher), 1)
  if (fetcher === "http") yield* stored(upgrades.note(failure))
  const failures = yield* steadfast(windows.add(key, failure.raw_id, at, span_ms))
  const rule = yield* steadfast(FetcherRules.use((it) => it.of(host)))
  const consequence = consequenceOf({ fetcher, fetched_at: at, count: failures, rule }, policy)
  const cycle = {
    host,
    since: at - span_ms,
    max: policy.republishMax,
    spacing_ms: Duration.toMillis(policy.republishSpacing)
  }
  if (consequence === "straggler") return yield* Effect.asVoid(steadfast(upgrades.straggler(cycle, failure)))
  if (consequence === "none") return
  if (consequence === "alert") yield* alert(failure, failures)
  else {
    const { republished, upgraded } = yield* steadfast(upgrades.upgrade(cycle))
    if (upgraded) yield* announce(host, republished)
    // Another worker was first: this page may have come too late for its cycle.
    else yield* steadfast(upgrades.straggler(cycle, failure))
  }
  yield* steadfast(windows.clear(key))
})

/** What a parsed page teaches about its host's fetcher. */
export const learn = Effect.fnUntraced(function* ({ job, raw, verdict }: Validated, { content, kind }: Reading) {
  const { upgrade: policy } = yield* Policy
  const reason = failureOf({ job, raw, verdict, kind, content }, policy)
  if (reason === null) return
  yield* count({ raw_id: raw.id, job, fetcher: raw.fetcher, reason, at: raw.fetched_at })
})
