import { Clock, Duration, Effect, type Latch, Layer, Schedule, Stream } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { BadData, type Unavailable } from "../domain/errors.ts"
import { Bus, type Receipt, type Settlement, type Subscription } from "../domain/ports.ts"
import { type DeadLetter, type Outgoing, Topic } from "../domain/topics.ts"
import { Settings } from "./config.ts"
import { Consumer } from "./consumer.table.ts"
import { Database } from "./database.ts"
import { noBadData, writeAll } from "./sql/batches.ts"
import * as statement from "./sql/bus.ts"
import {
  arrayOf,
  type Encoded,
  encodedSize,
  encodeMessage,
  isTooLarge,
  type MessageRow,
  nextSeq,
  plain
} from "./sql/messages.ts"
import { encode } from "./sql/rows.ts"

const encodeReceipt = ({ id, lease }: Receipt): string => encode({ id, lease })

/** A settlement ready to send. */
interface Settled {
  readonly id: string
  readonly receipt: string
  readonly publish: ReadonlyArray<string>
  readonly dead: ReadonlyArray<string>
  readonly bytes: number
  readonly tooLarge: boolean
}

const encodeSettlement =
  (now: Millis) =>
  ({ receipt, publish, dead }: Settlement): Settled => {
    const messages = publish.map((it) => encodeMessage(it, nextSeq(now), receipt.id))
    const letters = dead.map((it) => encode({ owner: receipt.id, ...it }))
    return {
      id: receipt.id,
      receipt: encodeReceipt(receipt),
      publish: messages.map((it) => it.json),
      dead: letters,
      bytes: messages.reduce((sum, it) => sum + it.json.length, 0) + letters.reduce((sum, it) => sum + it.length, 64),
      tooLarge: messages.some(isTooLarge)
    }
  }

const tooLarge = Effect.fail(new BadData({ message: "too_large: a message is over 256 KiB" }))

/** Under the lock of the embedded store nobody else publishes: what is due is known, and a look is for leases that ran out. */
const loneLook = Duration.seconds(5)

/** A consumer as the bus sees it: it is told when something is published and when a delivery of its own is over. */
export interface Taker {
  readonly subscription: Subscription
  readonly wake: Latch.Latch
  readonly out: Map<string, Receipt>
  readonly stopping: boolean
  readonly ended?: (id: string) => void
}

/** The consumers of this process: whoever ends a delivery makes room in one of them, whoever publishes wakes them. */
export class Consumers {
  readonly all = new Set<Taker>()
  /** Something is due on these topics. Nobody else looks: every look is a claim. */
  readonly wake = (topics: Iterable<Topic>) =>
    Effect.sync(() => {
      const due = new Set(topics)
      for (const it of this.all) if (it.subscription.topics.some(({ topic }) => due.has(topic))) it.wake.openUnsafe()
    })
  /** Deliveries that are over, whatever became of them. */
  readonly over = (ids: ReadonlyArray<string>) =>
    Effect.sync(() => {
      for (const it of this.all) {
        for (const id of ids) {
          if (!it.out.delete(id)) continue
          it.ended?.(id)
          it.wake.openUnsafe()
        }
        if (it.stopping && it.out.size === 0) this.all.delete(it)
      }
    })
  get receipts(): ReadonlyArray<Receipt> {
    return [...this.all].flatMap((it) => [...it.out.values()])
  }
}

const writers = (database: (typeof Database)["Service"], consumers: Consumers, rowsMax: number) => {
  const publish = Effect.fn("Bus.publish")(function* (messages: ReadonlyArray<Outgoing>) {
    const now = yield* Clock.currentTimeMillis
    const rows = messages.map((it) => encodeMessage(it, nextSeq(now)))
    const send = (part: ReadonlyArray<Encoded>) =>
      part.some(isTooLarge) ? tooLarge : database.query(statement.publish, [arrayOf(part.map((it) => it.json))])
    yield* writeAll(rows, { key: (it) => it.id, bytes: encodedSize, rowsMax }, send).pipe(
      // Nothing: a statement of its own brought messages, of whatever topic.
      Effect.ensuring(consumers.wake(messages.length === 0 ? Topic.literals : messages.map((it) => it.topic)))
    )
  })

  const settle = Effect.fn("Bus.settle")(function* (settlements: ReadonlyArray<Settlement>) {
    const rows = settlements.map(encodeSettlement(yield* Clock.currentTimeMillis))
    const send = (part: ReadonlyArray<Settled>) =>
      part.some((it) => it.tooLarge)
        ? tooLarge
        : database
            .query(statement.settle, [
              arrayOf(part.map((it) => it.receipt)),
              arrayOf(part.flatMap((it) => it.publish)),
              arrayOf(part.flatMap((it) => it.dead))
            ])
            .pipe(Effect.tap(consumers.over(part.map((it) => it.id))))
    yield* writeAll(rows, { key: (it) => it.id, bytes: (it) => it.bytes, rowsMax }, send).pipe(
      Effect.ensuring(consumers.wake(settlements.flatMap((it) => it.publish.map(({ topic }) => topic))))
    )
  })

  const begin = Effect.fn("Bus.begin")(function* (receipts: ReadonlyArray<Receipt>) {
    if (receipts.length > 0) yield* noBadData(database.query(statement.begin, [arrayOf(receipts.map(encodeReceipt))]))
  })

  const release = Effect.fn("Bus.release")(function* (receipts: ReadonlyArray<Receipt>) {
    if (receipts.length === 0) return
    yield* noBadData(database.query(statement.release, [arrayOf(receipts.map(encodeReceipt))]))
    yield* consumers.over(receipts.map((it) => it.id))
    yield* consumers.wake(receipts.map((it) => it.topic))
  })
  return { publish, begin, settle, release }
}

/** A row that is no envelope ends as a dead letter: nobody could ever work on it. */
const decodeFailure = (row: MessageRow, at: Millis): Settlement => {
  // The claim asked for subscribed topics only, so the row's topic is one of them.
  const topic = row.topic as Topic
  const message = "the message is not an envelope"
  const bytes = encode(plain(row))
  const dead: DeadLetter = {
    id: row.id,
    topic,
    key: row.key,
    stage: "bus",
    code: "decode",
    message,
    bytes,
    attempts: row.attempt,
    at
  }
  return { receipt: { id: row.id, topic, lease: row.lease }, publish: [], dead: [dead] }
}

interface Backlog {
  readonly topic: Topic
  readonly ready: number
  readonly later: number
  readonly leased: number
}
const topics = encode(Topic.literals)

/** All of the bus but its consumers, who may be told of messages in another way. */
export const ground = Effect.gen(function* () {
  const database = yield* Database
  const settings = yield* Settings
  const poll = Duration.max(settings.BUS_POLL, database.embedded ? loneLook : Duration.zero)
  const timing = { leaseMs: Duration.toMillis(settings.BUS_LEASE), pollMs: Duration.toMillis(poll) }
  const consumers = new Consumers()
  const { publish, begin, settle, release } = writers(database, consumers, settings.STORE_BATCH)

  const renew = Effect.gen(function* () {
    const { receipts } = consumers
    if (receipts.length === 0) return
    const until = (yield* database.leaseClock) + timing.leaseMs
    yield* database.query(statement.renew, [arrayOf(receipts.map(encodeReceipt)), until])
  }).pipe(Effect.catch((it) => Effect.logWarning(`leases not renewed: ${it.message}`)))
  yield* Effect.forkScoped(Effect.schedule(renew, Schedule.spaced(Duration.millis(timing.leaseMs / 3))))
  if (database.embedded) yield* noBadData(database.query(statement.voidLeases))

  const bury = (rows: ReadonlyArray<MessageRow>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => noBadData(settle(rows.map((row) => decodeFailure(row, now)))))
  const backlog = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* noBadData(database.query<Backlog>(statement.backlog, [now, topics]))
    return rows.filter((it) => it.ready + it.later + it.leased > 0)
  }).pipe(Effect.withSpan("Bus.backlog"))
  return { database, timing, consumers, bury, bus: { publish, begin, settle, release, backlog } }
})

const make = Effect.gen(function* () {
  const { database, timing, consumers, bury, bus } = yield* ground
  const consume = (subscription: Subscription, stop: Effect.Effect<void>) =>
    Stream.suspend(() => {
      const consumer = new Consumer(subscription, database, timing, bury)
      consumers.all.add(consumer)
      // After a normal end what is out is still worked on (a drain), so its leases are renewed until it is settled.
      return consumer.stream(stop, () => consumers.all.delete(consumer))
    })
  return Bus.of({ ...bus, consume })
})

/**
 * The bus as a table: leases are rows' columns, fairness and limits are the claiming statement's.
 * Own publications wake the consumers at once; those of other processes are seen within BUS_POLL.
 */
export const layer: Layer.Layer<Bus, Unavailable, Database | Settings> = Layer.effect(Bus, make)
