import { expect } from "bun:test"
import { Effect, Layer, Schedule, type Scope } from "effect"
import { Unavailable } from "../../src/domain/errors.ts"
import { Bus } from "../../src/domain/ports.ts"
import { layer } from "../../src/infra/bus.kafka.ts"
import { connectTo } from "../../src/infra/database.postgres.ts"
import { makeTopics } from "../../src/infra/kafka/client.ts"
import { connect } from "../../src/infra/redis/client.ts"
import { objectsOf } from "../../src/infra/s3/client.ts"
import { consumer, message, settle, subscription } from "../support/conformance/consumer.ts"
import { live } from "../support/effect.ts"
import { type Faults, faultsBefore } from "../support/proxy.ts"
import { serviceSettings, withService } from "../support/services.ts"
import { serverStore, settingsOf } from "../support/store.ts"

/** A call that is silent this long (ms) has failed; Redis has a limit of its own, of 3 s. */
const answerMs = 1000
/** Within this (ms) of a fault a call has an answer, good or bad; and is good again once the way is. */
const patienceMs = 8000

type Call = Effect.Effect<unknown, Unavailable>
type Caller = (port: number) => Effect.Effect<Call, never, Scope.Scope>

const healed = (call: Call) =>
  call.pipe(
    Effect.retry(Schedule.spaced("100 millis")),
    Effect.timeoutOrElse({ duration: patienceMs, orElse: () => Effect.die(new Error("not answered any more")) })
  )
/** The call, started before the fault that meets it. */
const meeting = (call: Call, fault: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const [result] = yield* Effect.all([Effect.result(Effect.suspend(() => call)), fault], { concurrency: 2 })
    expect(performance.now() - began).toBeLessThan(patienceMs)
    return result
  })

/** What each server's client promises, whatever happens on the way. */
const sentences = (name: string, url: string, caller: Caller): void => {
  const it = (sentence: string, program: (faults: Faults, call: Call) => Effect.Effect<void, unknown>) =>
    live(`${name}, ${sentence}`, () =>
      Effect.gen(function* () {
        const faults = yield* faultsBefore(Number(new URL(url).port))
        const call = yield* caller(faults.port)
        yield* healed(call)
        yield* program(faults, call)
      })
    )
  it("slow: every call is answered", (faults, call) =>
    Effect.gen(function* () {
      yield* faults.latency(100)
      yield* Effect.all([call, call, call], { concurrency: 3 })
    }))
  it("stalled: a call is Unavailable in time, and answered as soon as the way is free", (faults, call) =>
    Effect.gen(function* () {
      yield* faults.stall
      const result = yield* meeting(call, Effect.void)
      expect(result).toMatchObject({ _tag: "Failure", failure: expect.any(Unavailable) })
      yield* faults.flow
      yield* healed(call)
    }))
  it("gone silent for good: another connection is made", (faults, call) =>
    Effect.gen(function* () {
      yield* faults.lose
      yield* meeting(call, Effect.void)
      yield* healed(call)
    }))
  it("reset: healed by itself", (faults, call) =>
    Effect.gen(function* () {
      for (let n = 0; n < 5; n++) {
        yield* meeting(call, faults.reset)
        yield* healed(call)
      }
    }))
  it("cut in the middle of an answer: healed by itself", (faults, call) =>
    Effect.gen(function* () {
      for (const bytes of [0, 1, 3, 7]) {
        yield* faults.cut(bytes)
        yield* meeting(call, Effect.void)
        yield* healed(call)
      }
    }))
}

withService("REDIS_URL", (url) =>
  sentences("Redis", url, (port) =>
    Effect.map(connect(`redis://127.0.0.1:${port}/0`, "hosts"), (client) => client.call("PING"))
  )
)

withService("DATABASE_URL", (url) =>
  sentences("Postgres", url, (port) => {
    const through = new URL(url)
    through.port = String(port)
    return Effect.map(Effect.orDie(connectTo(through.href, 2, answerMs)), (database) =>
      database.query("select repeat('x', 100)").pipe(Effect.catchTag("BadData", (it) => Effect.die(it)))
    )
  })
)

withService("S3_ENDPOINT", (url) => {
  const { S3_BUCKET: bucket = "", S3_ACCESS_KEY_ID: id = "", S3_SECRET_ACCESS_KEY: secret = "" } = serviceSettings()
  sentences("S3", url, (port) => {
    const endpoint = `http://127.0.0.1:${port}`
    const objects = objectsOf({ endpoint, region: "us-east-1", bucket, keys: { id, secret }, answerMs })
    return Effect.succeed(objects.list(`faults ${crypto.randomUUID()}`))
  })
})

withService("KAFKA_BROKERS", (brokers) => {
  const { KAFKA_BEHIND = "", KAFKA_BEFORE = "" } = serviceSettings()
  const prefix = `faults.${process.pid}.`
  const env = { BUS_LEASE: "5s", BUS_POLL: "50ms", KAFKA_BROKERS: `127.0.0.1:${KAFKA_BEFORE}`, KAFKA_PREFIX: prefix }
  const topics = Layer.effectDiscard(Effect.promise(() => makeTopics([brokers], prefix, 1)))
  const on = Layer.mergeAll(serverStore, settingsOf(env), topics)

  live("Kafka, slow, reset, stalled, gone silent: what was published in the meantime is delivered once", () =>
    Effect.gen(function* () {
      const faults = yield* faultsBefore(Number(KAFKA_BEHIND), Number(KAFKA_BEFORE))
      const passed: Array<string> = []
      yield* Effect.gen(function* () {
        const bus = yield* Bus
        const c = yield* consumer("live", subscription())
        const pass = Effect.fnUntraced(function* (name: string) {
          yield* bus.publish([message(name)])
          const delivery = yield* c.within(100).pipe(
            Effect.flatMap(([first]) => (first === undefined ? Effect.fail("not yet") : Effect.succeed(first))),
            Effect.retry(Schedule.recurs(400))
          )
          passed.push(delivery.envelope.id)
          yield* settle([delivery])
        })
        yield* pass("at first")
        yield* faults.latency(50)
        yield* pass("slow")
        yield* faults.latency(0)
        yield* faults.reset
        yield* pass("reset")
        yield* faults.stall
        yield* Effect.delay(faults.flow, "3 seconds").pipe(Effect.forkScoped)
        yield* pass("stalled")
        yield* faults.lose
        yield* pass("gone silent")
      }).pipe(Effect.provide(Layer.provideMerge(layer, on)))
      expect(passed).toEqual(["at first", "slow", "reset", "stalled", "gone silent"])
    })
  )
})
