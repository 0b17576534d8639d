import { type Lookup, lookupsOf } from "./lookup.ts"
import { type Method, methods } from "./record.ts"

/** Limits of one batch (S5.11, S5.15, "Research limits"). */
export const limits = { urlsMax: 10_000, chunkMin: 100, chunkMax: 1000, urlsPerMessage: 100, createMax: 100 } as const

/** A chunk becomes one dataset; it travels as parts of at most 100 URLs. */
export interface Part {
  readonly chunk_index: number
  readonly part: number
  readonly urls: ReadonlyArray<string>
  readonly methods: ReadonlyArray<Method>
}

const slices = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size))

/**
 * The messages of a batch. Chunks count from 1, parts from 1. Country queries of a search engine run once per batch
 * (settled 14): they are part 0 of chunk 1, so that a used-up quota holds up nothing else.
 */
export const partsOf = (
  urls: ReadonlyArray<string>,
  chunkSize: number,
  chosen: ReadonlyArray<Method>
): ReadonlyArray<Part> => {
  const perDomain = chosen.filter((it) => it !== "google_search")
  const search: ReadonlyArray<Part> = chosen.includes("google_search")
    ? [{ chunk_index: 1, part: 0, urls: [], methods: ["google_search"] }]
    : []
  const chunks = slices(urls, chunkSize).flatMap((chunk, at) =>
    slices(chunk, limits.urlsPerMessage).map((part, index) => ({
      chunk_index: at + 1,
      part: index + 1,
      urls: part,
      methods: perDomain
    }))
  )
  return [...search, ...chunks]
}

/**
 * When each part may begin, ms after the batch: not before the parts that stand two before it can be done, as one source is asked one
 * question per gap. So a large batch publishes chunk by chunk, though its messages take turns with those of others; a question that an
 * earlier part asks already costs no time.
 */
export const dues = (
  parts: ReadonlyArray<Part>,
  country: string,
  category: string,
  gapMs: number
): ReadonlyArray<number> => {
  const asked = new Set<string>()
  const takes = parts.map((part) => {
    const fresh = lookupsOf(part, country, category, 0).filter((it) => !asked.has(`${it.method} ${it.query}`))
    for (const it of fresh) asked.add(`${it.method} ${it.query}`)
    // Name servers are asked without a gap.
    return Math.max(...methods.map((it) => (it === "dns" ? 0 : fresh.filter(({ method }) => method === it).length)))
  })
  return parts.map((_, at) => takes.slice(0, Math.max(0, at - 1)).reduce((sum, it) => sum + it * gapMs, 0))
}

/** Time of one answer of a discovery source beyond the gap between two, ms: crt.sh and the CDX server are slow. */
const answerMs = 2000

/**
 * When a batch will be done at the latest, if its sources answer: each is asked one question after the other.
 * `gapMs`: least time between two requests to one source.
 */
export const estimate = (parts: ReadonlyArray<Part>, country: string, category: string, gapMs: number): number => {
  const perMethod = new Map<Method, number>()
  const all = parts.flatMap((part): ReadonlyArray<Lookup> => lookupsOf(part, country, category, 0))
  for (const { method } of all) perMethod.set(method, (perMethod.get(method) ?? 0) + 1)
  return Math.max(1000, Math.max(0, ...perMethod.values()) * (gapMs + answerMs))
}
