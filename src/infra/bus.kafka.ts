import { createHash } from "node:crypto"
import { Clock, Effect, Layer, Option, Schema, Scope, Stream } from "effect"
import type { Kafka } from "kafkajs"
import type { Unavailable } from "../domain/errors.ts"
import { Bus, type Subscription } from "../domain/ports.ts"
import { type DeadLetter, Envelope, type Topic } from "../domain/topics.ts"
import { ground } from "./bus.table.ts"
import { Settings } from "./config.ts"
import { Consumer } from "./consumer.kafka.ts"
import type { Database } from "./database.ts"
import { clientOf, storedHeader, topicName, topicOf } from "./kafka/client.ts"
import { type Arrival, Subscriber } from "./kafka/subscriber.ts"
import { relay } from "./relay.kafka.ts"
import { noBadData } from "./sql/batches.ts"
import * as statement from "./sql/bus.ts"
import { encode } from "./sql/rows.ts"

type Ground = Effect.Success<typeof ground>

const decodeEnvelope = Schema.decodeUnknownOption(Schema.fromJsonString(Envelope))

/** The row that the relay sent this for, if it did. */
const namedBy = ({ message: { headers, key } }: Arrival, topic: Topic | undefined) => {
  const id = headers?.[storedHeader]
  return id === undefined || topic === undefined ? null : { id: String(id), topic, key: String(key ?? "") }
}

/** An arrival's envelope, if it is one and came by the topic and key it names. */
const envelopeOf = (prefix: string, { topic, message }: Arrival): Option.Option<Envelope> =>
  Option.filter(
    decodeEnvelope(message.value?.toString("utf8") ?? ""),
    (it) => topicName(prefix, it.topic) === topic && it.key === message.key?.toString("utf8")
  )

/** What was never a message of ours: kept with its very bytes. */
const letterOf = (prefix: string, { topic, message }: Arrival, at: number): DeadLetter => ({
  // Named by its bytes: delivered twice, it is one letter.
  id: `kafka:${createHash("sha256")
    .update(topic)
    .update(message.value ?? "")
    .digest("hex")}`,
  topic: topicOf(prefix, topic) ?? "crawl.low",
  key: message.key?.toString("utf8").replaceAll("\u0000", "\ufffd").slice(0, 200) ?? "",
  stage: "bus",
  code: "decode",
  message: "the message is not an envelope of its topic and key, in base64",
  bytes: (message.value ?? Buffer.alloc(0)).toString("base64"),
  attempts: 1,
  at
})

/**
 * Arrivals without the relay's mark come from elsewhere: they become rows like any other, and come back by the relay. What is no
 * envelope ends as a dead letter. Only then are they done.
 */
const foreign = ({ database, bus }: Ground, prefix: string) =>
  Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const now = yield* Clock.currentTimeMillis
    for (const arrival of arrivals) {
      const envelope = envelopeOf(prefix, arrival)
      const letter = encode([letterOf(prefix, arrival, now)])
      const bury = noBadData(database.query(statement.bury, [letter]))
      yield* Option.isNone(envelope)
        ? bury
        : bus
            .publish([{ ...envelope.value, not_before: now }])
            .pipe(Effect.catchTag("BadData", () => Effect.asVoid(bury)))
      arrival.done()
    }
  })

/** Joins the group of these topics and hands on what comes, until the scope closes. */
const attend = Effect.fnUntraced(function* (
  consumer: Consumer,
  kafka: Kafka,
  prefix: string,
  adopt: (arrivals: ReadonlyArray<Arrival>) => Effect.Effect<void, Unavailable>
): Effect.fn.Return<void, never, Scope.Scope> {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const topics = new Map(consumer.subscription.topics.map(({ topic }) => [topicName(prefix, topic), topic]))
  const names = [...topics.keys()]
  const arrived = (arrivals: ReadonlyArray<Arrival>) => {
    const now = Date.now()
    const strangers: Array<Arrival> = []
    for (const arrival of arrivals) {
      const row = namedBy(arrival, topics.get(arrival.topic))
      if (row === null) strangers.push(arrival)
      else consumer.hear({ ...row, done: arrival.done }, now)
    }
    // A stranger that could not be stored is not done, so it comes again when its partition does.
    if (strangers.length > 0) fork(Effect.ignore(adopt(strangers)))
  }
  const subscriber = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Subscriber(
          kafka,
          `${prefix}${names.length > 1 ? "crawl" : (consumer.subscription.topics[0]?.topic ?? "")}`,
          names,
          {
            arrived,
            dealt: () => consumer.forget(),
            failed: (why) => fork(Effect.logWarning(`kafka: ${why}`))
          }
        )
    ),
    (it) => Effect.promise(() => it.close())
  )
  consumer.flow = { pause: () => subscriber.pause(), resume: () => subscriber.resume() }
})

const make = Effect.gen(function* () {
  const all = yield* ground
  const settings = yield* Settings
  const { KAFKA_BROKERS, KAFKA_PREFIX } = settings
  const kafka = clientOf(KAFKA_BROKERS)
  const { database, timing, consumers, bury, bus } = all
  // A process that consumes also relays; a command that only publishes leaves that to others.
  const relaying = yield* Effect.cached(Scope.provide(relay(all, kafka, settings), yield* Effect.scope))
  const consume = (subscription: Subscription, stop: Effect.Effect<void>) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* relaying
        const consumer = new Consumer(subscription, database, timing, bury)
        consumers.all.add(consumer)
        yield* attend(consumer, kafka, KAFKA_PREFIX, foreign(all, KAFKA_PREFIX))
        return consumer.stream(stop, () => consumers.all.delete(consumer))
      })
    )
  return Bus.of({ ...bus, consume })
})

/**
 * The bus over Kafka. Every message is a row of `messages` first, and stays one until it is settled: the relay of one process
 * brings due rows to Kafka, consumers hear of them there and claim them by name. So Kafka wakes workers and spreads hosts over
 * processes, while leases, settlements and crash counts are the table's, and a message that comes twice is taken once.
 */
export const layer: Layer.Layer<Bus, Unavailable, Database | Settings> = Layer.effect(Bus, make)
