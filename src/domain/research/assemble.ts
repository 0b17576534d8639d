import { createHash } from "node:crypto"
import { Schema } from "effect"
import { Millis } from "../crawl.ts"
import { normaliseUrl } from "../url.ts"
import { datasetId, instant, paths, type Shelf } from "./path.ts"
import { placeOf, suffixList } from "./place.ts"
import {
  confidences,
  type Dataset,
  type Discovered,
  type DiscoveryMethod,
  type Entry,
  Method,
  methods,
  type SourceReport
} from "./record.ts"

/** Who made a dataset (S5.5). The version is the record's form and rules, not the program's. */
export const engine = { name: "research-engine", version: "1.0.0" } as const

/** A URL as a discovery source returned it. */
export const Find = Schema.Struct({
  url: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String)
})
export type Find = typeof Find.Type

/** How one question ended. `empty`: the source answered that there is nothing; `failed`: it did not answer. */
export const Answered = Schema.Struct({
  method: Method,
  query: Schema.String,
  tag: Schema.Literals(["ok", "empty", "failed"]),
  reason: Schema.NullOr(Schema.String),
  at: Millis,
  finds: Schema.Array(Find)
})
export type Answered = typeof Answered.Type

/** What one message of a chunk found. */
export const Found = Schema.Struct({ urls: Schema.Array(Schema.String), answers: Schema.Array(Answered) })
export type Found = typeof Found.Type

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What the chunk is a part of. */
export interface ChunkOf extends Shelf {
  readonly batch_id: string
  readonly day: string
  readonly created_at: number
  readonly methods: ReadonlyArray<Method>
  readonly chunk_index: number
  readonly total_chunks: number
  readonly chunk_size: number
  /** The reserved file number. */
  readonly number: number
}

interface Hit {
  readonly method: DiscoveryMethod
  readonly query: string
  readonly at: number
  readonly find: Find
}

const hintsOf = (method: DiscoveryMethod, category: string, type: string): ReadonlyArray<string> => [
  ...(method === "google_search" ? [category] : []),
  ...(type === "gov" ? ["government_content"] : [])
]

const recordOf = (chunk: ChunkOf, { method, query, at, find }: Hit): ReadonlyArray<Discovered> => {
  const place = placeOf(find.url, chunk.country)
  if (place === null) return []
  const { title, description, language } = find
  return [
    {
      raw_url: place.raw_url,
      normalized_domain: place.normalized_domain,
      domain_id: place.domain_id,
      registrable_domain: place.registrable_domain,
      subdomain: place.subdomain,
      source_type: place.source_type,
      discovery_method: method,
      discovery_query: query,
      confidence: confidences[method],
      content_hints: hintsOf(method, chunk.category, place.source_type),
      discovered_at: instant(at),
      metadata: { title, description, language }
    }
  ]
}

const bare = (url: string): Find => ({ url, title: null, description: null, language: null })

/** Hits in an order that does not depend on who answered first: the surest method, then query, then URL. */
const order: ReadonlyArray<DiscoveryMethod> = ["google_search", "given", "wayback_machine", "crtsh", "dns"]
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byOrder = (a: Hit, b: Hit): number =>
  order.indexOf(a.method) - order.indexOf(b.method) || byText(a.query, b.query) || byText(a.find.url, b.find.url)

const hitsOf = (chunk: ChunkOf, parts: ReadonlyArray<Found>): ReadonlyArray<Hit> =>
  parts
    .flatMap(
      ({ urls, answers }): ReadonlyArray<Hit> => [
        ...urls.map((url): Hit => ({ method: "given", query: url, at: chunk.created_at, find: bare(url) })),
        ...answers.flatMap(({ method, query, at, finds }) => finds.map((find): Hit => ({ method, query, at, find })))
      ]
    )
    .toSorted(byOrder)

/** What each method was asked and how it answered; only methods that were asked. */
const reportsOf = (answers: ReadonlyArray<Answered>): ReadonlyArray<SourceReport> =>
  methods.flatMap((method): ReadonlyArray<SourceReport> => {
    const asked = answers.filter((it) => it.method === method)
    const count = (tag: Answered["tag"]) => asked.filter((it) => it.tag === tag).length
    const reasons = [...new Set(asked.flatMap((it) => it.reason ?? []))].toSorted(byText)
    return asked.length === 0
      ? []
      : [{ method, ok: count("ok"), empty: count("empty"), failed: count("failed"), reasons }]
  })

/** Each page once, however many sources named it: the surest one is recorded. */
const distinct = (hits: ReadonlyArray<Hit>): ReadonlyArray<Hit> => {
  const seen = new Set<string>()
  return hits.filter(({ find }) => {
    const key = normaliseUrl(find.url)
    return !seen.has(key) && seen.add(key) !== undefined
  })
}

/** The dataset of a chunk: the same parts give the same bytes, in whatever order they came (S5.11). */
export const assemble = (chunk: ChunkOf, parts: ReadonlyArray<Found>): Dataset => {
  const answers = parts.flatMap((it) => it.answers)
  const records = distinct(hitsOf(chunk, parts)).flatMap((hit) => recordOf(chunk, hit))
  const sources = reportsOf(answers)
  const { country, category, chunk_index, total_chunks, chunk_size } = chunk
  return {
    meta: {
      dataset_id: datasetId(chunk, chunk.day, chunk.number),
      country,
      category,
      discovered_at: instant(
        answers.reduce((first, { at }) => Math.min(first, at), answers[0]?.at ?? chunk.created_at)
      ),
      research_methods: chunk.methods,
      queries: [...new Set(answers.map((it) => it.query))].toSorted(byText),
      engine,
      record_count: records.length,
      chunk_info: { chunk_index, total_chunks, chunk_size },
      partial: sources.some((it) => it.failed > 0),
      sources,
      checksum: `sha256:${sha256(JSON.stringify(records))}`,
      public_suffix_list: suffixList
    },
    records
  }
}

/** A dataset as it is written, with its line in the manifest. */
export const written = (chunk: ChunkOf, dataset: Dataset, created_at: number) => {
  const text = `${JSON.stringify(dataset)}\n`
  const domains = [...new Set(dataset.records.map((it) => it.registrable_domain))].toSorted(byText)
  const entry: Entry = {
    dataset_id: dataset.meta.dataset_id,
    path: paths.dataset(chunk, chunk.day, chunk.number),
    sha256: sha256(text),
    record_count: dataset.records.length,
    size_bytes: new TextEncoder().encode(text).length,
    created_at: instant(created_at),
    date: chunk.day,
    batch_id: chunk.batch_id,
    chunk_index: chunk.chunk_index,
    partial: dataset.meta.partial,
    unique_domains: domains.length,
    research_methods: dataset.meta.research_methods
  }
  return { text, entry, domains }
}
