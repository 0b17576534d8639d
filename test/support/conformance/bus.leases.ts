import { expect } from "bun:test"
import { Effect } from "effect"
import { crashesMax } from "../../../src/domain/job.ts"
import { Bus } from "../../../src/domain/ports.ts"
import type { BusOptions, BusSentence } from "./bus.ts"
import { until } from "./clock.ts"
import { consumer, message, settle, subscription, topics, total } from "./consumer.ts"

/** Who holds a message, how long, and what becomes of it when its holder dies. */
export const leases = <R>(it: BusSentence<R>, { clock, leaseMs, crash, deadLetters }: BusOptions<R>) => {
  it("a lease that nobody renews runs out and the message is delivered again", () =>
    Effect.gen(function* () {
      yield* Bus.use((bus) => bus.publish([message("m")]))
      const first = yield* consumer(clock, subscription())
      const lost = yield* first.next
      yield* first.die
      const second = yield* consumer(clock, subscription())
      const again = yield* second.next
      expect(again.envelope).toEqual(lost.envelope)
      expect(again.receipt.lease).toBeGreaterThan(lost.receipt.lease)
    }))

  it("a lease is renewed while its delivery is out", () =>
    Effect.gen(function* () {
      yield* Bus.use((bus) => bus.publish([message("m")]))
      const first = yield* consumer(clock, subscription())
      const held = yield* first.next
      const second = yield* consumer(clock, subscription())
      expect(yield* second.within(3 * leaseMs)).toEqual([])
      yield* settle([held])
      expect(yield* total).toBe(0)
    }))

  it("a settlement that comes after its lease was lost does nothing", () =>
    Effect.gen(function* () {
      yield* Bus.use((bus) => bus.publish([message("m")]))
      const first = yield* consumer(clock, subscription())
      const lost = yield* first.next
      yield* first.die
      yield* crash
      const second = yield* consumer(clock, subscription({ topics: topics("crawl.normal", "fetched") }))
      const again = yield* second.next
      yield* settle([lost], [message("of-the-late", { topic: "fetched" })])
      expect(yield* second.within(50)).toEqual([])
      yield* settle([again], [message("of-the-holder", { topic: "fetched" })])
      expect((yield* second.next).envelope.id).toBe("of-the-holder")
    }))

  it("a settlement given twice counts once", () =>
    Effect.gen(function* () {
      yield* Bus.use((bus) => bus.publish([message("m")]))
      const c = yield* consumer(clock, subscription())
      const held = yield* c.next
      yield* settle([held], [message("n", { topic: "parsed" })])
      yield* settle([held], [message("o", { topic: "parsed" })])
      expect(yield* total).toBe(1)
    }))

  it(`a message begun ${crashesMax} times without an outcome is a dead letter: crash_loop`, () =>
    Effect.gen(function* () {
      yield* Bus.use((bus) => bus.publish([message("killer", { key: "k", payload: { poison: "독" } })]))
      for (let n = 0; n < crashesMax; n++) {
        const victim = yield* consumer(clock, subscription())
        const taken = yield* victim.next
        expect(taken.envelope.id).toBe("killer")
        yield* Bus.use((bus) => bus.begin([taken.receipt, taken.receipt]))
        yield* victim.die
        yield* crash
      }
      const last = yield* consumer(clock, subscription())
      const [letter] = yield* until(
        clock,
        "the dead letter",
        Effect.map(deadLetters, (all) => (all.length > 0 ? all : undefined))
      )
      expect(letter).toMatchObject({ topic: "crawl.normal", key: "k", code: "crash_loop", attempts: crashesMax })
      expect(letter?.bytes).toContain('"독"')
      expect(yield* last.within(50)).toEqual([])
      expect(yield* total).toBe(0)
    }))

  it("a message that only waited when its holder died is charged nothing, however often", () =>
    Effect.gen(function* () {
      yield* Bus.use((bus) => bus.publish([message("patient")]))
      for (let n = 0; n < crashesMax + 2; n++) {
        const victim = yield* consumer(clock, subscription())
        expect((yield* victim.next).envelope.id).toBe("patient")
        yield* victim.die
        yield* crash
      }
      expect(yield* deadLetters).toEqual([])
      const last = yield* consumer(clock, subscription())
      expect((yield* last.next).envelope.id).toBe("patient")
    }))

  it("a release gives a message back at once and charges nothing", () =>
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.publish([message("m")])
      const c = yield* consumer(clock, subscription())
      for (let n = 0; n < crashesMax + 2; n++) {
        const { receipt } = yield* c.next
        yield* bus.begin([receipt])
        yield* bus.release([receipt])
      }
      expect((yield* c.next).envelope).toMatchObject({ id: "m", attempt: 0 })
      yield* c.die
      yield* crash
      const other = yield* consumer(clock, subscription())
      expect((yield* other.next).envelope.id).toBe("m")
      expect(yield* deadLetters).toEqual([])
    }))
}
