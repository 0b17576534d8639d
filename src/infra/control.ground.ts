import { Option } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { shapeOf } from "../domain/list/looks.ts"
import { type Change, changesOf } from "../domain/priority.changes.ts"
import type { RulePriority } from "../domain/priority.facts.ts"
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
  readonly url: string
  /** Sources whose links this URL could be, the nearest first. */
  readonly near: ReadonlyArray<Source>
  /** Key of the URL. */
  readonly key: string
  /** The job that waits for it: it knows best. */
  readonly job: CrawlJob | null
  /** An article was found there: whatever its address looks like, it is no listing. */
  readonly read: boolean
  /** null: there is no database, so no host is known. */
  readonly known: HostPriority | null
  /** The parsing rule that speaks for its path, of those with a priority. */
  readonly rule: (RulePriority & { readonly id: string }) | null
}

/** Threshold where no database is asked; it then decides nothing. */
const noThreshold = 0.5

/**
 * Is a link to it one to a list, sitemap or search page? The job knows; so does the source whose own address it is; else the
 * address tells where its shape alone is enough (where not, the page that links to it would).
 */
const isListed = ({ job, key, read, url }: Given, source: Source | undefined): boolean => {
  if (job !== null && job.target.type !== "auto") return isListing(job.target.type)
  // Its kind is left open until it is read; the page that linked to it was sure enough.
  if (job !== null) return job.priority.by === "category" && job.priority.value === "low"
  if (source !== undefined && urlKey(normaliseUrl(source.url)) === key) return isListing(source.kind)
  const { looks, sure } = shapeOf(new URL(url))
  return !read && sure && (looks === "list" || looks === "sitemap")
}

const sourceFacts = (given: Given) => {
  const { job, near } = given
  const source = near.find((it) => job === null || it.id === job.source_id)
  const listing = isListed(given, source)
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
    rule: Option.fromNullishOr(rule?.priority)
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
      rule: { rule: rule?.id ?? null, path: rule?.path ?? null, priority: rule?.priority ?? null }
    }
  }
}
