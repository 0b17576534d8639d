import { expect } from "bun:test"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Bus } from "../../src/domain/ports.ts"
import type { DeadLetter } from "../../src/domain/topics.ts"
import { layer } from "../../src/infra/bus.kafka.ts"
import { Database } from "../../src/infra/database.ts"
import { clientOf, makeTopics, storedHeader, topicName } from "../../src/infra/kafka/client.ts"
import { busSuite } from "../support/conformance/bus.ts"
import { until } from "../support/conformance/clock.ts"
import { consumer, message, subscription, topics } from "../support/conformance/consumer.ts"
import { live } from "../support/effect.ts"
import { withService } from "../support/services.ts"
import { serverStore, settingsOf } from "../support/store.ts"

const leaseMs = 2000
const prefix = `test.${process.pid}.`

const deadLetters = Database.use((it) =>
  it.query<DeadLetter>(
    "select id, topic, key, stage, code, message, bytes, attempts, ms_of(at) as at from dead_letters order by at, id"
  )
)
const crash = Database.use((it) =>
  it.query("update messages set leased_until = leased_until - interval '1 hour' where leased")
)

/** Names of the messages in a topic, as they arrive. */
const listening = (brokers: string, topic: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const heard: Array<string> = []
        const reader = clientOf([brokers]).consumer({ groupId: `${topic}.reader` })
        await reader.connect()
        await reader.subscribe({ topics: [topic], fromBeginning: true })
        await reader.run({
          eachMessage: async ({ message: { headers } }) => void heard.push(String(headers?.[storedHeader]))
        })
        return { heard, reader }
      }),
      ({ reader }) => Effect.promise(() => reader.disconnect())
    ),
    ({ heard }) => heard
  )

withService("KAFKA_BROKERS", (brokers) => {
  const env = { BUS_LEASE: `${leaseMs}ms`, BUS_POLL: "50ms", KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix }
  const made = (name: string) => Layer.effectDiscard(Effect.promise(() => makeTopics([brokers], name, 1)))
  const base = Layer.mergeAll(serverStore, settingsOf(env), made(prefix))
  busSuite("bus over Kafka", layer.pipe(Layer.provideMerge(base)), { clock: "live", leaseMs, deadLetters, crash })

  const alone = `relays.${process.pid}.`
  const others = Layer.mergeAll(serverStore, settingsOf({ ...env, KAFKA_PREFIX: alone, BUS_LEASE: "30s" }), made(alone))
  live("bus over Kafka: of several relays one works at a time; when it leaves, the next keeps the order of a key", () =>
    Effect.gen(function* () {
      const process = Effect.gen(function* () {
        const scope = yield* Scope.make()
        const bus = Context.get(yield* Layer.buildWithScope(Layer.fresh(layer), scope), Bus)
        yield* consumer("live", subscription({ topics: topics("fetched") })).pipe(
          Effect.provideService(Bus, bus),
          Scope.provide(scope)
        )
        return { bus, leave: Scope.close(scope, Exit.void) }
      })
      const [one, other] = [yield* process, yield* process]
      const heard = yield* listening(brokers, topicName(alone, "crawl.normal"))
      const names = Array.from({ length: 30 }, (_, n) => `m${n}`)
      for (const [at, name] of names.entries()) {
        yield* (at % 2 === 0 ? one : other).bus.publish([message(name)])
        if (at === 15) yield* one.leave
      }
      yield* until(
        "live",
        "all messages in Kafka",
        Effect.sync(() => (heard.length >= names.length ? true : undefined))
      )
      expect(heard).toEqual(names)
      yield* other.leave
    }).pipe(Effect.provide(others))
  )
})
