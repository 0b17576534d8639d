import { Clock, Duration, Effect, Latch, Layer } from "effect"
import { codesOf } from "../domain/ai/codes.ts"
import { type AiEvent, type AiJob, crashesMax, next } from "../domain/ai/job.ts"
import {
  AiJobs,
  type AiReceipt,
  type AiSettlement,
  type AiStored,
  type AiUsage,
  type NewAiJob
} from "../domain/ai/ports.ts"
import { backoff } from "../domain/job.ts"
import { Settings } from "./config.ts"

type Jobs = AiJobs["Service"]
interface Row {
  job: AiJob
  leasedUntil: number
  crashes: number
}
interface Kept extends AiStored {
  readonly cache_key: string | null
}

/** What a store in memory holds; the ledger of the same process reads its usage. */
export class AiMemory {
  readonly rows = new Map<string, Row>()
  readonly byKey = new Map<string, string>()
  readonly results = new Map<string, Kept>()
  readonly usage = new Map<string, AiUsage>()
  readonly latch = Latch.makeUnsafe(true)
  private last = 0

  add({ article_id, type, prompt_version, max_retries, requested_at }: NewAiJob): boolean {
    const key = `${article_id} ${type} ${prompt_version}`
    if (this.byKey.has(key)) return false
    const id = String(++this.last)
    this.byKey.set(key, id)
    const none = { next_run_at: null, running_started_at: null, last_error_code: null, last_error_message: null }
    const times = { requested_at, started_at: null, finished_at: null }
    const counts = { retry_count: 0, bad_outputs: 0, max_retries, lease_epoch: 0 }
    const job: AiJob = {
      id,
      article_id,
      type,
      prompt_version,
      model: null,
      status: "PENDING",
      ...none,
      ...times,
      ...counts
    }
    this.rows.set(id, { job, leasedUntil: 0, crashes: 0 })
    this.latch.openUnsafe()
    return true
  }

  held({ id, epoch }: AiReceipt): Row | null {
    const row = this.rows.get(id)
    return row !== undefined && row.job.status === "RUNNING" && row.job.lease_epoch === epoch ? row : null
  }

  /** Moves a job on if the table of transitions lets it. */
  move(row: Row, event: AiEvent, more: Partial<AiJob> = {}): boolean {
    const status = next(row.job.status, event)
    if (status === null) return false
    row.job = {
      ...row.job,
      status,
      next_run_at: null,
      ...(status === "RUNNING" ? {} : { running_started_at: null }),
      ...more
    }
    return true
  }

  end({ receipt, model, outcome, usage }: AiSettlement, at: number): boolean {
    for (const it of usage) if (!this.usage.has(it.id)) this.usage.set(it.id, it)
    const row = this.held(receipt)
    if (row === null) return false
    if (outcome.tag !== "release") row.crashes = 0
    const by = { model: model ?? row.job.model }
    switch (outcome.tag) {
      case "success": {
        const { article_id, type, prompt_version } = row.job
        const { result, flags, cache_key } = outcome
        this.move(row, "succeed", { ...by, finished_at: at, last_error_code: null, last_error_message: null })
        if (result !== null) {
          this.results.set(`${article_id} ${type} ${prompt_version}`, { result, flags, model: model ?? "", cache_key })
        }
        for (const it of outcome.followUps) this.add(it)
        return true
      }
      case "retry": {
        const { code, message, next_run_at, retry_count, bad_outputs } = outcome
        const failure = { last_error_code: code, last_error_message: message }
        return this.move(row, "retry", { ...by, ...failure, next_run_at, retry_count, bad_outputs })
      }
      case "suspend":
        return this.move(row, "suspend", { ...by, last_error_code: outcome.code, last_error_message: outcome.message })
      case "fail": {
        const failure = { last_error_code: outcome.code, last_error_message: outcome.message }
        return this.move(row, "fail", { ...by, ...failure, finished_at: at })
      }
      case "release":
        return this.move(row, "release")
    }
  }

  lose(row: Row, now: number): void {
    row.crashes += 1
    const message = { last_error_message: "the worker's lease ran out without an outcome" }
    if (row.crashes >= crashesMax)
      this.move(row, "fail", { ...message, last_error_code: "crash_loop", finished_at: now })
    else this.move(row, "lease_lost", { ...message, last_error_code: "lease_lost", next_run_at: now })
    this.latch.openUnsafe()
  }

  all(...statuses: ReadonlyArray<AiJob["status"]>): ReadonlyArray<Row> {
    return [...this.rows.values()].filter((it) => statuses.includes(it.job.status))
  }
}

const claiming = (memory: AiMemory, leaseMs: number) =>
  Effect.fnUntraced(function* ({ types, limit, now }: Parameters<Jobs["claim"]>[0]) {
    const wanted = new Map(types.map((it) => [it.type, it.max]))
    const due = memory.all("RETRY_WAIT").filter(({ job }) => wanted.has(job.type) && (job.next_run_at ?? 0) <= now)
    for (const it of due) memory.move(it, "due")
    const taken: Array<AiJob> = []
    for (const row of memory.all("PENDING")) {
      const left = wanted.get(row.job.type) ?? 0
      if (left === 0 || taken.length >= limit) continue
      wanted.set(row.job.type, left - 1)
      const started = { running_started_at: now, started_at: row.job.started_at ?? now }
      memory.move(row, "claim", { ...started, lease_epoch: row.job.lease_epoch + 1 })
      row.leasedUntil = now + leaseMs
      taken.push(row.job)
    }
    return taken
  })

const sweeping =
  (memory: AiMemory): Jobs["sweep"] =>
  (now, stuckBefore, retry) =>
    Effect.sync(() => {
      const stuck = memory.all("RUNNING").filter(({ job }) => (job.running_started_at ?? now) < stuckBefore)
      for (const it of stuck) {
        const { lease_epoch, max_retries, retry_count } = it.job
        const more = { lease_epoch: lease_epoch + 1, retry_count: retry_count + 1, last_error_code: "stuck" as const }
        const wait = Duration.toMillis(backoff({ ...retry, jitter: 0 }, retry_count + 1, 0))
        if (retry_count >= max_retries) memory.move(it, "fail", { ...more, finished_at: now })
        else memory.move(it, "stuck", { ...more, next_run_at: now + wait })
      }
      const due = memory.all("RETRY_WAIT").filter(({ job }) => (job.next_run_at ?? 0) <= now)
      for (const it of due) memory.move(it, "due")
      if (due.length > 0) memory.latch.openUnsafe()
      return { stuck: stuck.length, due: due.length }
    })

const operating = (memory: AiMemory): Pick<Jobs, "resume" | "resumeAll" | "cancel" | "find" | "list"> => {
  const anew = { retry_count: 0, bad_outputs: 0 }
  const change = (id: string, work: (row: Row) => boolean) => {
    const row = memory.rows.get(id)
    const changed = row !== undefined && work(row)
    if (changed) memory.latch.openUnsafe()
    return { changed, job: row?.job ?? null }
  }
  return {
    find: (id) => Effect.sync(() => memory.rows.get(id)?.job ?? null),
    list: ({ status, type, article_id, after, limit }) =>
      Effect.sync(() =>
        [...memory.rows.values()]
          .map((it) => it.job)
          .filter((it) => (status ?? it.status) === it.status && (type ?? it.type) === it.type)
          .filter((it) => (article_id ?? it.article_id) === it.article_id && Number(it.id) > Number(after ?? 0))
          .slice(0, limit)
      ),
    resume: (id) => Effect.sync(() => change(id, (row) => memory.move(row, "resume", anew))),
    resumeAll: (reason) =>
      Effect.sync(() => {
        const codes: ReadonlyArray<string | null> = codesOf[reason]
        const rows = memory.all("SUSPENDED").filter(({ job }) => codes.includes(job.last_error_code))
        for (const it of rows) memory.move(it, "resume", anew)
        memory.latch.openUnsafe()
        return rows.length
      }),
    cancel: (id) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        change(id, (row) => {
          const fenced = { lease_epoch: row.job.lease_epoch + 1, finished_at: now }
          return memory.move(row, "cancel", { ...fenced, last_error_code: "cancelled" })
        })
      )
  }
}

const counting = (memory: AiMemory): Jobs["counts"] =>
  Effect.sync(() => {
    const groups = Map.groupBy(memory.rows.values(), ({ job }) => `${job.type} ${job.status}`)
    return [...groups.values()].flatMap((rows) => {
      const [first] = rows
      if (first === undefined) return []
      const { status, type } = first.job
      return [{ type, status, jobs: rows.length, oldest: Math.min(...rows.map(({ job }) => job.requested_at)) }]
    })
  })

/** AI jobs in memory, for virtual time: the same promises, by the same table of transitions. */
export const layerOf = (memory: AiMemory): Layer.Layer<AiJobs, never, Settings> =>
  Layer.effect(
    AiJobs,
    Effect.map(Settings, ({ AI_LEASE }) => {
      const leaseMs = Duration.toMillis(AI_LEASE)
      const kept = (found: Kept | undefined): AiStored | null => found ?? null
      return AiJobs.of({
        ...operating(memory),
        enqueue: (jobs) => Effect.sync(() => jobs.filter((it) => memory.add(it)).length),
        claim: claiming(memory, leaseMs),
        renew: (receipts) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const held = receipts.flatMap((it) => memory.held(it) ?? [])
            for (const it of held) it.leasedUntil = now + leaseMs
            return new Set(held.map((it) => it.job.id))
          }),
        settle: (settlements) =>
          Effect.map(Clock.currentTimeMillis, (now) => settlements.map((it) => memory.end(it, now))),
        recover: (now) =>
          Effect.sync(() => {
            const lost = memory.all("RUNNING").filter((it) => it.leasedUntil < now)
            for (const it of lost) memory.lose(it, now)
            return lost.length
          }),
        sweep: sweeping(memory),
        nextDue: Effect.sync(() => {
          const dues = memory.all("RETRY_WAIT").map(({ job }) => job.next_run_at ?? 0)
          return dues.length === 0 ? null : Math.min(...dues)
        }),
        arrival: Effect.andThen(memory.latch.await, memory.latch.close),
        counts: counting(memory),
        result: (article_id, type) =>
          Effect.sync(() =>
            kept([...memory.results].findLast(([key]) => key.startsWith(`${article_id} ${type} `))?.[1])
          ),
        cached: (key) => Effect.sync(() => kept([...memory.results.values()].find((it) => it.cache_key === key)))
      })
    })
  )
