import { type Schema, Stream } from "effect"
import { CrawlJob, type Priority } from "../domain/crawl.ts"
import { Fetched } from "../domain/fetching.ts"
import { Parsed, Scored, Validated } from "../domain/flow.ts"
import { fetchRetry, stageRetry } from "../domain/job.ts"
import type { Policy } from "../domain/policy.ts"
import { messageRetry } from "../domain/research/pace.ts"
import { shelfKey } from "../domain/research/path.ts"
import { LivenessJob, ResearchJob } from "../domain/research.ts"
import { polledBy } from "../domain/slots.ts"
import type { StageName } from "../domain/stages.ts"
import {
  crawlTopic,
  crawlTopics,
  crawlWeights,
  linksPerMessageMax,
  messageBytesMax,
  type Topic
} from "../domain/topics.ts"
import { trail } from "./audit.ts"
import { type Intake, link } from "./chain.ts"
import { fetch } from "./fetch.ts"
import { liveness } from "./liveness.ts"
import { clearOverrides } from "./override.ts"
import { parse } from "./parse.ts"
import { messagesMax, research } from "./research.ts"
import { router } from "./route.ts"
import { closeRuns } from "./runs.ts"
import { schedule } from "./schedule.ts"
import { hostsOf, score } from "./score.ts"
import { scoring } from "./scoring.ts"
import type { Requeue } from "./stage.ts"
import { sweep } from "./sweep.ts"
import { validate } from "./validate.ts"
import { aiSweep, worker } from "./worker.ts"

interface Row {
  readonly name: StageName
  readonly takes: ReadonlyArray<string>
  readonly does: string
  readonly gives: ReadonlyArray<string>
}

/**
 * The map. Read the rows downwards: each stage takes what the one above gives. A stage that is not in this process gets
 * its input by topic; neighbours in one process hand it on in memory, and the crawl job is acknowledged after the last.
 *
 * Every stage fails the same three ways, and `stage.ts` alone routes them:
 *   Retryable   → `messages`, due after a backoff, one attempt charged; attempts used up → `dead_letters`
 *   Suspendable → `messages`, waiting for an operator
 *   Fatal       → `dead_letters`, with its bytes and reason
 * A host that must wait (Postponed) goes back to `messages` uncharged; a dependency that is down pauses the stage.
 */
export const stages = [
  {
    name: "scheduler",
    takes: ["sources"],
    does: "one poll per (source, slot), however many schedulers run",
    gives: ["crawl.poll"]
  },
  {
    name: "fetcher",
    takes: crawlTopics,
    does: "robots, host slot, breaker; chooses http or browser; fetches; stores the raw page",
    gives: ["fetched"]
  },
  {
    name: "validator",
    takes: ["fetched"],
    does: "one verdict per document with evidence; what ends here is in validation_outcomes",
    gives: ["validated"]
  },
  {
    name: "parser",
    takes: ["validated"],
    does: "stores the article once, or takes the links of a list, feed or sitemap; empty articles bring a browser",
    gives: ["parsed"]
  },
  {
    name: "scorer",
    takes: ["parsed"],
    does: "records host signals; every interval one process of all scores the hosts; attaches the facts of the chain",
    gives: ["scored"]
  },
  {
    name: "router",
    takes: ["scored"],
    does: "feeds outputs; drops known links; resolves each new link's priority and enqueues it at its host's pace",
    gives: ["crawl.high", "crawl.normal", "crawl.low", "ai_jobs", "outputs"]
  },
  {
    name: "enricher",
    takes: ["ai_jobs"],
    does: "leases a job, asks the model, stores result and follow-up jobs in one statement",
    gives: ["ai_results", "ai_jobs"]
  },
  {
    name: "researcher",
    takes: ["research", "liveness"],
    does: "asks discovery sources where to look, publishes datasets; checks whether domains answer",
    gives: ["datasets"]
  },
  { name: "sweeper", takes: ["clock"], does: "checkpoints, vacuums, expired raw pages and leases", gives: [] },
  { name: "api", takes: ["HTTP"], does: "admin, articles, explain under /api/v1", gives: ["crawl.*"] }
] as const satisfies ReadonlyArray<Row>

const weights: ReadonlyMap<Topic, number> = new Map(crawlTopics.map((topic) => [topic, crawlWeights[topic]]))

/** A job that is tried again keeps its poll topic; any other retry travels as Normal (the Retry resolver). */
const requeueJob = (job: CrawlJob, charged: boolean, topic: Topic | null): Requeue => {
  const priority: { value: Priority; by: "retry" } = { value: "normal", by: "retry" }
  const next: CrawlJob = charged ? { ...job, retry_count: job.retry_count + 1, priority } : job
  const lane = topic === "crawl.poll" ? topic : crawlTopic(next.priority.value)
  return { topic: lane, key: job.host, payload: next }
}

const reference = (topic: Topic, value: { readonly job: CrawlJob }): Requeue => ({
  topic,
  key: value.job.host,
  payload: value
})

/** Bytes of a payload at most: what a message may have, less its envelope. */
const payloadBytesMax = messageBytesMax - 16_384
const fits = (payload: unknown): boolean => new TextEncoder().encode(JSON.stringify(payload)).length <= payloadBytesMax

type Links = Parsed["links"]
/** So many links at most, and fewer where their addresses are long. */
const partsOf = (links: Links, page: (links: Links) => unknown): ReadonlyArray<Links> => {
  if (links.length <= 1 || (links.length <= linksPerMessageMax && fits(page(links)))) return [links]
  const cut = links.length > linksPerMessageMax ? linksPerMessageMax : Math.ceil(links.length / 2)
  return [...partsOf(links.slice(0, cut), page), ...partsOf(links.slice(cut), page)]
}

/** A page's links travel in parts, `of` them; each part is the same page, so only the first carries its article. */
const parts = <I extends Parsed>(topic: Topic, page: I, of: (links: Links) => I): ReadonlyArray<Requeue> =>
  partsOf(page.links, of).map((links, at) =>
    reference(topic, at === 0 ? of(links) : { ...of(links), article: null, rejected: [], more: true })
  )
/** The facts of hosts that a part has no link to go with another. */
const scoredPart = (page: Scored, links: Links): Scored => {
  const hosts = new Set(hostsOf({ ...page, links }))
  return { ...page, links, scores: Object.fromEntries(Object.entries(page.scores).filter(([host]) => hosts.has(host))) }
}

const polled = (job: CrawlJob): Topic | null => (polledBy(job) === null ? null : "crawl.poll")

/** Stages after the fetcher: their input is stored already, so they take what comes, in turn. */
const follower = <I extends { readonly job: CrawlJob }>(topic: Topic, input: Schema.Codec<I, unknown>) => ({
  takes: [topic],
  input,
  weight: () => 1,
  waits: false,
  limit: (policy: Policy["Service"]) => ({ limit: policy.fetchConcurrency * 2, perKey: policy.fetchConcurrency * 2 }),
  retry: stageRetry,
  requeue: (value: I) => reference(topic, value)
})

const fetcher: Intake<CrawlJob> = {
  name: "fetcher",
  takes: crawlTopics,
  input: CrawlJob,
  weight: (topic) => weights.get(topic) ?? 1,
  waits: true,
  // One fetch in flight per host, the next one waiting beside it, and those whose pages are still being read.
  limit: (policy) => ({ limit: policy.fetchConcurrency * 3, perKey: policy.fetchPerHost * 2 + 1 }),
  retry: fetchRetry,
  requeue: requeueJob,
  publish: (job) => [requeueJob(job, false, polled(job))]
}
/** Stages that read the stored page. One that is truncated or gone does not get better by being read again: its job is fetched again. */
const readerOf = <I extends { readonly job: CrawlJob }>(topic: Topic, input: Schema.Codec<I, unknown>) => ({
  ...follower(topic, input),
  requeue: (page: I, charged: boolean) =>
    charged ? requeueJob(page.job, true, polled(page.job)) : reference(topic, page)
})
const validator: Intake<Fetched> = {
  name: "validator",
  ...readerOf("fetched", Fetched),
  publish: (page) => [reference("fetched", page)]
}
const parser: Intake<Validated> = {
  name: "parser",
  ...readerOf("validated", Validated),
  publish: (page) => [reference("validated", page)]
}
const scorer: Intake<Parsed> = {
  name: "scorer",
  ...follower("parsed", Parsed),
  publish: (page) => parts("parsed", page, (links) => ({ ...page, links }))
}
const routing: Intake<Scored> = {
  name: "router",
  ...follower("scored", Scored),
  publish: (page) => parts("scored", page, (links) => scoredPart(page, links))
}

/** fetch → validate → parse → score → route, as one typed stream. */
export const pipeline = Stream.empty.pipe(
  link({ ...fetcher, run: fetch }),
  link({ ...validator, run: validate }),
  link({ ...parser, run: parse }),
  link({ ...scorer, run: score }),
  link({ ...routing, run: router })
)

/** What the research engine takes: few messages at once, of one country and category at most half of them. */
const researching = <I>(topic: Topic, input: Schema.Codec<I, unknown>, key: (job: I) => string): Intake<I> => ({
  name: "researcher",
  takes: [topic],
  input,
  weight: () => 1,
  waits: false,
  limit: () => ({ limit: messagesMax, perKey: Math.ceil(messagesMax / 2) }),
  retry: messageRetry,
  requeue: (job) => ({ topic, key: key(job), payload: job }),
  publish: (job) => [{ topic, key: key(job), payload: job }]
})
const discovery = researching("research", ResearchJob, ({ research_config }) => shelfKey(research_config))
const checking = researching("liveness", LivenessJob, ({ country }) => country.toLowerCase())

/** Discovery and liveness: no part of the chain, for nothing is crawled yet. */
export const discovering = Stream.merge(
  Stream.empty.pipe(link({ ...discovery, run: research })),
  Stream.empty.pipe(link({ ...checking, run: liveness }))
)

/** Stages that are no part of the chain: each an endless effect. */
export const loops = {
  enricher: worker,
  scheduler: schedule,
  scoring,
  sweeper: sweep,
  aiSweeper: aiSweep,
  overrides: clearOverrides,
  runs: closeRuns,
  trail
} as const
