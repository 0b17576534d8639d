import { Clock, Duration, Effect, Exit, Latch, Option, type Scope, Stream } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import { crashesMax } from "../domain/job.ts"
import { lookAgainMs, waitOut } from "../domain/outage.ts"
import type { Delivery, Receipt, Subscription } from "../domain/ports.ts"
import type { Topic } from "../domain/topics.ts"
import type { Database } from "./database.ts"
import { Hand } from "./hand.ts"
import { noBadData } from "./sql/batches.ts"
import * as statement from "./sql/bus.ts"
import { envelopeOf, type MessageRow } from "./sql/messages.ts"
import { encode } from "./sql/rows.ts"

/** Rows looked at per topic and claim, beyond the wanted number: room for several messages of one key. */
const lookAhead = 16
/** Due messages looked at per topic and claim. Only a host's long backlog fills them; then the keys are walked. */
const depth = 1000
/** Keys of a crowded topic looked at per claim, in turn. */
const keysWalked = 100

export interface Timing {
  readonly leaseMs: number
  readonly pollMs: number
}

/** Where a walk through a topic's keys ended: null after the last one. */
interface WalkEnd {
  readonly id: null
  readonly topic: Topic
  readonly key: string | null
}

/** When the next unleased message is due, and whether any is leased. */
interface Outlook {
  readonly next_due: number | null
  readonly leased: boolean | null
}

/** What a consumer asks of its bus: rows that are no envelope are buried at once. */
export type Bury = (rows: ReadonlyArray<MessageRow>) => Effect.Effect<void, Unavailable>

/** How long a consumer waits between looks at a database that is down. */
const pause = Duration.millis(lookAgainMs)
const lookAgain = <A>(look: Effect.Effect<A, Unavailable>, meanwhile: A, isOver: () => boolean): Effect.Effect<A> =>
  Effect.andThen(
    Effect.sleep(pause),
    Effect.suspend(() =>
      isOver() ? Effect.succeed(meanwhile) : Effect.catch(look, () => lookAgain(look, meanwhile, isOver))
    )
  )

/** A database that is down is no end of the stream: the consumer waits and looks again, until it is told to stop. */
export const patient = <A>(
  look: Effect.Effect<A, Unavailable>,
  meanwhile: A,
  isOver: () => boolean
): Effect.Effect<A> => Effect.catch(look, (error) => waitOut(error, lookAgain(look, meanwhile, isOver), isOver))

/** Claimed rows as deliveries, and those that are no envelope. */
export const decodeRows = (rows: ReadonlyArray<MessageRow>) => {
  const decoded = rows.map((row) => ({ row, envelope: envelopeOf(row) }))
  const deliveries = decoded.flatMap(
    ({ row: { id, lease, starts }, envelope }): ReadonlyArray<Delivery> =>
      Option.isNone(envelope)
        ? []
        : [{ envelope: envelope.value, crashes: starts, receipt: { id, topic: envelope.value.topic, lease } }]
  )
  return { deliveries, broken: decoded.flatMap((it) => (Option.isNone(it.envelope) ? [it.row] : [])) }
}

/** One consumer of this process: what it has out, whose turn it is among its topics, and the latch that new work opens. */
export class Consumer {
  readonly wake = Latch.makeUnsafe(false)
  readonly out = new Map<string, Receipt>()
  stopping = false
  private virtual = 0
  private readonly hand = new Hand(this.out)
  /** Where the walk through a crowded topic's keys goes on. */
  private walking = false
  private readonly walked = new Map<Topic, string>()
  private readonly finish = new Map<Topic, number>()

  constructor(
    readonly subscription: Subscription,
    private readonly database: (typeof Database)["Service"],
    private readonly timing: Timing,
    private readonly bury: Bury,
    private readonly claiming: string = statement.claim
  ) {}

  private readonly isStopping = (): boolean => this.stopping

  readonly ended = (): void => {
    this.hand.eased()
  }

  /** What the claiming statement must know of each topic. A topic that was idle does not save up turns. */
  private wanted() {
    const busy = Map.groupBy(this.out.values(), (it) => it.topic)
    return this.subscription.topics.map(({ topic, weight }) => ({
      topic,
      weight,
      busy: busy.get(topic)?.length ?? 0,
      start: Math.max(this.virtual, this.finish.get(topic) ?? 0),
      key: this.walked.get(topic) ?? ""
    }))
  }

  private took(deliveries: ReadonlyArray<Delivery>): void {
    const weights = new Map(this.subscription.topics.map((it) => [it.topic, it.weight]))
    for (const { receipt } of deliveries) {
      this.out.set(receipt.id, receipt)
      this.virtual = Math.max(this.virtual, this.finish.get(receipt.topic) ?? 0)
      this.finish.set(receipt.topic, this.virtual + 1 / (weights.get(receipt.topic) ?? 1))
    }
  }

  /** Not interruptible: a lease that is taken must be known, or its message would wait for the lease's end. */
  readonly claim: Effect.Effect<ReadonlyArray<Delivery>, Unavailable> = Effect.gen({ self: this }, function* () {
    const room = this.subscription.limit - this.out.size
    if (room <= 0) return []
    const leaseNow = yield* this.database.leaseClock
    const answer = yield* noBadData(
      this.database.query<MessageRow | WalkEnd>(this.claiming, [
        encode(this.wanted()),
        leaseNow,
        yield* Clock.currentTimeMillis,
        room,
        this.subscription.perKey,
        room + lookAhead,
        leaseNow + this.timing.leaseMs,
        crashesMax,
        depth,
        keysWalked
      ])
    )
    this.walking = answer.some((it) => it.id === null && it.key !== null)
    for (const it of answer) if (it.id === null) this.walked.set(it.topic, it.key ?? "")
    const rows = answer.filter((it) => it.id !== null)
    const { deliveries, broken } = decodeRows(rows)
    if (broken.length > 0) yield* this.bury(broken)
    this.took(deliveries)
    yield* this.hand.filled
    return deliveries
  }).pipe(Effect.uninterruptible, Effect.withSpan("Bus.claim"))

  /** What there is to claim, now or later; nothing is asked while there is no room. */
  private readonly look = Effect.gen({ self: this }, function* () {
    if (this.out.size >= this.subscription.limit) return null
    const topics = encode(this.subscription.topics)
    const [view] = yield* noBadData(this.database.query<Outlook>(statement.outlook, [topics]))
    return view ?? null
  })

  /**
   * Waits for work of our own, the next due time or the poll, whichever comes first, until a claim may find something: a claim
   * that finds nothing costs the store several looks. Answers whether all is drained.
   */
  readonly rest = Effect.gen({ self: this }, function* () {
    let view = yield* this.look
    while (!this.stopping) {
      const drained = view !== null && view.next_due === null && view.leased !== true && this.out.size === 0
      if (drained && this.subscription.untilDrained) return true
      const now = yield* Clock.currentTimeMillis
      const due = view?.next_due ?? null
      const wait = due === null || due <= now ? this.timing.pollMs : Math.min(this.timing.pollMs, due - now)
      yield* Effect.raceFirst(this.wake.await, Effect.sleep(Duration.millis(wait)))
      if (view === null) break
      yield* this.wake.close
      view = yield* this.look
      const later = yield* Clock.currentTimeMillis
      if (view === null || view.leased === true || (view.next_due ?? later + 1) <= later) break
    }
    return false
  })

  /** One pull: at least one delivery, or the end. */
  private readonly step = Effect.gen({ self: this }, function* () {
    while (!this.stopping) {
      yield* this.hand.gather
      yield* this.wake.close
      if (this.stopping) break
      const deliveries = yield* patient(this.claim, [], this.isStopping)
      if (deliveries.length > 0) return [deliveries, Option.some(undefined)] as const
      if (!this.walking && (yield* patient(this.rest, false, this.isStopping))) break
    }
    return [[], Option.none()] as const
  })

  /** `abandoned` is told when the stream fails or is interrupted: then nobody works on what is out. */
  stream(stop: Effect.Effect<void>, abandoned: () => void): Stream.Stream<Delivery, Unavailable> {
    const halt = Effect.andThen(
      stop,
      Effect.sync(() => {
        this.stopping = true
        this.wake.openUnsafe()
        this.hand.letGo()
      })
    )
    return Stream.unwrap(
      Effect.as(
        Effect.forkScoped(halt) satisfies Effect.Effect<unknown, never, Scope.Scope>,
        Stream.paginate(undefined, () => this.step)
      )
    ).pipe(Stream.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) && abandoned())))
  }
}
