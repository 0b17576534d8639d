import { Schema } from "effect"
import { Millis, type Priority } from "./crawl.ts"

/** Every topic. A topic is named for what it carries; crawl topics are keyed by host. */
export const Topic = Schema.Literals([
  "crawl.poll",
  "crawl.high",
  "crawl.normal",
  "crawl.low",
  "fetched",
  "validated",
  "parsed",
  "scored",
  "articles",
  "research",
  "liveness"
])
export type Topic = typeof Topic.Type

export const crawlTopics = ["crawl.poll", "crawl.high", "crawl.normal", "crawl.low"] as const
export type CrawlTopic = (typeof crawlTopics)[number]

/**
 * Shares of FETCH_CONCURRENCY by crawl topic. An idle topic's share is lent to the others, so low never starves and
 * a scheduled poll never waits behind articles.
 */
export const crawlWeights: Readonly<Record<CrawlTopic, number>> = {
  "crawl.poll": 8,
  "crawl.high": 3,
  "crawl.normal": 6,
  "crawl.low": 2
}

/** The topic a job of this priority travels on; scheduled polls use `crawl.poll` instead. */
export const crawlTopic = (priority: Priority): CrawlTopic => `crawl.${priority}`

/** The largest message, in bytes of its JSON. Bodies and article texts travel by reference. */
export const messageBytesMax = 256 * 1024
/** Links travel in parts of at most this many. */
export const linksPerMessageMax = 500

/** The version of every payload written today; version N-1 is still read (bad input B207). */
export const schemaVersion = 1

/** What travels on the bus. `attempt` counts Retryable outcomes; `headers` hold versions and routing, never data. */
export const Envelope = Schema.Struct({
  id: Schema.String,
  topic: Topic,
  key: Schema.String,
  occurred_at: Millis,
  attempt: Schema.Int,
  trace_id: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  payload: Schema.Unknown
})
export type Envelope = typeof Envelope.Type

/** A message to publish: its envelope and the instant before which nobody may see it. */
export interface Outgoing extends Envelope {
  readonly not_before: Millis
}

/** Why an input can never be worked on, beside its very bytes. */
export interface DeadLetter {
  readonly id: string
  readonly topic: Topic
  readonly key: string
  readonly stage: string
  readonly code: string
  readonly message: string
  /** The message as received: JSON text, or base64 when it was not text. */
  readonly bytes: string
  readonly attempts: number
  readonly at: Millis
}

/**
 * Header of a message whose due time was dealt out, and nothing else: the gap (ms) it was dealt by. Whoever fetches may keep
 * another than whoever enqueued (another process, another FETCH_DELAY, a gap asked for since).
 */
export const paceHeader = "pace"
