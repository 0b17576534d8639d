import { expect } from "bun:test"
import { Effect } from "effect"
import { Bus } from "../../../src/domain/ports.ts"
import { crawlTopics, crawlWeights } from "../../../src/domain/topics.ts"
import type { BusOptions, BusSentence } from "./bus.ts"
import { consumer, ids, message, settle, soon, subscription, topics, total } from "./consumer.ts"

/** How deliveries are shared among topics and keys. */
export const shares = <R>(it: BusSentence<R>, { clock }: BusOptions<R>) => {
  const weighted = crawlTopics.map((topic) => ({ topic, weight: crawlWeights[topic] }))
  const limit = weighted.reduce((sum, { weight }) => sum + weight, 0)
  const many = (topic: (typeof crawlTopics)[number], count: number) =>
    Array.from({ length: count }, (_, n) => message(`${topic}-${n}`, { topic, key: `${topic}-${n}.kr` }))

  it("busy topics have as many out as their weights say", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish(crawlTopics.flatMap((topic) => many(topic, limit)))
      const c = yield* consumer(clock, subscription({ topics: weighted, limit }))
      const taken = yield* c.take(limit)
      const counts = crawlTopics.map((topic) => taken.filter((d) => d.receipt.topic === topic).length)
      expect(counts).toEqual(weighted.map(({ weight }) => weight))
      expect(yield* c.within(50)).toEqual([])
    }))

  it("idle shares are lent, and the owner is served next", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish(many("crawl.low", limit + 5))
      const c = yield* consumer(clock, subscription({ topics: weighted, limit }))
      const [first] = yield* c.take(limit)
      yield* bus.publish(many("crawl.poll", 1))
      expect(yield* c.within(50)).toEqual([])
      if (first !== undefined) yield* settle([first])
      expect((yield* c.next).receipt.topic).toBe("crawl.poll")
    }))

  it("no topic starves where one delivery at a time is taken", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish(crawlTopics.flatMap((topic) => many(topic, 2 * limit)))
      const c = yield* consumer(clock, subscription({ topics: weighted, limit: 1 }))
      const seen = new Set<string>()
      for (let n = 0; n < limit; n++) {
        const next = yield* c.next
        seen.add(next.receipt.topic)
        yield* settle([next])
      }
      expect([...seen].toSorted()).toEqual([...crawlTopics].toSorted())
    }))

  it("no key has more out than it may, and holds no other back", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([1, 2, 3, 4, 5].map((n) => message(`a${n}`, { key: "a.kr" })))
      yield* bus.publish([message("b1", { key: "b.kr" })])
      const c = yield* consumer(clock, subscription({ perKey: 2, limit: 10 }))
      const taken = yield* c.take(3)
      expect(ids(taken).toSorted()).toEqual(["a1", "a2", "b1"])
      expect(yield* c.within(50)).toEqual([])
      yield* settle(taken.filter((d) => d.envelope.id === "a1"))
      expect((yield* c.next).envelope.id).toBe("a3")
    }))

  it("no more are out than the limit", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish(many("crawl.normal", 10))
      const c = yield* consumer(clock, subscription({ limit: 3 }))
      const taken = yield* c.take(3)
      expect(yield* c.within(50)).toEqual([])
      yield* settle(taken.slice(0, 2))
      yield* c.take(2)
      expect(yield* c.within(50)).toEqual([])
    }))
}

/** How a consumer comes to its end. */
export const ends = <R>(it: BusSentence<R>, { clock }: BusOptions<R>) => {
  it("a run until drained ends at once on an empty bus", () =>
    Effect.gen(function* () {
      const c = yield* consumer(clock, subscription({ untilDrained: true }))
      expect((yield* c.ended)._tag).toBe("Success")
    }))

  it("a run until drained waits for what is due later and for what is out, since it may lead to more", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([message("now"), message("later", { not_before: yield* soon(200) })])
      const c = yield* consumer(clock, subscription({ untilDrained: true }))
      const [now, later] = yield* c.take(2)
      if (now === undefined || later === undefined) throw new Error("two deliveries")
      yield* settle([now])
      expect(yield* c.within(50)).toEqual([])
      expect(yield* c.running).toBe(true)
      yield* settle([later], [message("more")])
      yield* settle([yield* c.next])
      expect((yield* c.ended)._tag).toBe("Success")
      expect(yield* total).toBe(0)
    }))

  it("stop ends the stream, and what was taken may still be settled", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([message("a"), message("b"), message("c")])
      const c = yield* consumer(clock, subscription({ limit: 2 }))
      const taken = yield* c.take(2)
      yield* c.stop
      expect((yield* c.ended)._tag).toBe("Success")
      yield* settle(taken, [message("out", { topic: "fetched" })])
      const rest = yield* consumer(clock, subscription({ topics: topics("crawl.normal", "fetched") }))
      expect(ids(yield* rest.take(2)).toSorted()).toEqual(["c", "out"])
    }))
}
