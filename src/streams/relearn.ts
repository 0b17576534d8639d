import { Clock, Effect, Metric, Option, Result } from "effect"
import { aiEnqueued, ruleLearning } from "../domain/ai/metrics.ts"
import { AiJobs, AiPolicy, Prompts } from "../domain/ai/ports.ts"
import type { Validated } from "../domain/flow.ts"
import {
  driftOf,
  learningSpan,
  missesWindow,
  missingWindow,
  type Occasion,
  pagesWindow,
  subjectOf
} from "../domain/learning/asking.ts"
import { agrees } from "../domain/learning/trial.ts"
import { Policy } from "../domain/policy.ts"
import { Pages, Reader } from "../domain/ports.ts"
import type { Reading } from "../domain/reading.ts"
import { selectorsOf } from "../domain/rule.ts"
import { ParsingRules, type Ruling } from "../domain/ruling.ts"
import { Windows } from "../domain/upgrade.ts"
import { learner } from "./learning.ts"
import { steadfast, stored } from "./stage.ts"
import { hintsOf } from "./validate.ts"

/** What is needed to ask for rules; absent where no AI work is set up. */
interface Desk {
  readonly jobs: AiJobs["Service"]
  readonly policy: AiPolicy["Service"]
  readonly version: string
  readonly rules: ParsingRules["Service"]
}
const desk = Effect.gen(function* () {
  const jobs = yield* Effect.serviceOption(AiJobs)
  const policy = yield* Effect.serviceOption(AiPolicy)
  const prompts = yield* Effect.serviceOption(Prompts)
  const rules = yield* Effect.serviceOption(ParsingRules)
  if (Option.isNone(jobs) || Option.isNone(policy) || Option.isNone(prompts) || Option.isNone(rules)) return null
  const { version } = prompts.value.PARSING_RULE
  const all: Desk = { jobs: jobs.value, policy: policy.value, version, rules: rules.value }
  return policy.value.learning.enabled ? all : null
})

/** Asks for a rule; on one occasion once, however many pages tell of it. */
const ask = Effect.fnUntraced(function* ({ jobs, policy, version }: Desk, host: string, occasion: Occasion) {
  const requested_at = yield* Clock.currentTimeMillis
  const job = {
    article_id: subjectOf(host, occasion),
    type: "PARSING_RULE" as const,
    prompt_version: version,
    max_retries: policy.retry.attempts,
    requested_at
  }
  const fresh = yield* stored(jobs.enqueue([job]))
  yield* Metric.update(aiEnqueued("PARSING_RULE", fresh > 0 ? "new" : "known"), 1)
  if (fresh === 0) return
  yield* Metric.update(ruleLearning("asked"), 1)
  yield* Effect.logInfo(`${host}: a parsing rule is asked for (${occasion.tag})`)
})

/** One more page that no rule read, or that its rule did not: enough of them in a day, and a rule is asked for. */
const lacking = Effect.fnUntraced(function* (desk: Desk, { job, raw }: Validated, key: string, occasion: Occasion) {
  const windows = yield* Windows
  const pages = yield* steadfast(windows.add(key, raw.id, raw.fetched_at, learningSpan))
  if (pages < desk.policy.learning.pages) return
  yield* ask(desk, job.host, occasion)
  yield* steadfast(windows.clear(key))
})

/** Does a learned rule still read this page as generic extraction would? Read again without it, in the reader's own threads. */
const holds = Effect.fnUntraced(function* (page: Validated, reading: Reading, rule: Ruling) {
  const { article, html } = yield* Policy
  const body = (yield* steadfast((yield* Pages).raw(page.raw.id)))?.body
  if (body === undefined) return true
  const reader = yield* Reader
  const hints = { ...hintsOf(page, html), expected: "article" as const }
  const generic = yield* Effect.result(steadfast(reader.read(`${page.raw.id}~generic`, body, hints, null)))
  if (Result.isFailure(generic)) return true
  const witness = { titles: [], body: null }
  return agrees({ url: hints.url, ruled: reading, generic: generic.success, witness }, rule, article)
})

/** Watches a learned rule page by page; one that drifted is disabled and another is asked for. */
const watch = Effect.fnUntraced(function* (desk: Desk, page: Validated, reading: Reading, rule: Ruling) {
  const windows = yield* Windows
  const { fetched_at, id } = page.raw
  const { driftPages } = desk.policy.learning
  const good = yield* holds(page, reading, rule)
  const keys = { pages: pagesWindow(rule.id), misses: missesWindow(rule.id) }
  const pages = yield* steadfast(windows.add(keys.pages, id, fetched_at, learningSpan))
  const misses = good ? 0 : yield* steadfast(windows.add(keys.misses, id, fetched_at, learningSpan))
  const next = driftOf({ pages, misses }, driftPages)
  if (next === "none") return
  yield* steadfast(windows.clear(keys.pages))
  yield* steadfast(windows.clear(keys.misses))
  if (next === "over") return
  yield* steadfast(desk.rules.enable(rule.id, false, learner, { pages, misses }))
  yield* Metric.update(ruleLearning("drifted"), 1)
  yield* Effect.logWarning(
    `${page.job.host}: rule ${rule.id} is disabled: ${misses} of ${pages} pages disagree with it`
  )
  yield* ask(desk, page.job.host, { tag: "failed", rule: rule.id })
})

/**
 * What a parsed article page teaches about its host's rule (RULE_LEARNING): there is none, an operator's does not find what it
 * states, or a learned one has drifted.
 */
export const learnRules = Effect.fnUntraced(function* (page: Validated, reading: Reading) {
  const own = yield* desk
  const { job, raw } = page
  const isArticle = job.target.type === "article" || (job.target.type === "auto" && reading.kind === "article")
  if (own === null || !isArticle || raw.status < 200 || raw.status > 299) return
  const rule = yield* steadfast(own.rules.find(raw.final_url, "article"))
  if (rule === null) {
    const day = new Date(raw.fetched_at).toISOString().slice(0, 10)
    return yield* lacking(own, page, missingWindow(job.host), { tag: "missing", day })
  }
  if (rule.origin === "learned") return yield* watch(own, page, reading, rule)
  const states = selectorsOf(rule, "title").length > 0 && selectorsOf(rule, "main_content").length > 0
  if (!states || reading.content?.extraction.by === "rule") return
  yield* lacking(own, page, missesWindow(rule.id), { tag: "failed", rule: rule.id })
})
