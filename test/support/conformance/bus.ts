import { expect } from "bun:test"
import { Clock, Effect, type Layer, Result } from "effect"
import { Bus } from "../../../src/domain/ports.ts"
import { type DeadLetter, messageBytesMax } from "../../../src/domain/topics.ts"
import { leases } from "./bus.leases.ts"
import { ends, shares } from "./bus.shares.ts"
import { type ClockName, sentences, until } from "./clock.ts"
import { consumer, ids, message, settle, soon, subscription, topics, total } from "./consumer.ts"

export interface BusOptions<R> {
  readonly clock: ClockName
  /** The lease the adapter was built with, ms: short on a real clock (a second), since tests wait for its end. */
  readonly leaseMs: number
  /** Every dead letter kept. */
  readonly deadLetters: Effect.Effect<ReadonlyArray<DeadLetter>, unknown, R>
  /** Voids all leases as if their time had run out (memory: `MemoryBus.crash`; SQL: set `leased_until` into the past). */
  readonly crash: Effect.Effect<void, unknown, R>
}

/** What every Bus promises. The layer is built anew for each sentence and must start empty. */
export const busSuite = <R, E>(name: string, layer: Layer.Layer<Bus | R, E>, options: BusOptions<R>): void => {
  const it = sentences(name, options.clock, layer)
  delivery(it, options)
  leases(it, options)
  settlement(it, options)
  shares(it, options)
  ends(it, options)
}

/** Registers one sentence about a bus. */
export type BusSentence<R> = ReturnType<typeof sentences<Bus | R, unknown>>

const delivery = <R>(it: BusSentence<R>, { clock }: BusOptions<R>) => {
  it("a message is delivered as it was published", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const sent = message("m", {
        topic: "fetched",
        key: "한국.kr",
        attempt: 3,
        headers: { schema: "1", "x-이름": "값" },
        payload: { text: "속보: “인용” \u2028 😀", list: [1, null, true], nested: { a: {} } }
      })
      yield* bus.publish([sent])
      const { envelope } = yield* Effect.flatMap(
        consumer(clock, subscription({ topics: topics("fetched") })),
        (c) => c.next
      )
      const { not_before, ...expected } = sent
      expect(not_before).toBe(0)
      expect(envelope).toEqual(expected)
    }))

  it("a message published again under its id stays as it was", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([message("m", { payload: 1 }), message("m", { payload: 2 })])
      yield* bus.publish([message("m", { payload: 3 }), message("n")])
      const c = yield* consumer(clock, subscription())
      const taken = yield* c.take(2)
      expect(taken.map((d) => d.envelope.payload)).toEqual([1, { id: "n" }])
      expect(yield* total).toBe(2)
    }))

  it("nobody sees a message before its time, and then somebody does", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const due = yield* soon(300)
      yield* bus.publish([message("later", { not_before: due }), message("now")])
      const c = yield* consumer(clock, subscription())
      expect((yield* c.next).envelope.id).toBe("now")
      expect((yield* c.next).envelope.id).toBe("later")
      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(due)
    }))

  it("messages of one key come in the order of their due times", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([3, 1, 2].map((at) => message(`m${at}`, { not_before: at * 1000 - 5000 })))
      const c = yield* consumer(clock, subscription({ perKey: 1 }))
      const seen: Array<string> = []
      for (let n = 0; n < 3; n++) {
        const next = yield* c.next
        seen.push(next.envelope.id)
        yield* settle([next])
      }
      expect(seen).toEqual(["m1", "m2", "m3"])
    }))

  it("messages of one key due at one instant come in the order of their publication", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const names = ["c", "a", "d", "b"]
      for (const id of names) yield* bus.publish([message(id)])
      const c = yield* consumer(clock, subscription({ perKey: 1 }))
      const seen: Array<string> = []
      for (const _ of names) {
        const next = yield* c.next
        seen.push(next.envelope.id)
        yield* settle([next])
      }
      expect(seen).toEqual(names)
    }))

  it("a waiting consumer sees what is published later", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const c = yield* consumer(clock, subscription())
      expect(yield* c.within(20)).toEqual([])
      yield* bus.publish([message("m")])
      expect((yield* c.next).envelope.id).toBe("m")
    }))

  it("a consumer sees its topics only", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([message("other", { topic: "parsed" }), message("mine")])
      const c = yield* consumer(clock, subscription())
      expect(ids([yield* c.next, ...(yield* c.within(50))])).toEqual(["mine"])
    }))

  it("no message goes to two consumers", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const names = Array.from({ length: 60 }, (_, n) => `m${n}`)
      yield* bus.publish(names.map((id, n) => message(id, { key: `k${n % 7}` })))
      const one = yield* consumer(clock, subscription({ limit: 40 }))
      const other = yield* consumer(clock, subscription({ limit: 40 }))
      const seen: Array<string> = []
      yield* until(
        clock,
        "all messages",
        Effect.gen(function* () {
          const taken = [...(yield* one.within(0)), ...(yield* other.within(0))]
          seen.push(...ids(taken))
          yield* settle(taken)
          return seen.length >= names.length ? true : undefined
        })
      )
      expect(seen.toSorted()).toEqual(names.toSorted())
      expect(yield* total).toBe(0)
    }))
}

const settlement = <R>(it: BusSentence<R>, { clock, deadLetters }: BusOptions<R>) => {
  const huge = message("huge", { payload: "x".repeat(messageBytesMax + 1) })

  it("a settlement stores what it leads to together with its acknowledgement", () =>
    Effect.gen(function* () {
      yield* Bus.use((bus) => bus.publish([message("in")]))
      const c = yield* consumer(clock, subscription({ topics: topics("crawl.normal", "fetched") }))
      yield* settle([yield* c.next], [message("out", { topic: "fetched" })])
      const out = yield* c.next
      expect(out.envelope.id).toBe("out")
      yield* settle([out])
      expect(yield* total).toBe(0)
    }))

  it("a dead letter keeps its input's bytes and its reason", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([message("m")])
      const c = yield* consumer(clock, subscription())
      const { receipt } = yield* c.next
      const letter: DeadLetter = {
        id: "m~fetcher",
        topic: "crawl.normal",
        key: "a.kr",
        stage: "fetcher",
        code: "robots",
        message: "disallow: /private/",
        bytes: '{"url":"https://a.kr/\u00e9\\u0000"}',
        attempts: 1,
        at: 1_700_000_000_123
      }
      yield* bus.settle([{ receipt, publish: [], dead: [letter] }])
      expect(yield* deadLetters).toEqual([letter])
      expect(yield* total).toBe(0)
    }))

  it("a message over the size limit is refused, the rest of its batch is kept", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const result = yield* Effect.result(bus.publish([message("a"), huge, message("b")]))
      expect(Result.isFailure(result) && result.failure._tag).toBe("BadData")
      const c = yield* consumer(clock, subscription())
      expect(ids(yield* c.take(2))).toEqual(["a", "b"])
      expect(yield* c.within(50)).toEqual([])
    }))

  it("text with NUL is stored cleaned or refused, and costs no other message", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const dirty = message("dirty", { key: "k\u0000", payload: { text: "a\u0000b", "k\u0000": 1 } })
      yield* bus.publish([message("a"), dirty, message("b")]).pipe(Effect.catchTag("BadData", () => Effect.void))
      const c = yield* consumer(clock, subscription())
      const seen = ids([...(yield* c.take(2)), ...(yield* c.within(50))]).filter((id) => id !== "dirty")
      expect(seen.toSorted()).toEqual(["a", "b"])
    }))

  it("a settlement that cannot be stored leaves its delivery out, and the others are kept", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([message("bad"), message("good")])
      const c = yield* consumer(clock, subscription())
      const [bad, good] = yield* c.take(2)
      if (bad === undefined || good === undefined) throw new Error("two deliveries")
      const half = message("half", { topic: "parsed" })
      const result = yield* bus
        .settle([
          { receipt: bad.receipt, publish: [half, { ...huge, topic: "parsed" }], dead: [] },
          { receipt: good.receipt, publish: [message("of-good", { topic: "parsed" })], dead: [] }
        ])
        .pipe(Effect.result)
      expect(Result.isFailure(result) && result.failure._tag).toBe("BadData")
      const parsed = yield* consumer(clock, subscription({ topics: topics("parsed") }))
      expect(ids([yield* parsed.next, ...(yield* parsed.within(50))])).toEqual(["of-good"])
      yield* settle([bad])
      expect(yield* total).toBe(1)
    }))

  it("the backlog tells ready, later and leased apart", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const later = yield* soon(3_600_000)
      yield* bus.publish([message("a"), message("b"), message("c"), message("d", { not_before: later })])
      const c = yield* consumer(clock, subscription({ limit: 1 }))
      yield* c.next
      const rows = (yield* bus.backlog).filter((row) => row.ready + row.later + row.leased > 0)
      expect(rows).toEqual([{ topic: "crawl.normal", ready: 2, later: 1, leased: 1 }])
    }))
}
