import { Clock, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import { suspendedUntil } from "../domain/job.ts"
import type { Checked } from "../domain/liveness.ts"
import { Bus } from "../domain/ports.ts"
import type { Shelf } from "../domain/research/path.ts"
import type { Entry, Method } from "../domain/research/record.ts"
import {
  type Batch,
  Batches,
  type BatchState,
  type ChunkProgress,
  type Left,
  type PartKey,
  type Progress
} from "../domain/research.ts"
import type { Outgoing } from "../domain/topics.ts"
import { Database } from "./database.ts"
import { noBadData } from "./sql/batches.ts"
import { arrayOf, encodeMessage, nextSeq } from "./sql/messages.ts"
import * as statement from "./sql/research.ts"
import { encode, encodeText } from "./sql/rows.ts"

interface ChunkRow {
  readonly chunk_index: number
  readonly parts: number
  readonly parts_done: number
  readonly path: string | null
  readonly partial: boolean
  readonly finished: boolean
  readonly failed: boolean
  readonly suspended: boolean
  /** Some part is neither done nor held: it goes on by itself. */
  readonly open: boolean
  readonly reason: string | null
}
type ProgressRow = Batch & { readonly finished_at: number | null; readonly chunks: ReadonlyArray<ChunkRow> | null }

/** A chunk stands still only when none of its parts goes on. */
const stateOf = ({ failed, finished, open, suspended }: ChunkRow): ChunkProgress["state"] =>
  finished ? "done" : open ? "queued" : suspended ? "suspended" : failed ? "failed" : "queued"

const chunkOf = (row: ChunkRow): ChunkProgress => ({
  chunk_index: row.chunk_index,
  state: stateOf(row),
  reason: row.reason,
  parts: row.parts,
  parts_done: row.parts_done,
  path: row.path,
  partial: row.partial
})

/** A batch's state follows from its chunks': nothing says it twice. */
const statusOf = (chunks: ReadonlyArray<ChunkProgress>): BatchState => {
  const some = (state: ChunkProgress["state"]) => chunks.some((it) => it.state === state)
  if (some("queued")) return chunks.some((it) => it.parts_done > 0 || it.state !== "queued") ? "processing" : "queued"
  if (some("suspended")) return "suspended"
  if (some("failed")) return some("done") ? "partial" : "failed"
  return chunks.some((it) => it.partial) ? "partial" : "completed"
}

const progressOf = ({ chunks: rows, ...batch }: ProgressRow): Progress => {
  const chunks = (rows ?? []).map(chunkOf)
  return { ...batch, chunks, status: statusOf(chunks) }
}

interface LeftRow {
  readonly batch_id: string
  readonly country: string
  readonly category: string
  readonly methods: ReadonlyArray<Method>
  readonly chunk_size: number
  readonly total_chunks: number
  readonly day: string
  readonly created_at: number
  readonly chunk_index: number
  readonly number: number
  readonly remaining: number
  readonly finished: boolean
  readonly parts: ReadonlyArray<number>
  readonly part_done: boolean
  readonly part_held: boolean
}
const leftOf = ([row]: ReadonlyArray<LeftRow>): Left | null => {
  if (row === undefined) return null
  const { remaining, finished, parts, part_done, part_held, ...chunk } = row
  return { chunk, parts, remaining, finished, part_done, part_held }
}

const keyOf = ({ batch_id, chunk_index, part }: PartKey) => [encodeText(batch_id), chunk_index, part] as const
const shelfOf = ({ country, category }: Shelf) => [encodeText(country), encodeText(category)] as const

const writing = (database: Database["Service"], wake: Effect.Effect<void>) => {
  const ended = Effect.fnUntraced(function* (batch: string) {
    yield* database.query(statement.endBatch, [batch, yield* Clock.currentTimeMillis])
  })
  const create = Effect.fn("Batches.create")(function* (
    batch: Batch,
    parts: ReadonlyArray<PartKey>,
    messages: ReadonlyArray<Outgoing>
  ) {
    const now = yield* Clock.currentTimeMillis
    const rows = messages.map((it) => encodeMessage(it, nextSeq(now)).json)
    yield* database.query(statement.create, [encode(batch), encode(parts), arrayOf(rows), now])
  }, Effect.ensuring(wake))
  const partDone = Effect.fn("Batches.partDone")(function* (key: PartKey) {
    const now = yield* Clock.currentTimeMillis
    const left = leftOf(yield* database.query<LeftRow>(statement.partDone, [...keyOf(key), now]))
    if (left !== null && left.remaining <= 0 && left.chunk.number === 0) {
      yield* database.query(statement.endChunk, [key.batch_id, key.chunk_index, now])
      yield* ended(key.batch_id)
    }
    return left
  })
  const partHeld = Effect.fn("Batches.partHeld")(function* (key: PartKey, state: string, reason: string) {
    yield* database.query(statement.partHeld, [...keyOf(key), state, encodeText(reason)])
  })
  const partBegun = Effect.fn("Batches.partBegun")(function* (key: PartKey) {
    yield* database.query(statement.partBegun, keyOf(key))
  })
  const resume = Effect.fn("Batches.resume")(function* (batch: string) {
    const now = yield* Clock.currentTimeMillis
    const parameters = [encodeText(batch), now, suspendedUntil]
    const [row] = yield* database.query<{ woken: number; letters: ReadonlyArray<string> }>(statement.resume, parameters)
    return row ?? { woken: 0, letters: [] }
  }, Effect.ensuring(wake))
  const published = Effect.fn("Batches.published")(function* (
    entry: Entry,
    domains: ReadonlyArray<string>,
    shelf: Shelf
  ) {
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* database.query<{ fresh: boolean }>(statement.published, [
      encode(entry),
      encode(domains),
      ...shelfOf(shelf),
      now
    ])
    yield* ended(entry.batch_id)
    return row?.fresh ?? false
  })
  return { create, partBegun, partDone, partHeld, published, resume }
}

/** Batches, chunks, datasets and checks in Postgres. */
export const layer: Layer.Layer<Batches, never, Database | Bus> = Layer.effect(
  Batches,
  Effect.gen(function* () {
    const database = yield* Database
    const bus = yield* Bus
    // The statement wrote messages beside the bus: publishing nothing tells its consumers to look.
    const wake = Effect.ignore(bus.publish([]))
    const ask = <Row>(
      text: string,
      parameters: ReadonlyArray<string | number>
    ): Effect.Effect<ReadonlyArray<Row>, Unavailable> => noBadData(database.query<Row>(text, parameters))
    const progress = (text: string, parameters: ReadonlyArray<string | number>) =>
      Effect.map(ask<ProgressRow>(text, parameters), (rows) => rows.map(progressOf))
    return Batches.of({
      ...writing(database, wake),
      reserve: Effect.fn("Batches.reserve")(function* (shelf: Shelf, day: string, files: number, taken: number) {
        const [row] = yield* database.query<{ batch: number; first: number }>(statement.reserve, [
          ...shelfOf(shelf),
          day,
          files,
          taken
        ])
        return row ?? { batch: 1, first: 1 }
      }),
      progress: (batch) => Effect.map(progress(statement.one, [encodeText(batch)]), ([it]) => it ?? null),
      recent: (limit, offset) => progress(statement.recent, [limit, offset]),
      checkpoint: (shelf) => progress(statement.checkpoint, shelfOf(shelf)),
      left: (key) => Effect.map(ask<LeftRow>(statement.leftOf, keyOf(key)), leftOf),
      entries: (shelf) => ask<Entry>(statement.entries, shelfOf(shelf)),
      domains: (shelf, day) =>
        Effect.map(ask<{ n: number }>(statement.domains, [...shelfOf(shelf), day]), ([it]) => it?.n ?? 0),
      saveChecks: Effect.fn("Batches.saveChecks")(function* (country: string, rows: ReadonlyArray<Checked>) {
        yield* database.query(statement.saveChecks, [encode(rows), country])
      }),
      checks: (country, day) => ask<Checked>(statement.checks, [country, day]),
      unaudited: (limit) => ask<Entry>(statement.unaudited, [limit]),
      audited: Effect.fn("Batches.audited")(function* (ids: ReadonlyArray<string>) {
        yield* database.query(statement.audited, [encode(ids), yield* Clock.currentTimeMillis])
      })
    })
  })
)
