import { Duration, Effect, Latch, Schedule, type Scope } from "effect"
import type { Kafka, Producer } from "kafkajs"
import { Unavailable } from "../domain/errors.ts"
import type { Delivery } from "../domain/ports.ts"
import { Topic } from "../domain/topics.ts"
import type { ground } from "./bus.table.ts"
import type { Settings } from "./config.ts"
import { Consumer } from "./consumer.table.ts"
import { producerOf, storedHeader, topicName } from "./kafka/client.ts"
import { noBadData } from "./sql/batches.ts"
import * as statement from "./sql/bus.ts"
import { encode } from "./sql/rows.ts"

/** Messages of one send. */
const sendMax = 500
/**
 * Messages of one key that Kafka and its consumers may hold: a host that is slow fills no consumer with what it cannot work on,
 * and one that is fast never waits for the relay.
 */
const perKeyMax = 32
/**
 * A round costs database, Kafka and its consumers about the same for one message as for a hundred, so what falls due soon after one
 * waits for the next: for this part of the time (BUS_POLL) that other processes' messages may wait anyway.
 */
const gather = 0.5
/** Another relay takes over when this one has been silent for so long. */
const holdMs = 3000
const holdEveryMs = 1000
/** A send is begun only if the row is held for so much longer: ample for one that meets no trouble. */
const sendMs = 1000

type Ground = Effect.Success<typeof ground>
type Values = Settings["Service"]

/** The next message of a delivery on the wire: the envelope as JSON, keyed by host, with what orders it among its like. */
const recordOf = ({ envelope }: Delivery) => ({
  key: envelope.key,
  value: JSON.stringify(envelope),
  headers: { [storedHeader]: envelope.id }
})

/** A producer that is made again after a failure: a broken sequence would refuse all that follows. */
const sender = (kafka: Kafka, prefix: string) => {
  let producer: Producer | null = null
  const drop = async () => {
    const old = producer
    producer = null
    await old?.disconnect().catch(() => undefined)
  }
  const send = async (deliveries: ReadonlyArray<Delivery>) => {
    if (producer === null) {
      const made = producerOf(kafka)
      await made.connect()
      producer = made
    }
    const byTopic = Map.groupBy(deliveries, (it) => it.envelope.topic)
    const topicMessages = [...byTopic].map(([topic, all]) => ({
      topic: topicName(prefix, topic),
      messages: all.map(recordOf)
    }))
    await producer.sendBatch({ acks: -1, topicMessages })
  }
  return {
    drop,
    send: (deliveries: ReadonlyArray<Delivery>) =>
      Effect.tryPromise({
        try: () => send(deliveries),
        catch: (cause) =>
          new Unavailable({ dependency: "bus", message: `kafka: ${cause instanceof Error ? cause.message : cause}` })
      }).pipe(Effect.tapError(() => Effect.promise(drop)))
  }
}

/**
 * May this relay work now? The row is asked for and renewed once a second, also while a send takes long. What was held is counted
 * from before the question, by a clock that no one sets, so a process that slept does not think that it still holds it.
 */
const turn = Effect.fnUntraced(function* (database: Ground["database"], prefix: string) {
  const holder = crypto.randomUUID()
  const open = Latch.makeUnsafe(false)
  let until = Number.NEGATIVE_INFINITY
  const hold = Effect.gen(function* () {
    const asked = performance.now()
    const now = yield* database.leaseClock
    const rows = yield* noBadData(database.query(statement.holdRelay, [prefix, holder, now, now + holdMs]))
    until = rows.length > 0 ? asked + holdMs : Number.NEGATIVE_INFINITY
    yield* rows.length > 0 ? open.open : open.close
  }).pipe(Effect.catch(() => open.close))
  yield* Effect.forkScoped(Effect.repeat(hold, Schedule.spaced(Duration.millis(holdEveryMs))))
  yield* Effect.addFinalizer(() => Effect.ignore(database.query(statement.leaveRelay, [prefix, holder])))
  return { come: open.await, holds: Effect.sync(() => performance.now() < until - sendMs) }
})

/**
 * Brings the due rows of `messages` to Kafka. Of any number of relays one works at a time, so a key's messages go out in their
 * order. A row is Kafka's once that has acknowledged it; what is not taken from there within KAFKA_RESEND is sent again, and so
 * is what a consumer took and did not finish within its lease.
 */
export const relay = Effect.fn("Bus.relay")(function* (
  { database, timing, consumers, bury, bus }: Ground,
  kafka: Kafka,
  { KAFKA_PREFIX, KAFKA_RESEND }: Values
): Effect.fn.Return<void, never, Scope.Scope> {
  const topics = Topic.literals.map((topic) => ({ topic, weight: 1 }))
  const subscription = { topics, limit: sendMax, perKey: perKeyMax, untilDrained: false }
  const source = new Consumer(subscription, database, timing, bury, statement.claimToSend)
  const { send, drop } = sender(kafka, KAFKA_PREFIX)
  yield* Effect.addFinalizer(() => Effect.promise(drop))
  const { come, holds } = yield* turn(database, KAFKA_PREFIX)
  consumers.all.add(source)

  const giveBack = (deliveries: ReadonlyArray<Delivery>) =>
    Effect.ignore(bus.release(deliveries.map((it) => it.receipt)))
  const pass = (deliveries: ReadonlyArray<Delivery>) =>
    Effect.gen(function* () {
      // Another may relay by now, if claiming took long: the order of a key is kept by not sending.
      if (!(yield* holds)) return yield* giveBack(deliveries)
      yield* send(deliveries)
      const until = (yield* database.leaseClock) + Duration.toMillis(KAFKA_RESEND)
      const receipts = encode(deliveries.map(({ receipt: { id, lease } }) => ({ id, lease })))
      yield* noBadData(database.query(statement.acknowledgeSent, [receipts, until]))
    }).pipe(
      Effect.tapError(() => giveBack(deliveries)),
      Effect.ensuring(Effect.sync(() => source.out.clear())),
      Effect.uninterruptible
    )

  const round = Effect.gen(function* () {
    yield* source.wake.close
    yield* come
    if (!(yield* holds)) return yield* Effect.sleep(Duration.millis(timing.pollMs))
    const deliveries = yield* source.claim
    if (deliveries.length === 0) return yield* source.rest
    yield* pass(deliveries)
    if (deliveries.length < sendMax) yield* Effect.sleep(Duration.millis(timing.pollMs * gather))
  })
  const forever = round.pipe(
    Effect.catch((it) =>
      Effect.andThen(Effect.logWarning(`relay: ${it.message}`), Effect.sleep(Duration.millis(timing.pollMs)))
    ),
    Effect.forever
  )
  yield* Effect.forkScoped(forever)
})
