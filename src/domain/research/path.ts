import { Schema } from "effect"

/** A category is a path segment and part of ids: short, lower case, no dots or slashes. */
export const Category = Schema.String.check(
  Schema.isPattern(/^[a-z0-9](?:[a-z0-9_-]{0,48}[a-z0-9])?$/, {
    expected: "1 to 50 of a-z, 0-9, - and _, such as news"
  })
)

const dayForm = /^\d{4}-\d{2}-\d{2}$/
/** A day the calendar has: `Date` rolls 30 February over (bad input B100). */
export const isDay = (text: string): boolean => {
  if (!dayForm.test(text)) return false
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
}
/** The UTC day of an instant (settled 18). @example dayOf(0) // => "1970-01-01" */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
/** An instant as datasets write it: UTC, to the second. */
export const instant = (at: number): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, "Z")

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0")

export interface Shelf {
  /** Canonical (upper case) code. */
  readonly country: string
  readonly category: string
}
const lower = ({ country }: { readonly country: string }): string => country.toLowerCase()
/** @example shelfKey({ country: "SG", category: "news" }) // => "sg-news" */
export const shelfKey = (shelf: Shelf): string => `${lower(shelf)}-${shelf.category}`

/** @source S5.5. @example datasetId({ country: "SG", category: "news" }, "2026-01-25", 1) // => "sg-news-2026-01-25-0001" */
export const datasetId = (shelf: Shelf, day: string, number: number): string =>
  `${shelfKey(shelf)}-${day}-${padded(number, 4)}`

/** @source S5.14. @example batchId("sg-news", "2026-01-25", 1) // => "batch_2026-01-25_sg-news_001" */
export const batchId = (key: string, day: string, number: number): string => `batch_${day}_${key}_${padded(number, 3)}`

const datasetForm = /^([a-z]{2})-([a-z0-9][a-z0-9_-]*)-(\d{4}-\d{2}-\d{2})-(\d{4,})$/
/** The parts of a dataset id; null for any other text. */
export const parseDatasetId = (
  id: string
): { readonly shelf: Shelf; readonly day: string; readonly number: number } | null => {
  const [, country, category, day, number] = datasetForm.exec(id) ?? []
  if (country === undefined || category === undefined || day === undefined || !isDay(day)) return null
  return { shelf: { country: country.toUpperCase(), category }, day, number: Number(number) }
}

const partition = (tree: string, shelf: Shelf): string =>
  `research/${tree}/country=${lower(shelf)}/category=${shelf.category}`

/** Everything the research engine writes lives under these paths (S5.2, S5.3); an environment's prefix goes before. */
export const paths = {
  dataset: (shelf: Shelf, day: string, number: number): string =>
    `${partition("datasets", shelf)}/${day}_${padded(number, 4)}.json`,
  summary: (shelf: Shelf, day: string): string => `${partition("datasets", shelf)}/${day}_summary.json`,
  /** The underscore hides it from readers of Hive partitions. */
  manifest: (shelf: Shelf): string => `${partition("datasets", shelf)}/${manifestName}`,
  checkpoint: (shelf: Shelf): string => `${partition("processing/checkpoints", shelf)}/research/checkpoint.json`,
  /** What one message of a chunk found, until its chunk is published. */
  part: (batch: string, chunk: number, part: number): string =>
    `research/processing/parts/${batch}/${padded(chunk, 4)}_${padded(part, 2)}.json`,
  /** Answers of a part that is under way: what a crash leaves to be done is the rest. */
  progress: (batch: string, chunk: number, part: number): string =>
    `research/processing/parts/${batch}/${padded(chunk, 4)}_${padded(part, 2)}.progress.json`,
  /** `tree`: all results of a day, the blocked ones, the dead ones. */
  liveness: (tree: "liveness" | "blocked" | "dead", country: string, day: string): string =>
    `research/${tree}/country=${country.toLowerCase()}/${day}.json`,
  datasets: "research/datasets"
} as const

export const manifestName = "_manifest.json"
