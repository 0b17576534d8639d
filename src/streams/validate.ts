import { Effect, Metric, Option } from "effect"
import type { CrawlJob, Millis } from "../domain/crawl.ts"
import { Fatal, Retryable } from "../domain/errors.ts"
import type { Fetched, RawPage } from "../domain/fetching.ts"
import type { Validated } from "../domain/flow.ts"
import { documents } from "../domain/metrics.ts"
import { Policy } from "../domain/policy.ts"
import { type Frontier, Pages, Reader, type Sources } from "../domain/ports.ts"
import type { Hints, Reading } from "../domain/reading.ts"
import { isReparse } from "../domain/reparse.ts"
import type { Upgrades } from "../domain/upgrade.ts"
import { missing } from "./missing.ts"
import { tellPoll } from "./polls.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"
import { closeRepublish } from "./upgrade.ts"

/** Verdicts of documents that may still become an article or links; the others end here with their evidence. */
const goesOn = new Set(["ok", "paywall", "charset_uncertain", "empty"])

/** What is known of a fetched page besides its bytes. */
export const hintsOf = ({ job, raw }: Fetched, html: boolean): Hints => {
  const { zone, country, title, published_at } = job.target
  return {
    url: raw.final_url,
    expected: job.target.type,
    status: raw.status,
    content_type: raw.content_type,
    truncated: raw.truncated,
    fetched_at: raw.fetched_at,
    html,
    ...(zone === undefined ? {} : { zone }),
    ...(country === undefined ? {} : { country }),
    ...(title === undefined ? {} : { title }),
    ...(published_at === undefined ? {} : { published_at })
  }
}

/** Reads a stored page; the reader remembers it, so the parser of the same process reads it for nothing. */
export const readPage = Effect.fnUntraced(function* (page: Fetched) {
  const pages = yield* Pages
  const reader = yield* Reader
  const { html } = yield* Policy
  const stored = yield* steadfast(pages.raw(page.raw.id))
  if (stored === null) {
    const gone = { code: "raw_missing", message: `raw page ${page.raw.id} is no longer stored` } as const
    // It can be fetched again, except by a job that is about this very copy.
    return yield* isReparse(page.job) ? new Fatal(gone) : new Retryable(gone)
  }
  // A page that is read again may have been read by another rule a moment ago.
  const key = isReparse(page.job) ? page.job.id : page.raw.id
  return yield* steadfast(reader.read(key, stored.body, hintsOf(page, html)))
})

/** When an outcome came to be: with the fetch, or when a stored page was asked to be read again. */
export const judgedAt = (job: CrawlJob, raw: RawPage): Millis => (isReparse(job) ? job.scheduled_at : raw.fetched_at)

const end = Effect.fnUntraced(function* (work: Work<Fetched>, reading: Reading) {
  const { envelope, value } = work
  const { job, raw } = value
  yield* tellPoll(work, reading.verdict, `${raw.final_url} answered ${raw.status} and holds no list`)
  const at = judgedAt(job, raw)
  const record = { raw_id: raw.id, url: job.target.url, host: job.host, codes: [], at }
  const pages = yield* Pages
  yield* stored(pages.saveOutcomes([{ ...record, verdict: reading.verdict, evidence: reading.evidence }]))
  yield* closeRepublish(envelope, job)
  return Option.none<Validated>()
})

const judge = Effect.fnUntraced(function* (work: Work<Fetched>) {
  const { value } = work
  const reading = yield* readPage(value)
  const { verdict, kind, charset } = reading
  yield* Metric.update(documents(verdict), 1)
  const lost = yield* missing(work, reading, hintsOf(value, false))
  if (lost === "ended") return Option.none<Validated>()
  if (lost !== null)
    return yield* end(work, { ...reading, verdict: "soft_404", evidence: { ...reading.evidence, ...lost } })
  if (verdict === "partial") {
    return yield* new Retryable({ code: "partial", message: `the body ended early after ${value.raw.bytes} bytes` })
  }
  if (!goesOn.has(verdict)) return yield* end(work, reading)
  return Option.some<Validated>({ ...value, verdict, kind, charset })
})

/** Gives every fetched document one verdict with its evidence; a partial one is fetched again. */
export const validate = (
  policy: Policy["Service"]
): Stage<Fetched, Validated, Frontier | Pages | Policy | Reader | Sources | Upgrades> =>
  stage("validator", policy.readers * 4, judge)
