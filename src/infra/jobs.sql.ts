import { Clock, Duration, Effect, Latch, Layer } from "effect"
import { type AiCode, codesOf } from "../domain/ai/codes.ts"
import { type AiJob, crashesMax } from "../domain/ai/job.ts"
import {
  type AiJobQuery,
  AiJobs,
  type AiReceipt,
  type AiSettlement,
  type AiStored,
  type NewAiJob,
  type ResumeAnswer
} from "../domain/ai/ports.ts"
import type { Unavailable } from "../domain/errors.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { byRow, grouped } from "./grouped.ts"
import { listening } from "./jobs.listen.ts"
import * as statement from "./sql/aijobs.ts"
import { inBatches, noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** Jobs of one inserting statement: they are small, and a server takes a thousand in the time of a few. */
const enqueueRows = 1000
/** Jobs resumed by one statement. */
const resumeRows = 10_000
/** Jobs that end together are stored together. */
const settleLinger = Duration.millis(1)
/** Settlements of one statement. */
const settleRows = 500

type Store = (typeof Database)["Service"]
type Jobs = AiJobs["Service"]

const encodeReceipts = (receipts: ReadonlyArray<AiReceipt>): string =>
  encode(receipts.map(({ id, epoch }) => ({ id, epoch })))

/** A settlement's columns; what an outcome does not say is null. */
const columnsOf = ({ receipt, model, outcome }: AiSettlement, at: number) => {
  const base = { ...receipt, at, model }
  switch (outcome.tag) {
    case "success":
      return { ...base, status: "SUCCESS", result: outcome.result, flags: outcome.flags, cache_key: outcome.cache_key }
    case "retry": {
      const { code, message, next_run_at, retry_count, bad_outputs } = outcome
      return { ...base, status: "RETRY_WAIT", code, message, next_run_at, retry_count, bad_outputs }
    }
    case "suspend":
      return { ...base, status: "SUSPENDED", code: outcome.code, message: outcome.message }
    case "fail":
      return { ...base, status: "FAILED", code: outcome.code, message: outcome.message }
    case "release":
      return { ...base, status: "PENDING" }
  }
}

const followUpsOf = ({ receipt, outcome }: AiSettlement) =>
  outcome.tag === "success" ? outcome.followUps.map((it) => ({ owner: receipt.id, ...it })) : []

const settling = (database: Store, wake: Effect.Effect<void>) =>
  Effect.fn("AiJobs.settle")(function* (
    settlements: ReadonlyArray<AiSettlement>
  ): Effect.fn.Return<ReadonlyArray<boolean>, Unavailable> {
    const at = yield* Clock.currentTimeMillis
    const send = (part: ReadonlyArray<AiSettlement>) =>
      database.query<{ id: string }>(statement.settle, [
        encode(part.map((it) => columnsOf(it, at))),
        encode(part.flatMap(followUpsOf)),
        encode(part.flatMap((it) => it.usage))
      ])
    const batching = {
      key: (it: AiSettlement) => `${it.receipt.id} ${it.receipt.epoch}`,
      bytes: (it: AiSettlement) =>
        it.outcome.tag === "success" ? encode(it.outcome.result ?? null).length + 500 : 300,
      rowsMax: settleRows
    }
    const { answers, bad } = yield* inBatches(settlements, batching, send)
    const refused = bad.map(
      ({ row, message }): AiSettlement => ({
        ...row,
        outcome: { tag: "fail", code: "defect", message: `the result could not be stored: ${message}` }
      })
    )
    const more = yield* inBatches(refused, batching, send)
    const ended = new Set([...answers, ...more.answers].map((it) => it.id))
    if (settlements.some((it) => followUpsOf(it).length > 0)) yield* wake
    return settlements.map((it) => ended.has(it.receipt.id))
  })

const writing = (database: Store, wake: Effect.Effect<void>, leaseMs: number) => {
  const enqueue = Effect.fn("AiJobs.enqueue")(function* (jobs: ReadonlyArray<NewAiJob>) {
    const rows = jobs.map(
      (it): Encoded => ({ id: `${it.article_id} ${it.type} ${it.prompt_version}`, json: encode(it) })
    )
    const batching = { key: (it: Encoded) => it.id, bytes: encodedSize, rowsMax: enqueueRows }
    const answers = yield* writeAll(rows, batching, (part) =>
      database.query<{ fresh: number }>(statement.enqueue, [arrayOf(part.map((it) => it.json))])
    )
    const fresh = answers.reduce((sum, it) => sum + it.fresh, 0)
    if (fresh > 0) yield* wake
    return fresh
  })
  const claim: Jobs["claim"] = Effect.fn("AiJobs.claim")(function* ({ types, limit, now }) {
    const until = (yield* database.leaseClock) + leaseMs
    return yield* noBadData(database.query<AiJob>(statement.claim, [encode(types), now, until, limit]))
  }, Effect.uninterruptible)
  const renew = Effect.fn("AiJobs.renew")(function* (receipts: ReadonlyArray<AiReceipt>) {
    const until = (yield* database.leaseClock) + leaseMs
    const rows = yield* noBadData(database.query<{ id: string }>(statement.renew, [encodeReceipts(receipts), until]))
    return new Set(rows.map((it) => it.id))
  })
  const recover = Effect.fn("AiJobs.recover")(function* () {
    const rows = yield* noBadData(database.query(statement.recover, [yield* database.leaseClock, crashesMax]))
    if (rows.length > 0) yield* wake
    return rows.length
  })
  const sweep: Jobs["sweep"] = Effect.fn("AiJobs.sweep")(function* (now, stuckBefore, retry) {
    const base = Duration.toMillis(retry.base)
    const cap = Duration.toMillis(retry.cap)
    const stuck = yield* noBadData(database.query(statement.stuck, [now, stuckBefore, base, cap]))
    const due = yield* noBadData(database.query(statement.due, [now]))
    if (due.length > 0) yield* wake
    return { stuck: stuck.length, due: due.length }
  })
  return { enqueue, claim, renew, recover, sweep }
}

/** An id of ours is a whole number; anything else names nothing. */
const isId = (id: string): boolean => /^\d{1,18}$/.test(id)

const operating = (database: Store, wake: Effect.Effect<void>) => {
  const find = Effect.fn("AiJobs.find")(function* (id: string) {
    if (!isId(id)) return null
    const [job] = yield* noBadData(database.query<AiJob>(statement.find, [id]))
    return job ?? null
  })
  const change = (id: string, rows: ReadonlyArray<AiJob>): Effect.Effect<ResumeAnswer, Unavailable> =>
    Effect.map(find(id), (job) => ({ changed: rows.length > 0, job }))
  const resume: Jobs["resume"] = Effect.fn("AiJobs.resume")(function* (id, actor) {
    if (!isId(id)) return { changed: false, job: null }
    const rows = yield* noBadData(database.query<AiJob>(statement.resume, [id, encodeText(actor)]))
    if (rows.length > 0) yield* wake
    return yield* change(id, rows)
  })
  const cancel: Jobs["cancel"] = Effect.fn("AiJobs.cancel")(function* (id, actor) {
    if (!isId(id)) return { changed: false, job: null }
    const now = yield* Clock.currentTimeMillis
    return yield* change(id, yield* noBadData(database.query<AiJob>(statement.cancel, [id, encodeText(actor), now])))
  })
  const resumeAll: Jobs["resumeAll"] = Effect.fn("AiJobs.resumeAll")(function* (reason, actor) {
    const codes: ReadonlyArray<AiCode> = codesOf[reason]
    let total = 0
    for (let more = true; more; ) {
      const parameters = [encode(codes), encodeText(actor), reason, resumeRows]
      const [row] = yield* noBadData(database.query<{ n: number }>(statement.resumeAll, parameters))
      total += row?.n ?? 0
      more = row?.n === resumeRows
    }
    if (total > 0) yield* wake
    return total
  })
  return { find, resume, cancel, resumeAll }
}

const reading = (database: Store) => {
  const list = Effect.fn("AiJobs.list")(({ status, type, article_id, after, limit }: AiJobQuery) =>
    noBadData(
      database.query<AiJob>(statement.list, [
        status ?? null,
        type ?? null,
        article_id === undefined ? null : encodeText(article_id),
        after === undefined || !isId(after) ? null : after,
        limit
      ])
    )
  )
  const first = (text: string, parameters: ReadonlyArray<string>) =>
    Effect.map(noBadData(database.query<AiStored>(text, parameters)), ([row]) => row ?? null)
  return {
    list,
    counts: noBadData(database.query<Effect.Success<Jobs["counts"]>[number]>(statement.counts)),
    nextDue: Effect.map(
      noBadData(database.query<{ at: number | null }>(statement.nextDue)),
      ([row]) => row?.at ?? null
    ),
    result: (article_id: string, type: string) => first(statement.result, [encodeText(article_id), type]),
    cached: (key: string) => first(statement.cached, [encodeText(key)])
  }
}

/** AI jobs in Postgres. Workers of this process are woken by its own writes, those of others by a notice of the server. */
export const layer: Layer.Layer<AiJobs, never, Database | Settings> = Layer.effect(
  AiJobs,
  Effect.gen(function* () {
    const database = yield* Database
    const { AI_LEASE, DATABASE_CONNECTIONS, DATABASE_URL } = yield* Settings
    const latch = Latch.makeUnsafe(true)
    const wake = Effect.sync(() => latch.openUnsafe())
    if (DATABASE_URL !== null && DATABASE_CONNECTIONS > 1) {
      yield* listening(DATABASE_URL, statement.channel, () => latch.openUnsafe())
    }
    const writers = writing(database, wake, Duration.toMillis(AI_LEASE))
    const settle = yield* grouped(settling(database, wake), byRow, { max: settleRows, linger: settleLinger })
    return AiJobs.of({
      ...writers,
      ...operating(database, wake),
      ...reading(database),
      settle: (settlements) => noBadData(settle(settlements)),
      arrival: Effect.andThen(latch.await, latch.close)
    })
  })
)
