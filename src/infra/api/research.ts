import { Schema } from "effect"
import { Country } from "../../domain/research/countries.ts"
import { Category, isDay } from "../../domain/research/path.ts"
import { limits } from "../../domain/research/plan.ts"
import { Dataset, Day, Entry, Method, methods } from "../../domain/research/record.ts"
import { batchStates } from "../../domain/research.ts"
import { Id, Imported, Limit } from "./answers.ts"
import { operation } from "./operation.ts"

/** Operations of the research engine (S5.13, S5.17–S5.19). Countries are taken in either case, and answered in upper case. */

/** Rows skipped, at most (bad input B099). */
const OFFSET_MAX = 1_000_000
const optional = Schema.optionalKey
const Text = Schema.String
const Offset = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: OFFSET_MAX }))
const Methods = Schema.Array(Method).check(Schema.isMinLength(1), Schema.isMaxLength(methods.length))
const urlsUpTo = (most: number) => Schema.Array(Text).check(Schema.isMinLength(1), Schema.isMaxLength(most))
const ChunkSize = Schema.Int.check(Schema.isBetween({ minimum: limits.chunkMin, maximum: limits.chunkMax }))
/** Sites looked at by one request: each costs a few requests of its own. */
const SITES_MAX = 20

/** A day of the calendar; checked by the operation, so that 30 February is 422 though it stands in the path (B100). */
export const Day422 = Text.check(Schema.isMaxLength(40))
export const dayFault = (day: string): string | null =>
  isDay(day) ? null : `date ${JSON.stringify(day)}: expected a day of the calendar such as 2026-01-25`

const Accepted = Schema.Struct({ batch_id: Text, total_chunks: Schema.Int, estimated_completion: Text })
export const BatchStatus = Schema.Struct({
  batch_id: Text,
  kind: Schema.Literals(["research", "liveness"]),
  country: Text,
  category: Text,
  research_methods: Schema.Array(Method),
  total_urls: Schema.Int,
  chunk_size: Schema.Int,
  total_chunks: Schema.Int,
  completed_chunks: Schema.Int,
  failed_chunks: Schema.Int,
  status: Schema.Literals(batchStates),
  created_at: Text,
  finished_at: Schema.NullOr(Text),
  chunks: Schema.Array(
    Schema.Struct({
      chunk_index: Schema.Int,
      state: Schema.Literals(["queued", "done", "failed", "suspended"]),
      reason: Schema.NullOr(Text),
      path: Schema.NullOr(Text),
      partial: Schema.Boolean
    })
  )
})
const Shelves = Schema.Struct({
  partitions: Schema.Array(
    Schema.Struct({
      country: Text,
      category: Text,
      datasets: Schema.Int,
      records: Schema.Int,
      first_date: Schema.NullOr(Text),
      last_date: Schema.NullOr(Text)
    })
  )
})

export const researchOperations = {
  "queues.research": operation("POST", "/queues/research", "admin", "Start a research batch: discover where to look.", {
    input: {
      country: Country,
      category: Category,
      urls: urlsUpTo(limits.urlsMax),
      chunk_size: optional(ChunkSize),
      research_methods: optional(Methods)
    },
    output: Accepted,
    status: 202
  }),
  "queues.liveness": operation(
    "POST",
    "/queues/liveness",
    "admin",
    "Start a liveness batch: do these domains answer?",
    {
      input: { country: Country, domains: urlsUpTo(limits.urlsMax) },
      output: Accepted,
      status: 202
    }
  ),
  "queues.batch": operation("GET", "/queues/batch/:batch_id", "read", "How a batch does.", {
    input: { batch_id: Id },
    output: BatchStatus
  }),
  "queues.resume": operation(
    "POST",
    "/queues/batch/:batch_id/resume",
    "admin",
    "Go on with a batch's suspended and failed parts.",
    {
      input: { batch_id: Id },
      /** `parts`: messages that are due again. */
      output: Schema.Struct({ batch_id: Text, parts: Schema.Int }),
      query: true
    }
  ),
  "queues.batches": operation("GET", "/queues/batches", "read", "Batches, newest first.", {
    input: { limit: optional(Limit), offset: optional(Offset) },
    output: Schema.Struct({ batches: Schema.Array(BatchStatus) })
  }),
  "research.list": operation("GET", "/research", "read", "Published datasets, newest first.", {
    input: {
      country: optional(Country),
      category: optional(Category),
      limit: optional(Limit),
      offset: optional(Offset)
    },
    output: Schema.Struct({ datasets: Schema.Array(Entry), total: Schema.Int })
  }),
  "research.index": operation("GET", "/research/index", "read", "Countries and categories with datasets.", {
    input: {},
    output: Shelves
  }),
  "research.dataset": operation(
    "GET",
    "/research/datasets/:dataset_id",
    "read",
    "One dataset, after its checksum was checked.",
    {
      input: { dataset_id: Id },
      output: Dataset
    }
  ),
  "research.today": operation("GET", "/research/:country/:category/today", "read", "Datasets of today (UTC).", {
    input: { country: Text, category: Text },
    output: Day
  }),
  "research.day": operation("GET", "/research/:country/:category/:date", "read", "Datasets of one day.", {
    input: { country: Text, category: Text, date: Day422 },
    output: Day
  }),
  "research.create": operation(
    "POST",
    "/research",
    "admin",
    "Discover now: waits for the dataset of at most 100 URLs.",
    {
      input: {
        country: Country,
        category: Category,
        urls: urlsUpTo(limits.createMax),
        research_methods: optional(Methods)
      },
      output: Dataset,
      status: 201
    }
  ),
  "sources.candidates": operation(
    "POST",
    "/sources/candidates",
    "admin",
    "Make sites sources, with the feeds and sitemaps they name.",
    {
      input: {
        urls: urlsUpTo(SITES_MAX),
        country: optional(Country),
        /** False: they wait, disabled, until somebody accepts them. */
        enable: optional(Schema.Boolean)
      },
      output: Schema.Struct({ ...Imported.fields, feeds: Schema.Int, sitemaps: Schema.Int })
    }
  )
} as const
