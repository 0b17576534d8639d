import { Clock, Duration, Effect, Exit, Latch, Option, type Scope, Stream } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import type { Delivery, Receipt, Subscription } from "../domain/ports.ts"
import type { Envelope } from "../domain/topics.ts"
import type { Taker } from "./bus.table.ts"
import { Consumer as Fairness } from "./consumer.memory.ts"
import { type Bury, decodeRows, patient, type Timing } from "./consumer.table.ts"
import type { Database } from "./database.ts"
import { Hand } from "./hand.ts"
import { type Message, Messages } from "./messages.memory.ts"
import { noBadData } from "./sql/batches.ts"
import * as statement from "./sql/bus.ts"
import type { MessageRow } from "./sql/messages.ts"
import { encode } from "./sql/rows.ts"

/** Messages claimed in one statement. */
const claimMax = 100
/** Messages heard and not yet claimed, per delivery that may be out; above it Kafka is asked for a pause. */
const heardPerLimit = 4
const heardMin = 200

/** A message as heard: a row's name, and how to tell Kafka that it is over. What it says is in the row. */
export interface Heard extends Pick<Envelope, "id" | "topic" | "key"> {
  readonly done: () => void
}

/** How a consumer slows down whoever brings it messages. */
export interface Flow {
  readonly pause: () => void
  readonly resume: () => void
}

/**
 * One consumer of messages that Kafka brings. What is heard waits here in all fairness (as in memory); whose turn has come is
 * claimed by name in the database, which alone says whether it is still to be done.
 */
export class Consumer implements Taker {
  readonly wake = Latch.makeUnsafe(false)
  readonly out = new Map<string, Receipt>()
  stopping = false
  private readonly hand = new Hand(this.out)
  private readonly messages = new Messages()
  private readonly fairness: Fairness
  private readonly heard = new Map<string, Heard>()
  /** Heard again while a first delivery is out: looked at once that is over. */
  private readonly again = new Map<string, Heard>()
  private readonly heardMax: number
  private paused = false
  flow: Flow | null = null

  constructor(
    readonly subscription: Subscription,
    private readonly database: (typeof Database)["Service"],
    private readonly timing: Timing,
    private readonly bury: Bury
  ) {
    this.fairness = new Fairness(this.messages, subscription)
    this.messages.holders.add(this.fairness)
    this.heardMax = Math.max(heardMin, subscription.limit * heardPerLimit)
  }

  hear(heard: Heard, now: number): void {
    const { id } = heard
    if (this.heard.has(id)) {
      this.again.get(id)?.done()
      this.again.set(id, heard)
      return
    }
    this.heard.set(id, heard)
    this.messages.add(this.messages.message({ ...heard, not_before: 0 }), now)
    this.wake.openUnsafe()
    if (!this.paused && this.heard.size > this.heardMax) {
      this.paused = true
      this.flow?.pause()
    }
  }

  /** Partitions were dealt out anew: what is not begun comes again, here or elsewhere. */
  forget(): void {
    this.again.clear()
    for (const id of this.messages.withdraw()) this.heard.delete(id)
    this.relax()
  }

  private relax(): void {
    if (this.paused && this.heard.size < this.heardMax / 2) {
      this.paused = false
      this.flow?.resume()
    }
  }

  /** A delivery is over, or there was none to make: Kafka need not bring it again. */
  readonly ended = (id: string): void => {
    this.hand.eased()
    this.heard.get(id)?.done()
    const message = this.messages.byId.get(id)
    if (message !== undefined) this.messages.settle(message, [], [], 0)
    this.heard.delete(id)
    this.relax()
    const again = this.again.get(id)
    this.again.delete(id)
    if (again !== undefined) this.hear(again, 0)
  }

  private pick(): ReadonlyArray<Message> {
    const picked: Array<Message> = []
    while (picked.length < claimMax) {
      const message = this.fairness.claim()
      if (message === undefined) break
      picked.push(message)
    }
    return picked
  }

  /** Not interruptible: a lease that is taken must be known, or its message would wait for the lease's end. */
  readonly claim: Effect.Effect<ReadonlyArray<Delivery>, Unavailable> = Effect.gen({ self: this }, function* () {
    const now = yield* Clock.currentTimeMillis
    const picked = this.pick()
    if (picked.length === 0) return []
    const until = (yield* this.database.leaseClock) + this.timing.leaseMs
    const rows = yield* noBadData(
      this.database.query<MessageRow>(statement.claimSent, [encode(picked.map((it) => it.id)), until])
    ).pipe(Effect.tapError(() => Effect.sync(() => picked.forEach((it) => this.messages.release(it, now)))))
    const taken = new Map(rows.map((row) => [row.id, row]))
    for (const { id } of picked) if (!taken.has(id)) this.ended(id)
    // In the order of their turns, which the statement does not know.
    const { deliveries, broken } = decodeRows(picked.flatMap(({ id }) => taken.get(id) ?? []))
    for (const { receipt } of deliveries) this.out.set(receipt.id, receipt)
    if (broken.length > 0) yield* this.bury(broken)
    for (const { id } of broken) this.ended(id)
    yield* this.hand.filled
    return deliveries
  }).pipe(Effect.uninterruptible, Effect.withSpan("Bus.claim"))

  private readonly isStopping = (): boolean => this.stopping

  private readonly drained = Effect.gen({ self: this }, function* () {
    if (!this.subscription.untilDrained || this.out.size > 0) return false
    const [view] = yield* noBadData(
      this.database.query<{ next_due: number | null; leased: boolean | null }>(statement.outlook, [
        encode(this.subscription.topics)
      ])
    )
    return view !== undefined && view.next_due === null && view.leased !== true
  })

  private readonly step = Effect.gen({ self: this }, function* () {
    while (!this.stopping) {
      yield* this.hand.gather
      yield* this.wake.close
      if (this.stopping) break
      const deliveries = yield* patient(this.claim, [], this.isStopping)
      if (deliveries.length > 0) return [deliveries, Option.some(undefined)] as const
      if (yield* patient(this.drained, false, this.isStopping)) break
      yield* Effect.raceFirst(this.wake.await, Effect.sleep(Duration.millis(this.timing.pollMs)))
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
    const steps = Stream.paginate(undefined, () => this.step)
    return Stream.unwrap(
      Effect.as(Effect.forkScoped(halt) satisfies Effect.Effect<unknown, never, Scope.Scope>, steps)
    ).pipe(Stream.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) && abandoned())))
  }
}
