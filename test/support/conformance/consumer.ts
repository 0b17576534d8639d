import { Clock, Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { Bus, type Delivery, type Subscription } from "../../../src/domain/ports.ts"
import type { Outgoing, Topic } from "../../../src/domain/topics.ts"
import { type ClockName, pass, until } from "./clock.ts"

export const message = (id: string, more: Partial<Outgoing> = {}): Outgoing => ({
  id,
  topic: "crawl.normal",
  key: "a.kr",
  occurred_at: 1000,
  attempt: 0,
  trace_id: `trace-${id}`,
  headers: {},
  payload: { id },
  not_before: 0,
  ...more
})

export const subscription = (more: Partial<Subscription> = {}): Subscription => ({
  topics: [{ topic: "crawl.normal", weight: 1 }],
  limit: 100,
  perKey: 100,
  untilDrained: false,
  ...more
})

export const topics = (...named: ReadonlyArray<Topic>) => named.map((topic) => ({ topic, weight: 1 }))

/** A consumer that takes whatever it may and keeps it until the test settles it. */
export const consumer = (clock: ClockName, asked: Subscription) =>
  Effect.gen(function* () {
    const bus = yield* Bus
    const taken = yield* Queue.unbounded<Delivery>()
    const stop = yield* Deferred.make<void>()
    const fiber = yield* bus.consume(asked, Deferred.await(stop)).pipe(
      Stream.runForEach((it) => Queue.offer(taken, it)),
      Effect.forkScoped
    )
    const poll = Effect.map(Queue.poll(taken), (it) => (it._tag === "Some" ? it.value : undefined))
    const next = until(clock, "a delivery", poll)
    return {
      next,
      take: (count: number) => Effect.all(Array.from({ length: count }, () => next)),
      /** What came within this time. */
      within: (ms: number) => Effect.andThen(pass(clock, ms), Queue.clear(taken)),
      /** The process dies: nobody renews its leases. */
      die: Fiber.interrupt(fiber),
      stop: Deferred.succeed(stop, undefined),
      ended: until(
        clock,
        "the end of the stream",
        Effect.sync(() => fiber.pollUnsafe())
      ),
      running: Effect.sync(() => fiber.pollUnsafe() === undefined)
    }
  })

export const settle = (deliveries: ReadonlyArray<Delivery>, publish: ReadonlyArray<Outgoing> = []) =>
  Bus.use((bus) =>
    bus.settle(deliveries.map(({ receipt }, at) => ({ receipt, publish: at === 0 ? publish : [], dead: [] })))
  )

export const ids = (deliveries: ReadonlyArray<Delivery>) => deliveries.map((it) => it.envelope.id)

/** Messages of all topics together. */
export const total = Bus.use((bus) =>
  Effect.map(bus.backlog, (rows) => rows.reduce((sum, it) => sum + it.ready + it.later + it.leased, 0))
)

export const soon = (ms: number) => Effect.map(Clock.currentTimeMillis, (now) => now + ms)
