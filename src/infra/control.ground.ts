import { Option, Schema } from "effect"
import { type CrawlJob, Priority } from "../domain/crawl.ts"
import { type Change, changesOf } from "../domain/priority.changes.ts"
import { type Facts, isListing, noFacts } from "../domain/priority.ts"
import type { Source } from "../domain/source.ts"
import { normaliseUrl, urlKey } from "../domain/url.ts"
import type { HostPriority } from "./api/standing.ts"

/** What an explanation stands on: the chain's facts, what each resolver looked at, and what would change the answer. */
export interface Ground {
  readonly facts: Facts
  readonly shown: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly changes: ReadonlyArray<Change>
}

export interface Given {
  /** Sources whose links this URL could be, the nearest first. */
  readonly near: ReadonlyArray<Source>
  /** Key of the URL. */
  readonly key: string
  /** The job that waits for it: it knows best. */
  readonly job: CrawlJob | null
  /** null: there is no database, so no host is known. */
  readonly known: HostPriority | null
  readonly rule: Readonly<Record<string, unknown>> | null
}

/** Threshold where no database is asked; it then decides nothing. */
const noThreshold = 0.5

const decodePriority = Schema.decodeUnknownOption(Priority)

const sourceFacts = ({ job, key, near }: Given) => {
  const source = near.find((it) => job === null || it.id === job.source_id)
  const listing = source !== undefined && urlKey(normaliseUrl(source.url)) === key && isListing(source.kind)
  const category = Option.fromNullishOr(job === null ? source?.category : job.target.category)
  const asked = job?.source_priority ?? (job?.priority.by === "source" ? job.priority.value : source?.priority)
  const named = {
    ...(source === undefined ? {} : { source: source.id, source_name: source.name }),
    ...(job === null ? {} : { job: job.id })
  }
  return { listing, category, source: Option.fromNullishOr(asked), named }
}

const scoreShown = (known: HostPriority | null): Readonly<Record<string, unknown>> => {
  if (known === null) return { score: null }
  const { calculated_at, next_score, samples, samples_min, score, signals, threshold, threshold_by, weights, why } =
    known
  return { score, threshold, threshold_by, why, calculated_at, next_score, samples, samples_min, signals, weights }
}

const overrideShown = (known: HostPriority | null): Readonly<Record<string, unknown>> => ({
  override: known?.override?.value ?? null,
  until: known?.override?.until ?? null,
  ...(known === null || known.warnings.length === 0 ? {} : { warnings: known.warnings.map((it) => it.why) })
})

/** A job that waits for this URL knows best; without one, what a link found through the nearest source would get. */
export const ground = (given: Given): Ground => {
  const { job, known, rule } = given
  const { category, listing, named, source } = sourceFacts(given)
  const retry_count = job?.retry_count ?? 0
  const threshold = known?.threshold ?? noThreshold
  const facts: Facts = {
    ...noFacts,
    retry_count,
    listing,
    category,
    source,
    override: Option.fromNullishOr(known?.override?.value),
    score: Option.map(Option.fromNullishOr(known?.score), (value) => ({ value, threshold })),
    rule: decodePriority(rule?.priority)
  }
  return {
    facts,
    changes: changesOf(facts, threshold),
    shown: {
      retry: { retry_count },
      override: overrideShown(known),
      category: { category: Option.getOrNull(category), listing, ...named },
      score: scoreShown(known),
      source: { priority: Option.getOrNull(source), ...named },
      rule: { rule: rule?.id ?? null, priority: rule?.priority ?? null }
    }
  }
}
