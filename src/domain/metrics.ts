import { Metric } from "effect"
import { aiInitial } from "./ai/metrics.ts"
import { Verdict } from "./article.ts"
import { Code } from "./errors.ts"
import { runOutcomes } from "./runs.ts"
import { type StageName, stageNames } from "./stages.ts"
import { Topic } from "./topics.ts"
import { forceRefusals } from "./upgrade.ts"

/**
 * What the pipeline counts. Names follow Prometheus (`_total` counts, `_seconds` times); every label comes from a closed
 * set, so the number of series is bounded by this file. Hosts and URLs are never labels: they belong to logs and the store.
 */
export type StageLabel = StageName

/** How one input of a stage ended. `unavailable`: a dependency was down, nothing is counted against the input. */
const results = ["done", "retryable", "suspendable", "fatal", "postponed", "unavailable"] as const
export type StageResult = (typeof results)[number]

/** What storing an article found, or that its validation refused it. */
const articleResults = ["new", "revision", "duplicate", "rejected"] as const
export type ArticleResult = (typeof articleResults)[number]

const fetchers = ["http", "browser", "file"] as const
export type FetcherLabel = (typeof fetchers)[number]

/** What became of a link that a page named. */
const linkResults = ["followed", "unfollowed"] as const
export type LinkResult = (typeof linkResults)[number]

/** `ready`: may be worked on; `later`: due in future; `leased`: being worked on. */
const backlogStates = ["ready", "later", "leased"] as const
export type BacklogState = (typeof backlogStates)[number]

/** One metric per label, made once. */
export const each = <const L extends string, M>(labels: ReadonlyArray<L>, make: (label: L) => M): ((label: L) => M) => {
  const made = new Map(labels.map((label) => [label, make(label)]))
  return (label) => made.get(label) ?? make(label)
}

/** Labels are a metric's own from the start: those given later (`Metric.withAttributes`) are put together at every update. */
type Labels = Readonly<Record<string, string>>
export const counter =
  (name: string, description: string) =>
  (attributes: Labels = {}) =>
    Metric.counter(name, { description, incremental: true, attributes })
const seconds =
  (name: string, description: string, boundaries: ReadonlyArray<number>) =>
  (attributes: Labels = {}) =>
    Metric.histogram(name, { description, boundaries, attributes })

const messages = counter("crawler_stage_messages_total", "Inputs of a stage, by how they ended.")
const stageMetrics = each(stageNames, (stage) => each(results, (result) => messages({ stage, result })))
/** `crawler_stage_messages_total{stage,result}` */
export const stageMessages = (stage: StageLabel, result: StageResult) => stageMetrics(stage)(result)

const stageTime = seconds(
  "crawler_stage_seconds",
  "Time a stage took for one input.",
  [0.0005, 0.002, 0.01, 0.05, 0.2, 1, 5, 30]
)
/** `crawler_stage_seconds{stage}` */
export const stageSeconds = each(stageNames, (stage) => stageTime({ stage }))

const failed = counter("crawler_failures_total", "Inputs that did not go on, by code.")
/** `crawler_failures_total{code}` */
export const failures = each(Code.literals, (code) => failed({ code }))

const articleCount = counter("crawler_articles_total", "Articles, by what storing them found.")
/** `crawler_articles_total{result}` (S3.26) */
export const articles = each(articleResults, (result) => articleCount({ result }))

const documentCount = counter("crawler_documents_total", "Fetched documents, by verdict.")
/** `crawler_documents_total{verdict}` */
export const documents = each(Verdict.literals, (verdict) => documentCount({ verdict }))

const pageResults = ["turned", "last"] as const
const pageCount = counter(
  "crawler_list_pages_total",
  "List pages of sections that have several: a further one was asked for, or none."
)
/** `crawler_list_pages_total{result}` (S3.21) */
export const listPages = each(pageResults, (result) => pageCount({ result }))

const runTime = seconds(
  "crawler_run_seconds",
  "A run over the lists of a host: from its slot to the last article, by what it came to.",
  [1, 5, 15, 30, 60, 120, 300, 600]
)
/** `crawler_run_seconds{result}` (S3.26) */
export const runSeconds = each(runOutcomes, (result) => runTime({ result }))

const linkCount = counter("crawler_links_total", "Links found, by what became of them.")
/** `crawler_links_total{result}` */
export const links = each(linkResults, (result) => linkCount({ result }))

const fetchTime = seconds(
  "crawler_fetch_seconds",
  "Time of one fetch, first packet to last byte.",
  [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30]
)
/** `crawler_fetch_seconds{fetcher}` (S3.26) */
export const fetchSeconds = each(fetchers, (fetcher) => fetchTime({ fetcher }))

/** `crawler_fetch_bytes_total`: bytes of bodies. */
export const fetchBytes = counter("crawler_fetch_bytes_total", "Bytes of bodies fetched.")()

const lag = seconds(
  "crawler_article_lag_seconds",
  "From an article's publication to its detection.",
  [60, 300, 900, 3600, 21_600, 86_400]
)
/** `crawler_article_lag_seconds` (S1.5) */
export const articleLag = lag()

/** `crawler_trap_total`: links refused because their site makes them without end (bad input B079). */
export const traps = counter("crawler_trap_total", "Links refused as generated without end.")()

/** Hosts named by a metric of S4.22; further ones count as `other`, so that the number of series stays bounded. */
const hostLabelsMax = 200
const labelled = new Set<string>()
const hostLabel = (host: string): string => {
  if (labelled.size < hostLabelsMax) labelled.add(host)
  return labelled.has(host) ? host : "other"
}

const upgraded = counter("fetcher_auto_upgrade_total", "Hosts given a browser because their articles came empty.")
/** `fetcher_auto_upgrade_total{host,reason}` (S4.22) */
export const autoUpgrades = (host: string, reason: string) => upgraded({ host: hostLabel(host), reason })
const failedPages = counter("fetcher_validation_failures_total", "Article pages without a title or text.")
/** `fetcher_validation_failures_total{host,fetcher}` (S4.22) */
export const validationFailures = (host: string, fetcher: FetcherLabel) =>
  failedPages({ host: hostLabel(host), fetcher })
const refusedForce = counter("force_fetcher_rejected_total", "`force_fetcher` headers that were not obeyed.")
/** `force_fetcher_rejected_total{reason}` (bad inputs B200–B203) */
export const forceRejected = each(forceRefusals, (reason) => refusedForce({ reason }))

const backlogGauge = (attributes: Labels) =>
  Metric.gauge("crawler_bus_backlog", { description: "Messages by topic and state.", attributes })
const backlogMetrics = each(Topic.literals, (topic) => each(backlogStates, (state) => backlogGauge({ topic, state })))
/** `crawler_bus_backlog{topic,state}`, refreshed when the metrics are read. */
export const busBacklog = (topic: Topic, state: BacklogState) => backlogMetrics(topic)(state)

/** Counters that start at zero, so that a rate sees their first increment. */
export const initial = [
  ...stageNames.flatMap((stage) => results.map((result) => stageMessages(stage, result))),
  ...Code.literals.map(failures),
  ...articleResults.map(articles),
  ...Verdict.literals.map(documents),
  ...linkResults.map(links),
  ...pageResults.map(listPages),
  ...forceRefusals.map(forceRejected),
  fetchBytes,
  traps,
  ...aiInitial
]
