import { Schema } from "effect"
import { sourceTypes } from "./place.ts"

/** How URLs may be discovered (S5.8). */
export const methods = ["google_search", "crtsh", "wayback_machine", "dns"] as const
export const Method = Schema.Literals(methods)
export type Method = typeof Method.Type

/** `given`: the URL stood in the request itself. */
export const DiscoveryMethod = Schema.Literals([...methods, "given"])
export type DiscoveryMethod = typeof DiscoveryMethod.Type

/** How sure it is that the URL exists and belongs to the country's search, by method. Says nothing of quality (S5.1). */
export const confidences: Readonly<Record<DiscoveryMethod, number>> = {
  google_search: 0.95,
  given: 0.9,
  wayback_machine: 0.8,
  crtsh: 0.7,
  dns: 0.6
}

const Text = Schema.String
const Count = Schema.Int

/** One discovered URL (S5.6). `metadata` holds only what the discovery source itself returned (settled 15). */
export const Discovered = Schema.Struct({
  raw_url: Text,
  normalized_domain: Text,
  domain_id: Text,
  registrable_domain: Text,
  subdomain: Text,
  source_type: Schema.Literals(sourceTypes),
  discovery_method: DiscoveryMethod,
  discovery_query: Text,
  confidence: Schema.Finite,
  content_hints: Schema.Array(Text),
  discovered_at: Text,
  metadata: Schema.Struct({
    title: Schema.NullOr(Text),
    description: Schema.NullOr(Text),
    language: Schema.NullOr(Text)
  })
})
export type Discovered = typeof Discovered.Type

/** What one method brought to a dataset: a source that failed is never "0 found". */
export const SourceReport = Schema.Struct({
  method: Method,
  /** Questions asked, and how they were answered. */
  ok: Count,
  empty: Count,
  failed: Count,
  /** Why, each reason once. */
  reasons: Schema.Array(Text)
})
export type SourceReport = typeof SourceReport.Type

/** @source S5.5; `partial`, `sources`, `checksum` and `public_suffix_list` say what the dataset rests on. */
export const DatasetMeta = Schema.Struct({
  dataset_id: Text,
  country: Text,
  category: Text,
  discovered_at: Text,
  research_methods: Schema.Array(Method),
  queries: Schema.Array(Text),
  engine: Schema.Struct({ name: Text, version: Text }),
  record_count: Count,
  chunk_info: Schema.Struct({ chunk_index: Count, total_chunks: Count, chunk_size: Count }),
  /** True: at least one question was not answered, so there may be more to find. */
  partial: Schema.Boolean,
  sources: Schema.Array(SourceReport),
  /** `sha256:` and the hash of the records' JSON. */
  checksum: Text,
  public_suffix_list: Text
})

/** A published chunk; once written it never changes (P8). */
export const Dataset = Schema.Struct({ meta: DatasetMeta, records: Schema.Array(Discovered) })
export type Dataset = typeof Dataset.Type

/** Where a dataset is, and nothing else: a manifest leads to no other file. */
const DatasetPath = Text.check(
  Schema.isPattern(/^research\/datasets\/country=[a-z]{2}\/category=[a-z0-9_-]+\/\d{4}-\d{2}-\d{2}_\d{4,}\.json$/, {
    expected: "a path below research/datasets"
  })
)

/** A line of a manifest: readers trust what stands there, and nothing else. */
export const Entry = Schema.Struct({
  dataset_id: Text,
  path: DatasetPath,
  sha256: Text,
  record_count: Count,
  size_bytes: Count,
  created_at: Text,
  date: Text,
  batch_id: Text,
  chunk_index: Count,
  partial: Schema.Boolean,
  unique_domains: Count,
  research_methods: Schema.Array(Method)
})
export type Entry = typeof Entry.Type

/** All datasets of one country and category, by path. Rewritten as a whole, atomically. */
export const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  country: Text,
  category: Text,
  datasets: Schema.Array(Entry)
})
export type Manifest = typeof Manifest.Type

/** One day of one country and category: the answer of S5.19, and the `{date}_summary.json` of S5.2. */
export const Day = Schema.Struct({
  datasets: Schema.Array(
    Schema.Struct({
      dataset_id: Text,
      path: Text,
      record_count: Count,
      size_bytes: Count,
      created_at: Text,
      partial: Schema.Boolean
    })
  ),
  summary: Schema.Struct({
    total_records: Count,
    unique_domains: Count,
    discovery_methods: Schema.Array(Method)
  })
})
export type Day = typeof Day.Type
