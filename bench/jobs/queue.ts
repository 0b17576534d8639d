/** The table of AI jobs as the job benchmark sees a queue: jobs without work, on a Postgres server. */
import { Duration, Effect, Layer, ManagedRuntime, Result } from "effect"
import { AiJobs, type NewAiJob } from "../../src/domain/ai/ports.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as postgres from "../../src/infra/database.postgres.ts"
import { Database } from "../../src/infra/database.ts"
import * as jobs from "../../src/infra/jobs.sql.ts"
import * as ledger from "../../src/infra/ledger.sql.ts"
import { migrate } from "../../src/infra/migrate.ts"
import { Run } from "../../src/streams/chain.ts"
import { workerOf } from "../../src/streams/worker.ts"
import { aiPolicy } from "../../test/support/ai.ts"

/** The proof's lease: work of a killed worker is back within 15 s. */
const LEASE = process.env.AI_LEASE ?? "10s"
const BULK = 1000

const settings = (url: string) => {
  const values = load({ DATABASE_URL: url, AI_LEASE: LEASE, DATABASE_CONNECTIONS: "8", LOG_LEVEL: "error" })
  if (Result.isFailure(values)) throw new Error(JSON.stringify(values.failure))
  return Layer.succeed(Settings, values.success)
}

/** Brings an empty server to this version's schema. */
export const prepare = (url: string): Promise<unknown> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(postgres.connectTo(url, 1), (it) => migrate(it, null))).pipe(
      Effect.provide(settings(url))
    )
  )

/** Everything a worker needs, on this server. */
export const on = (url: string, concurrency: number) => {
  const leaseMs = Number.parseFloat(LEASE) * 1000
  const policy = aiPolicy({ batch: concurrency * 4, concurrency, lease: Duration.millis(leaseMs) })
  const base = Layer.merge(postgres.layer.pipe(Layer.provideMerge(settings(url))), Run.layer(new Set(["enricher"])))
  return Layer.mergeAll(jobs.layer, ledger.layer, policy).pipe(Layer.provideMerge(base))
}

/** A job carries its data as the name of its article. */
export const jobOf = (data: unknown): NewAiJob => ({
  article_id: JSON.stringify(data),
  type: "INSIGHT",
  prompt_version: "1",
  max_retries: 5,
  requested_at: Date.now()
})

type Work = (data: unknown) => Promise<void>

/** Runs each job and ends it well. Its failure is a defect of the benchmark. */
export const working = (work: Work) =>
  workerOf((job) =>
    Effect.gen(function* () {
      yield* Effect.promise(() => work(JSON.parse(job.article_id)))
      const receipt = { id: job.id, epoch: job.lease_epoch }
      const outcome = { tag: "success", result: null, flags: [], cache_key: null, followUps: [] } as const
      const it = yield* AiJobs
      yield* Effect.orDie(it.settle([{ receipt, model: null, outcome, usage: [] }]))
    })
  )

export const queue = async (url: string, concurrency = 50) => {
  await prepare(url)
  const runtime = ManagedRuntime.make(on(url, concurrency))
  const enqueue = (all: ReadonlyArray<unknown>) => runtime.runPromise(AiJobs.use((it) => it.enqueue(all.map(jobOf))))
  return {
    reset: () => runtime.runPromise(Database.use((it) => it.script("truncate ai_jobs"))),
    add: (data: unknown) => enqueue([data]),
    enqueueBulk: async (all: ReadonlyArray<unknown>) => {
      for (let from = 0; from < all.length; from += BULK) await enqueue(all.slice(from, from + BULK))
    },
    work: async (most: number, run: Work) => {
      const own = ManagedRuntime.make(on(url, most))
      await own.runPromise(Database.use((it) => it.query("select 1")))
      void own.runPromise(working(run))
    },
    close: () => runtime.dispose()
  }
}
