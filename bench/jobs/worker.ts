/** A worker process for the chaos proof: `bun worker.ts DATABASE MODEL CONCURRENCY`. It may be killed at any moment. */
import { Effect } from "effect"
import { AiJobs } from "../../src/domain/ai/ports.ts"
import { workerOf } from "../../src/streams/worker.ts"
import { on } from "./queue.ts"

const [, , database = "", model = "", concurrency = "8"] = process.argv

/** Waits beside the call, so that a stop between claim and outcome is met by this process, not only by the model. */
const beside = Number(process.env.AI_LEASE === "2s" && concurrency === "1" ? 4000 : 0)

const work = workerOf((job) =>
  Effect.gen(function* () {
    const it = yield* AiJobs
    yield* Effect.promise(() => fetch(`${model}/${job.id}`).then((answer) => answer.text()))
    yield* Effect.promise(() => Bun.sleep(beside))
    const receipt = { id: job.id, epoch: job.lease_epoch }
    const result = { by: process.pid, epoch: job.lease_epoch }
    const outcome = { tag: "success", result, flags: [], cache_key: null, followUps: [] } as const
    const [effective] = yield* Effect.orDie(it.settle([{ receipt, model: "stub", outcome, usage: [] }]))
    if (effective !== true) process.send?.({ fenced: job.id })
  })
)
process.send?.({ ready: true })
await Effect.runPromise(work.pipe(Effect.provide(on(database, Number(concurrency)))))
