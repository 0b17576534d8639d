/**
 * Proof quota: quota exhausted with 1,000 jobs pending: calls ≤ workers, then ≤ 1 a minute over the whole fleet; resumed by
 * reason, all 1,000 are SUCCESS.
 */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { AiJobs, AiLedger } from "../../src/domain/ai/ports.ts"
import * as ledgers from "../../src/infra/ledger.sql.ts"
import * as enricher from "../../src/streams/worker.ts"
import { article, articleText } from "../../test/support/ai.ts"
import { openai } from "../../test/support/openai.ts"
import * as stand from "../jobs/stand.ts"
import { prove } from "./proof.ts"

const JOBS = Number(process.env.JOBS ?? 1000)
const WORKERS = 8
const MINUTES = Number(process.env.MINUTES ?? 3)

await prove(async (bench) => {
  let exhausted = true
  const stub = openai({
    behave: () => (exhausted ? { as: "error", status: 429, code: "insufficient_quota" } : { as: "well" })
  })
  bench.later(stub.stop)
  const articles = Array.from({ length: JOBS }, (_, at) =>
    article(`a${at}`, { text: `${at}번째 소식을 전한다.\n${articleText}` })
  )
  const seen = await Effect.runPromise(
    Effect.gen(function* () {
      yield* stand.save(articles)
      yield* stand.ask(articles)
      yield* Effect.forEach(Array.from({ length: WORKERS }), () =>
        Effect.forkScoped(Effect.provide(enricher.worker, stand.worker(1)))
      )
      yield* Effect.sleep("10 seconds")
      const atOnce = stub.requests.length
      const [pending] = yield* stand.rows<{ n: number }>(
        "select count(*)::int as n from ai_jobs where status = 'PENDING'"
      )
      yield* Effect.sleep(MINUTES * 60_000)
      const later = stub.requests.length - atOnce
      const [first] = stub.requests.slice(atOnce)
      const gaps = stub.requests.slice(atOnce).map((it, i, all) => it.at - (all[i - 1]?.at ?? it.at))
      exhausted = false
      const ledger = yield* AiLedger
      yield* ledger.open
      const resumed = yield* (yield* AiJobs).resumeAll("QUOTA", "proof")
      const success = yield* stand.until(stand.done("type = 'SUMMARY'"), JOBS, 600)
      const shortest = Math.min(...gaps.slice(1))
      return { atOnce, later, pending: pending?.n ?? 0, resumed, success, shortest, first }
    }).pipe(
      Effect.scoped,
      Effect.provide(ledgers.layer.pipe(Layer.provideMerge(stand.store(join(bench.folder, "data"), stub.url))))
    )
  )
  const { atOnce, later, pending, resumed, success } = seen
  return {
    rows: [
      {
        jobs: JOBS,
        workers: WORKERS,
        "calls at once": atOnce,
        "still pending": pending,
        minutes: MINUTES,
        "calls in them": later,
        resumed,
        success
      }
    ],
    figure: `quota: ${atOnce} calls by ${WORKERS} workers, then ${later} in ${MINUTES} minutes; ${resumed} resumed by reason, ${success} of ${JOBS} SUCCESS`,
    holds: atOnce <= WORKERS && later <= MINUTES && resumed === atOnce + later && success === JOBS
  }
})
