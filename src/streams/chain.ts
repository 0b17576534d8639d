import { Clock, Context, Deferred, Effect, Layer, Metric, Option, Result, Schema, Semaphore, Stream } from "effect"
import type { BadData, Unavailable } from "../domain/errors.ts"
import { type RetryPolicy, suspectFrom } from "../domain/job.ts"
import { failures, type StageLabel, stageMessages } from "../domain/metrics.ts"
import { Policy } from "../domain/policy.ts"
import { Bus, type Delivery, type Receipt, type Settlement, type Sources } from "../domain/ports.ts"
import { type Outgoing, schemaVersion, type Topic } from "../domain/topics.ts"
import { tellPoll } from "./polls.ts"
import { burial, type Outcome, type Requeue, route, type Stage, steadfast, type Work } from "./stage.ts"

/** How a stage takes its input: the part of a row that does not depend on what it gives. */
export interface Intake<I> {
  readonly name: StageLabel
  readonly takes: ReadonlyArray<Topic>
  readonly input: Schema.Codec<I, unknown>
  readonly weight: (topic: Topic) => number
  /** Deliveries out at once, and of one key. */
  readonly limit: (policy: Policy["Service"]) => { readonly limit: number; readonly perKey: number }
  /** True: a delivery may wait long before work on it begins, so the stage itself says when it does. */
  readonly waits: boolean
  readonly retry: RetryPolicy
  /** What an input becomes, and where, when it must be worked on again. `charged`: it counts as an attempt. */
  readonly requeue: (input: I, charged: boolean, topic: Topic) => Requeue
  /** The messages an input is, on its way to a stage in another process. */
  readonly publish: (input: I) => ReadonlyArray<Requeue>
}

/** What the map (`topology.ts`) says of a stage that takes part in the chain. */
export interface Link<I, O, Needs> extends Intake<I> {
  readonly run: (policy: Policy["Service"]) => Stage<I, O, Needs>
}

/** What runs in this process: which stages, when to stop, and which deliveries are out. */
export class Run extends Context.Service<
  Run,
  {
    readonly has: (stage: string) => boolean
    readonly stop: Deferred.Deferred<void>
    readonly out: Map<string, Receipt>
    /** One message under suspicion at a time: its permit, and who holds it. */
    readonly suspicion: { readonly permit: Semaphore.Semaphore; holder: string | null }
  }
>()("crawler/Run") {
  static readonly layer = (stages: ReadonlySet<string>) =>
    Layer.effect(
      Run,
      Effect.map(Deferred.make<void>(), (stop) =>
        Run.of({
          has: (it) => stages.has(it),
          stop,
          out: new Map(),
          suspicion: { permit: Semaphore.makeUnsafe(1), holder: null }
        })
      )
    )
}

/** Ends a delivery at a stage. What follows from it and can never be stored is a dead letter of its input instead. */
const settle = Effect.fnUntraced(function* (delivery: Delivery, stage: StageLabel, settlement: Settlement) {
  const bus = yield* Bus
  const { out, suspicion } = yield* Run
  const bury = ({ message }: BadData) =>
    Effect.flatMap(burial(delivery, stage, { code: "bad_data", message: message.slice(0, 2000) }), (it) =>
      steadfast(bus.settle([it]))
    )
  yield* steadfast(bus.settle([settlement])).pipe(
    Effect.catchTag("BadData", bury),
    Effect.catchTag("BadData", (bad) => Effect.logError(`a settlement could not be stored: ${bad.message}`)),
    Effect.ensuring(
      Effect.suspend(() => {
        out.delete(settlement.receipt.id)
        if (suspicion.holder !== settlement.receipt.id) return Effect.void
        suspicion.holder = null
        return suspicion.permit.release(1)
      })
    )
  )
})

/** The attempts of a job go along with it, as in one process: else one that goes back to the fetcher would do so for ever. */
const outgoing = (delivery: Delivery, to: Requeue, part: number, now: number): Outgoing => ({
  ...delivery.envelope,
  ...to,
  id: `${delivery.envelope.id}>${to.topic}${part === 0 ? "" : `.${part}`}`,
  headers: { ...delivery.envelope.headers, schema: String(schemaVersion) },
  not_before: now
})

/** Hands works to the topic of a stage that runs elsewhere, each with the acknowledgement of its delivery. */
const handOver = <I, E, R>(works: Stream.Stream<Work<I>, E, R>, to: Intake<I>) =>
  Stream.mapEffect(
    works,
    (work) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        settle(work, to.name, {
          receipt: work.receipt,
          publish: to.publish(work.value).map((it, part) => outgoing(work, it, part, now)),
          dead: []
        })
      ),
    { concurrency: "unbounded", unordered: true }
  ).pipe(Stream.drain)

const supported = (version: string | undefined) =>
  version === undefined || version === String(schemaVersion) || version === String(schemaVersion - 1)

/** Decodes a delivery, or explains why it never will: a poison message is a dead letter with its bytes. */
const decode = <I>(
  intake: Intake<I>,
  delivery: Delivery
): Result.Result<Work<I>, { code: string; message: string }> => {
  const { headers, payload } = delivery.envelope
  if (!supported(headers.schema))
    return Result.fail({ code: "schema_unsupported", message: `schema v${headers.schema}` })
  const value = Schema.decodeUnknownResult(intake.input)(payload)
  return Result.isSuccess(value)
    ? Result.succeed({ ...delivery, value: value.success })
    : Result.fail({ code: "decode", message: String(value.failure).slice(0, 2000) })
}

const consume = <I>(intake: Intake<I>, policy: Policy["Service"]) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const bus = yield* Bus
      const run = yield* Run
      const topics = intake.takes.map((topic) => ({ topic, weight: intake.weight(topic) }))
      const subscription = { topics, ...intake.limit(policy), untilDrained: policy.untilDrained }
      return bus.consume(subscription, Deferred.await(run.stop)).pipe(
        Stream.tap((delivery) => Effect.sync(() => run.out.set(delivery.receipt.id, delivery.receipt))),
        Stream.mapEffect(
          (delivery) => Effect.andThen(intake.waits ? Effect.void : alone(delivery), receive(intake, delivery)),
          {
            concurrency: "unbounded",
            unordered: true
          }
        ),
        Stream.filterMap((work) => (Option.isSome(work) ? Result.succeed(work.value) : Result.fail(undefined)))
      )
    })
  )

/** A message that was near several crashes waits until no other such one is being worked on. Asked for before anything that others wait for. */
export const alone = Effect.fnUntraced(function* ({ crashes, receipt }: Delivery) {
  if (crashes < suspectFrom) return
  const { suspicion } = yield* Run
  if (suspicion.holder === receipt.id) return
  yield* suspicion.permit.take(1)
  suspicion.holder = receipt.id
})

const receive = Effect.fnUntraced(function* <I>(intake: Intake<I>, delivery: Delivery) {
  if (!intake.waits) yield* steadfast(Bus.use((bus) => bus.begin([delivery.receipt])))
  const work = decode(intake, delivery)
  if (Result.isSuccess(work)) return Option.some(work.success)
  yield* settle(delivery, intake.name, yield* burial(delivery, intake.name, work.failure))
  return Option.none<Work<I>>()
})

const resultLabels = {
  Retryable: "retryable",
  Suspendable: "suspendable",
  Fatal: "fatal",
  Postponed: "postponed"
} as const

/** Routes what failed or ended; passes on what goes to the next stage. */
const advance = Effect.fnUntraced(function* <I, O>(intake: Intake<I>, outcome: Outcome<I, O>) {
  const { work, result } = outcome
  if (Result.isFailure(result)) {
    const { attemptsMax } = yield* Policy
    const requeue = (charged: boolean) => intake.requeue(work.value, charged, work.envelope.topic)
    const routing = {
      stage: intake.name,
      retry: { ...intake.retry, attempts: Math.min(intake.retry.attempts, attemptsMax) },
      requeue
    }
    yield* Metric.update(stageMessages(intake.name, resultLabels[result.failure._tag]), 1)
    yield* Metric.update(failures(result.failure.code), 1)
    if (result.failure._tag !== "Postponed") yield* tellPoll(work, result.failure.code, result.failure.message)
    yield* settle(work, intake.name, yield* route(work, result.failure, routing))
    return Option.none<Work<O>>()
  }
  yield* Metric.update(stageMessages(intake.name, "done"), 1)
  if (Option.isNone(result.success)) {
    yield* settle(work, intake.name, { receipt: work.receipt, publish: [], dead: [] })
    return Option.none<Work<O>>()
  }
  return Option.some<Work<O>>({ ...work, value: result.success.value })
})

/**
 * One stage of the chain. In this process: its input is what the stage before hands on in memory, and its own topic
 * (work parked by it, or given by other processes). Not in this process: what arrives is published to its topic.
 */
export const link =
  <I, O, Needs>(row: Link<I, O, Needs>) =>
  <E, R>(
    upstream: Stream.Stream<Work<I>, E, R>
  ): Stream.Stream<Work<O>, E | Unavailable, R | Needs | Bus | Run | Policy | Sources> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const run = yield* Run
        const policy = yield* Policy
        if (!run.has(row.name)) return handOver(upstream, row)
        const { concurrency, run: work } = row.run(policy)
        const room = Semaphore.makeUnsafe(concurrency)
        // Work that is over makes room at once: what became of it is stored beside the work on others.
        const through = (it: Work<I>) => Effect.flatMap(room.withPermit(work(it)), (outcome) => advance(row, outcome))
        return Stream.merge(upstream, consume(row, policy)).pipe(
          Stream.mapEffect(through, { concurrency: "unbounded", unordered: true }),
          Stream.filterMap((work) => (Option.isSome(work) ? Result.succeed(work.value) : Result.fail(undefined)))
        )
      })
    )
