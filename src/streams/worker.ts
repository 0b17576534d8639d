import { Clock, Deferred, Duration, Effect, Metric, Option, Stream } from "effect"
import { type AiJob, AiJobType } from "../domain/ai/job.ts"
import { aiRecovered } from "../domain/ai/metrics.ts"
import { dayStart } from "../domain/ai/outcome.ts"
import { AiJobs, AiLedger, AiPolicy, type AiReceipt, type Pass } from "../domain/ai/ports.ts"
import { untilCron } from "../domain/slots.ts"
import { Run } from "./chain.ts"
import { enrichOne } from "./enrich.ts"
import { steadfast } from "./stage.ts"

/** What a worker has out: claimed and not yet settled. Its leases are renewed together. */
export class Holding {
  readonly out = new Map<string, AiReceipt>()
  private ahead = 0
  private asked = 0

  /**
   * How many to claim: as many as are worked on at once, and more where jobs end faster than the store is asked. Work that
   * takes longer than that is never held back from other workers.
   */
  claimSize(concurrency: number, now: number): number {
    const quick = now - this.asked < quickMs
    this.ahead = quick ? Math.min(Math.max(this.ahead, concurrency) * 2, concurrency * aheadMax) : concurrency
    this.asked = now
    return this.ahead
  }
}

/** Time to hand back what is out at the end. */
const releaseMax = "2 seconds"

/** Jobs that all ended within this time (ms) are quick; then up to this many times the concurrency is claimed at once. */
const quickMs = 100
const aheadMax = 4

/** Heartbeats in the life of a lease. */
const beats = 3

/** Renews what is out and takes back what dead workers held; both a third of a lease apart. */
export const heartbeat = Effect.fnUntraced(function* (holding: Holding) {
  const jobs = yield* AiJobs
  const { lease } = yield* AiPolicy
  const every = Duration.millis(Duration.toMillis(lease) / beats)
  const beat = Effect.gen(function* () {
    if (holding.out.size > 0) yield* jobs.renew([...holding.out.values()])
    const recovered = yield* jobs.recover(yield* Clock.currentTimeMillis)
    yield* Metric.update(aiRecovered, recovered)
    if (recovered > 0) yield* Effect.logWarning(`${recovered} AI jobs taken back from workers that are gone`)
  }).pipe(Effect.catch((it) => Effect.logWarning(`AI leases not renewed: ${it.message}`)))
  return yield* Effect.andThen(beat, Effect.sleep(every)).pipe(Effect.forever)
})

/** What may be claimed now: `limit` 0 says that nothing may, until `until`. */
interface Allowance {
  readonly limit: number
  readonly probing: boolean
  readonly until: number | null
}

/** The gate and the budget of the day, before anything is claimed: what may not run stays PENDING. */
const allowance = Effect.fnUntraced(function* (room: number) {
  const ledger = yield* AiLedger
  const { budgetUsd } = yield* AiPolicy
  const now = yield* Clock.currentTimeMillis
  const none = (until: number): Allowance => ({ limit: 0, probing: false, until })
  if (budgetUsd > 0) {
    const today = dayStart(now)
    const spent = yield* steadfast(ledger.spent(today))
    if (spent >= budgetUsd) return none(dayStart(today + 86_400_000))
  }
  const pass: Pass = yield* steadfast(ledger.look(now))
  if (pass.tag === "open") return { limit: room, probing: false, until: null }
  return pass.tag === "closed" && pass.until > now ? none(pass.until) : { limit: 1, probing: true, until: null }
})

/** Hands jobs back unworked: nothing is counted. */
const release = Effect.fnUntraced(function* (receipts: ReadonlyArray<AiReceipt>) {
  const jobs = yield* AiJobs
  const back = receipts.map((receipt) => ({ receipt, model: null, outcome: { tag: "release" as const }, usage: [] }))
  if (back.length > 0) yield* steadfast(jobs.settle(back))
})

/** A probe is taken only when there is a job to try it on. */
const probe = Effect.fnUntraced(function* (claimed: ReadonlyArray<AiJob>, holding: Holding) {
  const ledger = yield* AiLedger
  const pass: Pass = yield* steadfast(ledger.pass(yield* Clock.currentTimeMillis))
  if (pass.tag !== "closed") return claimed
  yield* release(claimed.map(receiptOf))
  for (const it of claimed) holding.out.delete(it.id)
  return []
})

const receiptOf = (job: AiJob): AiReceipt => ({ id: job.id, epoch: job.lease_epoch })

interface Taken {
  readonly job: AiJob
  readonly probing: boolean
}

/** Jobs to work on, or until when there is nothing to do. What is claimed is known at once, so that none is forgotten. */
const take = Effect.fnUntraced(function* (holding: Holding) {
  const jobs = yield* AiJobs
  const { batch, concurrency, learning } = yield* AiPolicy
  // Taken while as many are still being worked on: nobody waits for the store between two jobs.
  const now = yield* Clock.currentTimeMillis
  const { limit, probing, until } = yield* allowance(holding.claimSize(concurrency, now))
  // A rule that is being learned when learning is switched off stays where it is.
  const wanted = AiJobType.literals.filter((type) => type !== "PARSING_RULE" || learning.enabled)
  const types = wanted.map((type) => ({ type, max: Math.min(batch, limit) }))
  const claim = Effect.tap(jobs.claim({ types, limit, now }), (found) =>
    Effect.sync(() => {
      for (const it of found) holding.out.set(it.id, receiptOf(it))
    })
  ).pipe(Effect.uninterruptible)
  const claimed = limit <= 0 ? [] : yield* steadfast(claim)
  const kept = probing && claimed.length > 0 ? yield* probe(claimed, holding) : claimed
  return { taken: kept.map((job): Taken => ({ job, probing })), until }
})

/** Waits for new work, the next due job, the gate, or the cron's next time, whichever comes first. */
const rest = Effect.fnUntraced(function* (until: number | null) {
  const jobs = yield* AiJobs
  const { workerCron } = yield* AiPolicy
  const due = until === null ? yield* steadfast(jobs.nextDue) : null
  const now = yield* Clock.currentTimeMillis
  const own = untilCron(workerCron, now)
  const named = until ?? due
  const wait = Math.max(1, named === null ? own : Math.min(own, named - now))
  yield* Effect.raceFirst(jobs.arrival, Effect.sleep(Duration.millis(wait)))
})

const claims = (holding: Holding) =>
  Stream.paginate(undefined, () =>
    Effect.gen(function* () {
      const { stop } = yield* Run
      while (!Deferred.isDoneUnsafe(stop)) {
        const { taken, until } = yield* take(holding)
        if (taken.length > 0) return [taken, Option.some(undefined)] as const
        yield* Effect.raceFirst(rest(until), Deferred.await(stop))
      }
      return [[], Option.none()] as const
    })
  )

/**
 * Takes jobs as they come and works on AI_WORKER_CONCURRENCY of them at once. Told to stop, it takes no more and ends when
 * those it has are done; interrupted, it hands them back. `work` stores the outcome of its job itself.
 */
export const workerOf = Effect.fnUntraced(function* <R>(
  work: (job: AiJob, probing: boolean) => Effect.Effect<void, never, R>
) {
  const { concurrency } = yield* AiPolicy
  const holding = new Holding()
  const all = claims(holding).pipe(
    Stream.mapEffect(
      ({ job, probing }) => Effect.tap(work(job, probing), () => Effect.sync(() => holding.out.delete(job.id))),
      { concurrency, unordered: true }
    ),
    Stream.runDrain
  )
  return yield* Effect.raceFirst(all, heartbeat(holding)).pipe(
    // A store that is gone by then has nothing to be told: the leases run out.
    Effect.onInterrupt(() => Effect.ignore(Effect.timeoutOption(release([...holding.out.values()]), releaseMax)))
  )
})

/** The enricher: each job is a question to the model. */
export const worker = workerOf(enrichOne)

/** S3.17, by AI_SWEEPER_CRON: jobs that run for too long and jobs that are due wait no longer. */
export const aiSweep = Effect.gen(function* () {
  const jobs = yield* AiJobs
  const { retry, stuckAfter, sweeperCron } = yield* AiPolicy
  const sweep = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const { stuck } = yield* jobs.sweep(now, now - Duration.toMillis(stuckAfter), retry)
    const recovered = stuck + (yield* jobs.recover(now))
    yield* Metric.update(aiRecovered, recovered)
    if (recovered > 0) yield* Effect.logWarning(`the sweeper took back ${recovered} AI jobs`)
  }).pipe(Effect.catch((it) => Effect.logWarning(`the AI sweeper waits: ${it.message}`)))
  const wait = Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(untilCron(sweeperCron, now)))
  return yield* Effect.andThen(wait, sweep).pipe(Effect.forever)
})
