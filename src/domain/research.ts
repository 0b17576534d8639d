import { Context, type Effect, Schema } from "effect"
import type { Millis } from "./crawl.ts"
import type { BadData, Fatal, Retryable, Suspendable, Unavailable } from "./errors.ts"
import type { Checked } from "./liveness.ts"
import type { ChunkOf, Find } from "./research/assemble.ts"
import type { Lookup } from "./research/lookup.ts"
import type { Shelf } from "./research/path.ts"
import { type Entry, Method } from "./research/record.ts"
import type { Outgoing } from "./topics.ts"

/** Payload of topic `research` (S5.15), with which part of its chunk it is. */
export const ResearchJob = Schema.Struct({
  batch_id: Schema.String,
  chunk_index: Schema.Int,
  part: Schema.Int,
  urls: Schema.Array(Schema.String),
  research_config: Schema.Struct({
    methods: Schema.Array(Method),
    country: Schema.String,
    category: Schema.String
  })
})
export type ResearchJob = typeof ResearchJob.Type

/** Payload of topic `liveness`. */
export const LivenessJob = Schema.Struct({
  batch_id: Schema.String,
  chunk_index: Schema.Int,
  part: Schema.Int,
  country: Schema.String,
  domains: Schema.Array(Schema.String)
})
export type LivenessJob = typeof LivenessJob.Type

/** `partial`: done, but a source or a chunk failed. `suspended`: a part waits for an operator. */
export const batchStates = ["queued", "processing", "completed", "partial", "failed", "suspended"] as const
export type BatchState = (typeof batchStates)[number]

/** What is asked for (S5.14), complete with its reserved numbers. */
export interface Batch extends Shelf {
  readonly batch_id: string
  readonly kind: "research" | "liveness"
  readonly methods: ReadonlyArray<Method>
  readonly chunk_size: number
  readonly total_urls: number
  readonly total_chunks: number
  /** File number of chunk 1; 0 for liveness, which has no numbered files. */
  readonly first_number: number
  readonly day: string
  readonly created_at: Millis
}

/** How a batch does. */
export interface Progress extends Batch {
  readonly status: BatchState
  readonly finished_at: Millis | null
  readonly chunks: ReadonlyArray<ChunkProgress>
}
export interface ChunkProgress {
  readonly chunk_index: number
  readonly state: "queued" | "done" | "failed" | "suspended"
  readonly reason: string | null
  readonly parts: number
  readonly parts_done: number
  /** Where its dataset is; null until it is published. */
  readonly path: string | null
  readonly partial: boolean
}

/** Which part of which chunk. */
export interface PartKey {
  readonly batch_id: string
  readonly chunk_index: number
  readonly part: number
}

/** What is left of a chunk after one of its parts. */
export interface Left {
  readonly chunk: ChunkOf
  readonly parts: ReadonlyArray<number>
  /** Parts that are not done. */
  readonly remaining: number
  /** Its dataset is published and recorded. */
  readonly finished: boolean
  /** This very part is done. */
  readonly part_done: boolean
  /** It is said to be failed or suspended: no longer, if its message is worked on again. */
  readonly part_held: boolean
}

/** The batch state (S5.4). Every write is one statement and idempotent by key. */
export class Batches extends Context.Service<
  Batches,
  {
    /** The next batch number of the day, and the first of `files` reserved file numbers above `taken` (settled 14). */
    readonly reserve: (
      shelf: Shelf,
      day: string,
      files: number,
      taken: number
    ) => Effect.Effect<{ readonly batch: number; readonly first: number }, Unavailable | BadData>
    /** Stores the batch, its chunks and parts, and its messages, or nothing. */
    readonly create: (
      batch: Batch,
      parts: ReadonlyArray<PartKey>,
      messages: ReadonlyArray<Outgoing>
    ) => Effect.Effect<void, Unavailable | BadData>
    readonly progress: (batch: string) => Effect.Effect<Progress | null, Unavailable>
    readonly recent: (limit: number, offset: number) => Effect.Effect<ReadonlyArray<Progress>, Unavailable>
    /** null: no such part (its batch was removed). */
    readonly left: (key: PartKey) => Effect.Effect<Left | null, Unavailable>
    readonly partDone: (key: PartKey) => Effect.Effect<Left | null, Unavailable | BadData>
    /** A part will not be done for now: exhausted, or parked until an operator resumes it. */
    readonly partHeld: (
      key: PartKey,
      state: "failed" | "suspended",
      reason: string
    ) => Effect.Effect<void, Unavailable | BadData>
    /** A part that was held is worked on again. */
    readonly partBegun: (key: PartKey) => Effect.Effect<void, Unavailable | BadData>
    /**
     * Parts that were suspended are due at once. `letters`: dead letters of the batch's other parts, for whoever replays them.
     */
    readonly resume: (
      batch: string
    ) => Effect.Effect<{ readonly woken: number; readonly letters: ReadonlyArray<string> }, Unavailable | BadData>
    /** Records the dataset of a chunk; the last one ends its batch. True: it was not recorded before. */
    readonly published: (
      entry: Entry,
      domains: ReadonlyArray<string>,
      shelf: Shelf
    ) => Effect.Effect<boolean, Unavailable | BadData>
    readonly entries: (shelf: Shelf) => Effect.Effect<ReadonlyArray<Entry>, Unavailable>
    /** Distinct registrable domains over the datasets of a day. */
    readonly domains: (shelf: Shelf, day: string) => Effect.Effect<number, Unavailable>
    /** Chunks done of the shelf's open batches and its latest one: the checkpoint. */
    readonly checkpoint: (shelf: Shelf) => Effect.Effect<ReadonlyArray<Progress>, Unavailable>
    /** History per domain: one row per check. */
    readonly saveChecks: (country: string, rows: ReadonlyArray<Checked>) => Effect.Effect<void, Unavailable | BadData>
    /** The latest check of each domain on that day. */
    readonly checks: (country: string, day: string) => Effect.Effect<ReadonlyArray<Checked>, Unavailable>
    /** Datasets whose metadata the audit trail does not have yet, oldest first. */
    readonly unaudited: (limit: number) => Effect.Effect<ReadonlyArray<Entry>, Unavailable>
    readonly audited: (ids: ReadonlyArray<string>) => Effect.Effect<void, Unavailable | BadData>
  }
>()("crawler/Batches") {}

/**
 * Asks discovery sources. Retryable: the source did not answer, or not in its own format; Suspendable: quota or key; Fatal: this
 * question can never be answered (a bad URL of ours). An empty list is an answer.
 */
export class Discovery extends Context.Service<
  Discovery,
  {
    /** The host whose slot a question takes; null: none (DNS). */
    readonly host: (lookup: Lookup) => string | null
    readonly ask: (lookup: Lookup) => Effect.Effect<ReadonlyArray<Find>, Retryable | Suspendable | Fatal>
  }
>()("crawler/Discovery") {}

/**
 * Where datasets live: files, or objects of an S3 store. Paths are those of `research/path.ts`; an environment's prefix is
 * the adapter's business.
 */
export class Datasets extends Context.Service<
  Datasets,
  {
    /**
     * Writes a file that is not there yet, whole or not at all. `present`: the same bytes are there already; `taken`: other
     * bytes are, which stay.
     */
    readonly publish: (path: string, text: string) => Effect.Effect<"published" | "present" | "taken", Unavailable>
    /** Writes or replaces a file atomically: summaries, manifests, checkpoints, results of a day. */
    readonly replace: (path: string, text: string) => Effect.Effect<void, Unavailable>
    readonly read: (path: string) => Effect.Effect<string | null, Unavailable>
    /** Paths of files below a folder, sorted. */
    readonly list: (folder: string) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Intermediate files only; a published dataset is never removed by the program. */
    readonly remove: (path: string) => Effect.Effect<void, Unavailable>
  }
>()("crawler/Datasets") {}

/** Looks whether a domain answers (S5.23). Never fails: what went wrong is the result. */
export class Prober extends Context.Service<
  Prober,
  { readonly check: (domain: string, country: string) => Effect.Effect<Checked> }
>()("crawler/Prober") {}

/** Dataset metadata as a trail outside the store (S5.4, S5.29). */
export class Audit extends Context.Service<
  Audit,
  {
    readonly enabled: boolean
    readonly record: (entries: ReadonlyArray<Entry>) => Effect.Effect<void, Retryable>
  }
>()("crawler/Audit") {}

/** What a site says of where its news is: the feeds its front page names, the sitemaps its robots.txt names. */
export class Sites extends Context.Service<
  Sites,
  {
    readonly look: (
      home: string
    ) => Effect.Effect<{ readonly feeds: ReadonlyArray<string>; readonly sitemaps: ReadonlyArray<string> }>
  }
>()("crawler/Sites") {}
