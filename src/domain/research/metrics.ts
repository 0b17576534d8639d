import { Metric } from "effect"
import { LivenessStatus } from "../liveness.ts"
import { methods } from "./record.ts"

/** What the research engine counts (S5.22). Rates are the reader's division: `completed / all`, `alive / all`, per hour. */
const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const tags = ["ok", "empty", "failed", "suspended"] as const
export type LookupTag = (typeof tags)[number]

const lookupCount = counter("crawler_research_lookups_total", "Questions to discovery sources, by how they ended.")
/** `crawler_research_lookups_total{method,result}`: the error rate. */
export const lookups = (method: (typeof methods)[number], result: LookupTag) =>
  Metric.withAttributes(lookupCount, { method, result })

const chunkResults = ["completed", "partial", "failed"] as const
const chunkCount = counter(
  "crawler_research_chunks_total",
  "Chunks that ended; completed over all is the success rate."
)
/** `crawler_research_chunks_total{result}`: the success rate of batches, chunk by chunk. */
export const chunks = (result: (typeof chunkResults)[number]) => Metric.withAttributes(chunkCount, { result })

/** `crawler_research_urls_total`: records of published datasets, each URL once per dataset. */
export const urls = counter("crawler_research_urls_total", "Unique URLs discovered.")

/** `crawler_research_message_seconds`: the latency of a queue message, from enqueued to acknowledged. */
export const messageSeconds = Metric.histogram("crawler_research_message_seconds", {
  description: "From a research or liveness message's creation to its end.",
  boundaries: [0.5, 2, 10, 30, 60, 300, 900, 3600]
})

const domainCount = counter("crawler_liveness_domains_total", "Domains checked; alive over all is the survival rate.")
/** `crawler_liveness_domains_total{status}` */
export const domains = (status: LivenessStatus) => Metric.withAttributes(domainCount, { status })

/** `crawler_research_concurrency`: requests in flight that the adaptive rule allows now (S5.27). */
export const concurrencyGauge = Metric.gauge("crawler_research_concurrency", {
  description: "Requests in flight allowed by the adaptive rule."
})

/** Series that start at zero, so that a rate sees their first increment. */
export const initial = [
  ...methods.flatMap((method) => tags.map((tag) => lookups(method, tag))),
  ...chunkResults.map(chunks),
  ...LivenessStatus.literals.map(domains),
  urls
]
