import { Clock, Effect, Metric, Result } from "effect"
import { readAnswer } from "../domain/ai/answer.ts"
import type { AiJob } from "../domain/ai/job.ts"
import { ruleLearning } from "../domain/ai/metrics.ts"
import { type RunFailure, roomOf } from "../domain/ai/outcome.ts"
import { type AiLedger, type AiOutcome, AiPolicy, type Model, Prompts } from "../domain/ai/ports.ts"
import { heldOutMax, hostOf, learntFrom } from "../domain/learning/asking.ts"
import { storedHints } from "../domain/learning/page.ts"
import { type Proposal, proposalFault, selectorsFrom } from "../domain/learning/proposal.ts"
import { skeletonOf } from "../domain/learning/skeleton.ts"
import { heldOutMin, judgeRule, type TriedPage } from "../domain/learning/trial.ts"
import { witnessOf } from "../domain/learning/witness.ts"
import { Policy } from "../domain/policy.ts"
import { Pages, type RawBody, Reader, Signals } from "../domain/ports.ts"
import type { Hints, Reading } from "../domain/reading.ts"
import { ParsingRules, type Ruling } from "../domain/ruling.ts"
import { call, mayAsk, type Note } from "./answering.ts"
import { steadfast, stored } from "./stage.ts"

export type LearningNeeds = AiLedger | AiPolicy | Model | Pages | ParsingRules | Policy | Prompts | Reader | Signals

/** Who writes in the audit log. */
export const learner = "rule-learning"
/** Stored pages of a host that are looked through, and the largest of them (bytes): an article is no larger. */
const pagesMax = 40
const bytesMax = 1_000_000
/** Characters that stand between two pages in the question. */
const margin = 500

interface Sample extends RawBody {
  readonly hints: Hints
  readonly generic: Reading
}

const failure = (code: RunFailure["code"], message: string) => Effect.fail<RunFailure>({ code, message, after: null })

const readable: ReadonlySet<Reading["verdict"]> = new Set(["ok", "paywall", "charset_uncertain", "empty"])

/** The article pages among a host's latest, each read without a rule. */
const samplesOf = Effect.fnUntraced(function* (host: string) {
  const pages = yield* Pages
  const reader = yield* Reader
  const raws = yield* steadfast(pages.raws({ host, limit: pagesMax, bytesMax }))
  const samples: Array<Sample> = []
  for (const page of raws) {
    if (page.raw.status !== 200 || page.raw.truncated || samples.length >= learntFrom + heldOutMax) continue
    const hints = storedHints(page.raw)
    const read = yield* Effect.result(steadfast(reader.read(`${page.raw.id}~generic`, page.body, hints, null)))
    if (Result.isSuccess(read) && read.success.kind === "article" && readable.has(read.success.verdict))
      samples.push({ ...page, hints, generic: read.success })
  }
  return samples
})

/** Those a rule is made from are spread over all; the others are held out. */
const split = (samples: ReadonlyArray<Sample>) => {
  const every = Math.floor(samples.length / learntFrom)
  const isShown = (at: number) => at % every === 0 && at / every < learntFrom
  return { shown: samples.filter((_, at) => isShown(at)), heldOut: samples.filter((_, at) => !isShown(at)) }
}

/** The question: three pages as their structure, and what was wrong with the last answer. */
const proposalOf = Effect.fnUntraced(function* (job: AiJob, host: string, shown: ReadonlyArray<Sample>, note: Note) {
  const prompt = (yield* Prompts).PARSING_RULE
  const { inputCharsMax, outputTokensMax } = roomOf(job, yield* AiPolicy)
  const room = Math.max(margin, Math.floor(inputCharsMax / learntFrom) - margin)
  const structures = shown.map(({ body, hints }, at) => [`page${at + 1}`, skeletonOf(body, hints, room)])
  const feedback = job.last_error_code === "rule_refused" ? (job.last_error_message ?? "") : ""
  const material = { data: { ...Object.fromEntries(structures), feedback }, text: "" }
  const reply = yield* call({ job, prompt, material, language: null, host, outputTokensMax }, 1, note)
  const read = readAnswer("PARSING_RULE", reply.answer)
  if (Result.isFailure(read)) return yield* Effect.fail<RunFailure>({ ...read.failure, after: null })
  if (!("main_content" in read.success)) return yield* failure("schema", "no rule")
  const proposal: Proposal = read.success
  const fault = proposalFault(proposal)
  return fault === null ? { proposal, model: reply.model } : yield* failure("rule_refused", fault)
})

/** Reads held-out pages by the rule. A rule that takes a page too long is as bad as one that finds nothing. */
const tried = Effect.fnUntraced(function* (rule: Ruling, samples: ReadonlyArray<Sample>) {
  const reader = yield* Reader
  return yield* Effect.forEach(samples, ({ body, generic, hints, raw }) =>
    steadfast(
      reader.read(`${raw.id}~rule ${rule.id}`, body, { ...hints, expected: "article" }, { ...rule, enabled: true })
    ).pipe(
      Effect.map((ruled): TriedPage => ({ url: hints.url, ruled, generic, witness: witnessOf(body, hints) })),
      Effect.catchTag("Fatal", (it) => failure("rule_refused", `selectors: ${it.message}`))
    )
  )
})

/** An operator's rule for all pages of a host stays in force: a learned one waits for the operator. */
const operatorHas = (rules: ReadonlyArray<Ruling>, host: string): boolean =>
  rules.some(
    (it) =>
      it.enabled &&
      it.origin === "operator" &&
      it.host_pattern === host &&
      it.path_pattern === "" &&
      it.target_type !== "list"
  )

/** A learned rule in force: a run that died after it had enabled it left it so. */
const learnedOf = (rules: ReadonlyArray<Ruling>, host: string): Ruling | null =>
  rules.find((it) => it.enabled && it.origin === "learned" && it.host_pattern === host) ?? null

const relearned = Effect.fnUntraced(function* (host: string) {
  const at = yield* Clock.currentTimeMillis
  const signal = {
    host,
    at,
    kind: "relearn",
    fetcher: "http",
    status: 0,
    latency_ms: 0,
    lag_ms: null,
    category: null
  } as const
  yield* stored((yield* Signals).record([signal]))
})

/** Stores a proposal disabled, tries it on pages it was not made from, and enables it only if it holds. */
const judged = Effect.fnUntraced(function* (
  job: AiJob,
  host: string,
  proposal: Proposal,
  heldOut: ReadonlyArray<Sample>
) {
  const rules = yield* ParsingRules
  const { article: bounds } = yield* Policy
  const given = { source_name: host, host_pattern: host, selectors: selectorsFrom(proposal) }
  const rule = yield* stored(rules.propose(given, learner, { job: job.id }))
  const trial = judgeRule(yield* tried(rule, heldOut), { ...rule, enabled: true }, bounds)
  if (!trial.holds) {
    yield* Metric.update(ruleLearning("refused"), 1)
    // It is disabled already: said once more, so that the audit log has the reasons.
    yield* steadfast(rules.enable(rule.id, false, learner, { job: job.id, refused: trial.reasons }))
    return yield* failure("rule_refused", trial.reasons.join("; "))
  }
  const facts = { job: job.id, pages: trial.pages }
  const waits = operatorHas(yield* steadfast(rules.list), host)
  yield* Metric.update(ruleLearning(waits ? "waits" : "enabled"), 1)
  if (waits) {
    yield* Effect.logWarning(
      `${host}: rule ${rule.id} holds on ${trial.pages} pages and waits: an operator's rule is in force`
    )
    return { rule: rule.id, enabled: false, ...facts }
  }
  yield* steadfast(rules.enable(rule.id, true, learner, facts))
  yield* relearned(host)
  yield* Effect.logInfo(`${host}: rule ${rule.id} was learned; it holds on ${trial.pages} pages it was not made from`)
  return { rule: rule.id, enabled: true, ...facts }
})

const done = (result: unknown, model: string | null) => {
  const outcome: AiOutcome = { tag: "success", result, flags: [], cache_key: null, followUps: [] }
  return { outcome, model }
}

/**
 * One run of a PARSING_RULE job: three stored pages are shown to the model, its selectors are tried on others, and only a rule
 * that reads them at least as well as generic extraction is enabled. A refused one is asked for again with the reasons.
 * @source seed 003
 */
export const learnRule = Effect.fnUntraced(function* (
  job: AiJob,
  probing: boolean,
  note: Note
): Effect.fn.Return<{ readonly outcome: AiOutcome; readonly model: string | null }, RunFailure, LearningNeeds> {
  const host = hostOf(job.article_id)
  const standing = learnedOf(yield* steadfast((yield* ParsingRules).list), host)
  if (standing !== null) return done({ rule: standing.id, enabled: true }, null)
  const samples = yield* samplesOf(host)
  if (samples.length < learntFrom + heldOutMin)
    return yield* failure(
      "input_missing",
      `${host}: ${samples.length} article pages are stored, too few to make and try a rule`
    )
  if (!(yield* mayAsk(probing))) return { outcome: { tag: "release" }, model: null }
  const { heldOut, shown } = split(samples)
  const { model, proposal } = yield* proposalOf(job, host, shown, note)
  return done(
    yield* judged(job, host, proposal, heldOut).pipe(Effect.catchTag("Fatal", (it) => failure("defect", it.message))),
    model
  )
})
