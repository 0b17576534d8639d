import { expect } from "bun:test"
import { Effect, Fiber, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/errors.ts"
import { OutageBook, Outages } from "../../src/domain/outage.ts"
import { patient } from "../../src/infra/consumer.table.ts"
import { steadfast } from "../../src/streams/stage.ts"
import { effect } from "../support/effect.ts"

/** What is logged while this runs, with a book of its own. */
const told = <A, E, R>(work: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => {
    lines.push(String(message))
  })
  return work(lines).pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(Outages, new OutageBook()))
}

/** A dependency that is down until `up` is set. */
const flaky = (up: Ref.Ref<boolean>, dependency: "database" | "disk") =>
  Effect.flatMap(Ref.get(up), (it) =>
    it ? Effect.succeed("answer") : Effect.fail(new Unavailable({ dependency, message: "no answer" }))
  )

effect("an outage is one line, however many wait and however long, and its end another", () =>
  told((lines) =>
    Effect.gen(function* () {
      const up = yield* Ref.make(false)
      const stages = Array.from({ length: 20 }, () => steadfast(flaky(up, "disk")))
      const looks = [1, 2].map(() => patient(flaky(up, "disk"), "none", () => false))
      const fiber = yield* Effect.forkChild(Effect.all([...stages, ...looks], { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 hour")
      expect(lines).toEqual(["disk is down, waiting: no answer"])
      yield* Ref.set(up, true)
      yield* TestClock.adjust("1 second")
      expect(new Set(yield* Fiber.join(fiber))).toEqual(new Set(["answer"]))
      expect(lines.slice(1)).toEqual(["disk is back after 3600.5 s"])
    })
  )
)

effect("another dependency's outage, and a later one of the same, are lines of their own", () =>
  told((lines) =>
    Effect.gen(function* () {
      const up = yield* Ref.make(false)
      const both = Effect.all([steadfast(flaky(up, "disk")), steadfast(flaky(up, "database"))], { concurrency: 2 })
      for (let time = 0; time < 2; time++) {
        yield* Ref.set(up, false)
        const fiber = yield* Effect.forkChild(both)
        yield* TestClock.adjust("2 seconds")
        yield* Ref.set(up, true)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
      }
      const down = lines.filter((it) => it.includes("is down"))
      expect(down.length).toBe(4)
      expect(lines.length).toBe(8)
    })
  )
)

effect("who is told to stop while he waits does not say that all is well", () =>
  told((lines) =>
    Effect.gen(function* () {
      let stopping = false
      const never = yield* Ref.make(false)
      const stage = yield* Effect.forkChild(steadfast(flaky(never, "database")))
      const look = yield* Effect.forkChild(patient(flaky(never, "database"), "none", () => stopping))
      yield* TestClock.adjust("10 seconds")
      stopping = true
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(look)).toBe("none")
      yield* Fiber.interrupt(stage)
      expect(lines).toEqual(["database is down, waiting: no answer"])
    })
  )
)

effect("a look that breaks while it is waited for ends its outage all the same: the next one is told again", () =>
  told((lines) =>
    Effect.gen(function* () {
      const up = yield* Ref.make(false)
      const broken = Effect.flatMap(Ref.get(up), (it) => (it ? Effect.die("broken") : flaky(up, "database")))
      for (let time = 0; time < 2; time++) {
        yield* Ref.set(up, false)
        const look = yield* Effect.forkChild(Effect.exit(patient(broken, "none", () => false)))
        yield* TestClock.adjust("2 seconds")
        yield* Ref.set(up, true)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(look)
      }
      expect(lines.filter((it) => it.includes("is down")).length).toBe(2)
    })
  )
)
