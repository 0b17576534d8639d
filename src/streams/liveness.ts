import { Clock, Effect, Metric, Option } from "effect"
import { Fatal, type Unavailable } from "../domain/errors.ts"
import { type Checked, livenessFile } from "../domain/liveness.ts"
import * as metrics from "../domain/research/metrics.ts"
import { concurrency } from "../domain/research/pace.ts"
import { paths } from "../domain/research/path.ts"
import { Batches, Datasets, type LivenessJob, Prober } from "../domain/research.ts"
import { type Adaptive, adaptive } from "./adaptive.ts"
import { gate } from "./gate.ts"
import { messagesMax } from "./research.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"

type Needs = Batches | Datasets | Prober

/** A day's files of one country are written by one fiber at a time. */
const turn = gate(1)
const trees = ["liveness", "blocked", "dead"] as const

const probe = (pace: Adaptive, { domains, country }: LivenessJob) =>
  Effect.forEach(
    domains,
    (domain) =>
      pace.permits
        .withPermit(Prober.use((it) => it.check(domain, country)))
        .pipe(Effect.tap((it) => pace.note(it.status === "dead"))),
    { concurrency: concurrency.most }
  )

/** Tells one state of a day from a later one: checks are only ever added. */
const stateOf = (results: ReadonlyArray<Checked>): string =>
  `${results.length} ${results
    .map((it) => it.last_check)
    .toSorted()
    .at(-1)}`

/**
 * The day's results as files (S5.3): latest check of each domain, rewritten atomically from the store, until what was written is what the
 * store says: another process may have checked meanwhile.
 */
const publish = (country: string, day: string) =>
  turn(`${country}/${day}`)(
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const look = steadfast((yield* Batches).checks(country, day))
      let results = yield* look
      while (true) {
        for (const tree of trees) {
          const file = livenessFile(country, day, results, tree)
          yield* steadfast(datasets.replace(paths.liveness(tree, country, day), `${JSON.stringify(file)}\n`))
        }
        const again = yield* look
        if (stateOf(again) === stateOf(results)) return
        results = again
      }
    })
  )

const daysOf = (results: ReadonlyArray<Checked>): ReadonlyArray<string> => [
  ...new Set(results.map((it) => it.last_check.slice(0, 10)))
]

const work = Effect.fnUntraced(function* (pace: Adaptive, { value: job, envelope }: Work<LivenessJob>) {
  const batches = yield* Batches
  const key = { batch_id: job.batch_id, chunk_index: job.chunk_index, part: job.part }
  const left = yield* steadfast(batches.left(key))
  if (left === null) return yield* new Fatal({ code: "bad_data", message: `there is no part ${JSON.stringify(key)}` })
  if (left.part_done) return Option.none<never>()
  const results = yield* probe(pace, job)
  yield* stored(batches.saveChecks(job.country, results))
  for (const it of results) yield* Metric.update(metrics.domains(it.status), 1)
  for (const day of daysOf(results)) yield* publish(job.country, day)
  yield* stored(batches.partDone(key))
  const now = yield* Clock.currentTimeMillis
  yield* Metric.update(metrics.messageSeconds, (now - envelope.occurred_at) / 1000)
  return Option.none<never>()
})

/** Liveness (S5.23): checks each domain once, keeps its history, rewrites the day's files. */
export const liveness = (): Stage<LivenessJob, never, Needs> => {
  const pace = adaptive()
  return stage(
    "researcher",
    messagesMax,
    (message): Effect.Effect<Option.Option<never>, Fatal | Unavailable, Needs> => work(pace, message)
  )
}
