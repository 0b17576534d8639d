import { Effect, Layer } from "effect"
import type { DeadLetter } from "../../src/domain/topics.ts"
import { layer } from "../../src/infra/bus.kafka.ts"
import { Database } from "../../src/infra/database.ts"
import { makeTopics } from "../../src/infra/kafka/client.ts"
import { busSuite } from "../support/conformance/bus.ts"
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

withService("KAFKA_BROKERS", (brokers) => {
  const env = { BUS_LEASE: `${leaseMs}ms`, BUS_POLL: "50ms", KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix }
  const topics = Layer.effectDiscard(Effect.promise(() => makeTopics([brokers], prefix, 1)))
  const on = layer.pipe(Layer.provideMerge(Layer.mergeAll(serverStore, settingsOf(env), topics)))
  busSuite("bus over Kafka", on, { clock: "live", leaseMs, deadLetters, crash })
})
