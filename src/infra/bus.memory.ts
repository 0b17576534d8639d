import { Cause, Clock, Context, Duration, Effect, Layer, type Pull, Result, Stream } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { BadData } from "../domain/errors.ts"
import { Bus, type Delivery, type Receipt, type Settlement, type Subscription } from "../domain/ports.ts"
import type { DeadLetter, Envelope, Outgoing } from "../domain/topics.ts"
import { Consumer } from "./consumer.memory.ts"
import { type Message, Messages } from "./messages.memory.ts"

/** A lease outlives its consumer by this much (as BUS_LEASE). */
const leaseStandard = Duration.seconds(60)
/** Longest single wait of an idle consumer: it is woken by events, this only bounds the timer. */
const idleMaxMs = 3_600_000

/** What only memory can show, for tests and for the closing report of a one-shot run. */
export class MemoryBus extends Context.Service<
  MemoryBus,
  {
    /** All that is held, in order of arrival. */
    readonly messages: Effect.Effect<ReadonlyArray<Envelope & { readonly not_before: Millis; readonly state: string }>>
    readonly deadLetters: Effect.Effect<ReadonlyArray<DeadLetter>>
    /** Voids every lease at once, as if each holder had died and its lease run out. */
    readonly crash: Effect.Effect<void>
  }
>()("crawler/MemoryBus") {}

export interface Options {
  readonly lease?: Duration.Duration
}

/** A bus of this process: nothing survives it. Leases end `lease` after their consumer is gone. */
export const layer = (options: Options = {}): Layer.Layer<Bus | MemoryBus> =>
  Layer.effectContext(
    Effect.sync(() => {
      const messages = new Messages()
      return Context.make(Bus, bus(messages, options.lease ?? leaseStandard)).pipe(
        Context.add(MemoryBus, inspection(messages))
      )
    })
  )

/** One atomic step on the messages as they stand now; whoever waits looks again. */
const step = <A>(messages: Messages, work: (now: Millis) => A): Effect.Effect<A> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    messages.advance(now)
    const result = work(now)
    for (const holder of messages.holders) holder.changed()
    return result
  })

const refuse = (complaints: ReadonlyArray<string>): Effect.Effect<void, BadData> =>
  complaints.length === 0 ? Effect.void : Effect.fail(new BadData({ message: complaints.join("; ").slice(0, 2000) }))

const bus = (messages: Messages, lease: Duration.Duration): Bus["Service"] => ({
  publish: (outgoing) =>
    Effect.flatMap(
      step(messages, (now) => publish(messages, outgoing, now)),
      refuse
    ),
  settle: (settlements) =>
    Effect.flatMap(
      step(messages, (now) => settlements.flatMap((it) => settle(messages, it, now))),
      refuse
    ),
  begin: (receipts) => step(messages, () => begin(messages, receipts)),
  release: (receipts) => step(messages, (now) => release(messages, receipts, now)),
  consume: (subscription, stop) => consume(messages, lease, subscription, stop),
  backlog: step(messages, () =>
    [...messages.counts].map(([topic, it]) => ({
      topic,
      ready: it.ready,
      later: it.later + it.parked,
      leased: it.leased
    }))
  )
})

const inspection = (messages: Messages): MemoryBus["Service"] => ({
  messages: step(messages, () =>
    [...messages.byId.values()].map((it) => ({
      ...messages.envelope(it),
      not_before: it.not_before,
      state: it.state
    }))
  ),
  deadLetters: Effect.sync(() => messages.deadLetters),
  crash: step(messages, (now) => {
    for (const message of [...messages.byId.values()]) if (message.state === "leased") messages.expire(message, now)
  })
})

const publish = (messages: Messages, outgoing: ReadonlyArray<Outgoing>, now: Millis): ReadonlyArray<string> =>
  outgoing.flatMap((it) => {
    const encoded = messages.encode(it)
    if (Result.isFailure(encoded)) return [encoded.failure]
    messages.add(encoded.success, now)
    return []
  })

/** All of a settlement or, when one of its messages cannot be stored, nothing of it. */
const settle = (messages: Messages, { receipt, publish, dead }: Settlement, now: Millis): ReadonlyArray<string> => {
  const message = messages.held(receipt)
  if (message === undefined) return []
  const encoded = publish.map((it) => messages.encode(it))
  const complaints = encoded.flatMap((it) => (Result.isFailure(it) ? [it.failure] : []))
  if (complaints.length > 0) return complaints
  const storable = encoded.flatMap((it) => (Result.isSuccess(it) ? [it.success] : []))
  messages.settle(message, storable, dead, now)
  return []
}

const begin = (messages: Messages, receipts: ReadonlyArray<Receipt>): void => {
  for (const receipt of receipts) {
    const message = messages.held(receipt)
    if (message !== undefined) messages.begin(message)
  }
}

const release = (messages: Messages, receipts: ReadonlyArray<Receipt>, now: Millis): void => {
  for (const receipt of receipts) {
    const message = messages.held(receipt)
    if (message !== undefined) messages.release(message, now)
  }
}

const delivery = (messages: Messages, message: Message): Delivery => ({
  envelope: messages.envelope(message),
  crashes: message.starts,
  receipt: { id: message.id, topic: message.topic, lease: message.lease }
})

const consume = (
  messages: Messages,
  lease: Duration.Duration,
  subscription: Subscription,
  stop: Effect.Effect<void>
): Stream.Stream<Delivery> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const consumer = yield* Effect.acquireRelease(
        Effect.sync(() => open(messages, subscription)),
        (it) => Effect.map(Clock.currentTimeMillis, (now) => close(messages, it, now + Duration.toMillis(lease)))
      )
      yield* Effect.forkScoped(Effect.map(stop, () => consumer.halt()))
      return Stream.fromPull(Effect.succeed(pull(messages, consumer, subscription.untilDrained)))
    })
  )

const open = (messages: Messages, subscription: Subscription): Consumer => {
  const consumer = new Consumer(messages, subscription)
  messages.holders.add(consumer)
  return consumer
}

/** From here on nobody renews: what is still out (a drain works on) has one lease left. */
const close = (messages: Messages, consumer: Consumer, expires_at: Millis): void => {
  messages.holders.delete(consumer)
  for (const message of consumer.out) messages.abandon(message, expires_at)
  for (const holder of messages.holders) holder.changed()
}

/** One delivery per pull: claimed as late as possible, so that fairness rests on what is out now. */
const pull = (
  messages: Messages,
  consumer: Consumer,
  untilDrained: boolean
): Pull.Pull<readonly [Delivery], never, void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    messages.advance(now)
    if (consumer.stopped) return Cause.done()
    consumer.wake.closeUnsafe()
    const message = consumer.claim()
    if (message !== undefined) return Effect.succeed([delivery(messages, message)] as const)
    if (untilDrained && messages.drained(consumedTopics(messages))) return Cause.done()
    const wait = Math.min(messages.nextInstant() - now, idleMaxMs)
    return Effect.raceFirst(consumer.wake.await, Effect.sleep(wait)).pipe(
      Effect.andThen(Effect.suspend(() => pull(messages, consumer, untilDrained)))
    )
  })

/** A stage's input is not drained while the stage before it may still publish; topics nobody consumes are no reason. */
const consumedTopics = (messages: Messages) => new Set([...messages.holders].flatMap((it) => [...it.topics]))
