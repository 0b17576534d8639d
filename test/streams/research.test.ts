import { describe, expect } from "bun:test"
import { Clock, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { Fatal, Retryable, Suspendable } from "../../src/domain/errors.ts"
import { Signals } from "../../src/domain/ports.ts"
import type { Find } from "../../src/domain/research/assemble.ts"
import type { Lookup } from "../../src/domain/research/lookup.ts"
import { Discovery } from "../../src/domain/research.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import { policy } from "../../src/program/policy.ts"
import { adaptive } from "../../src/streams/adaptive.ts"
import { gate } from "../../src/streams/gate.ts"
import { type Asking, answersOf } from "../../src/streams/lookup.ts"
import { effect } from "../support/effect.ts"
import { settings } from "../support/net.ts"

type Said = ReadonlyArray<Find> | Retryable | Suspendable | Fatal
const found: ReadonlyArray<Find> = [{ url: "https://a.sg/", title: null, description: null, language: null }]
const broken = new Retryable({ code: "parse_failed", message: "answers HTML" })
const lookup = (subject: string): Lookup => ({ method: "crtsh", subject, query: `%.${subject}` })

/** A discovery source that answers each subject in turn as told; the last answer stays. */
const world = (told: Readonly<Record<string, ReadonlyArray<Said>>>) => {
  const asked: Array<string> = []
  const ask = ({ subject }: Lookup) => {
    const turn = asked.filter((it) => it === subject).length
    asked.push(subject)
    const said = told[subject]?.[turn] ?? told[subject]?.at(-1) ?? []
    return "_tag" in said ? Effect.fail(said) : Effect.succeed(said)
  }
  const base = settings({ BREAKER_FAILURES: "100" })
  const layer = Layer.mergeAll(
    Layer.succeed(Discovery, { host: () => "crt.sh", ask }),
    Layer.succeed(Signals, { record: () => Effect.void }),
    hosts.layer(),
    policy({ readers: 1, html: false, oneShot: false })
  ).pipe(Layer.provide(base))
  return { asked, layer }
}
const asking = (): Asking => {
  const pace = adaptive()
  return { limits: { permits: pace.permits, door: gate(1) }, pace, memo: new Map() }
}

/** The answers, and how much time passed until they were there, ms. */
const answered = (it: Asking, subjects: ReadonlyArray<string>, last = false) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkChild(Effect.result(answersOf(it, subjects.map(lookup), last)))
    let now = start
    while (fiber.pollUnsafe() === undefined && now - start < 120_000) {
      yield* TestClock.adjust("1 second")
      now += 1000
    }
    return { result: yield* Fiber.join(fiber), waited: now - start }
  })

describe("one question to a discovery source", () => {
  effect("is asked again after 1, 2, 4 and 8 s, then counts as failed with its reason (S5.28)", () => {
    const { asked, layer } = world({ "a.sg": [broken] })
    return Effect.gen(function* () {
      const { result, waited } = yield* answered(asking(), ["a.sg"])
      expect(asked.length).toBe(5)
      expect(waited).toBeGreaterThanOrEqual(15_000)
      expect(waited).toBeLessThanOrEqual(20_000)
      const [answer] = Result.getOrThrow(result)
      expect(answer).toMatchObject({ tag: "failed", reason: "parse_failed: answers HTML", finds: [] })
    }).pipe(Effect.provide(layer))
  })

  effect("that is answered at the second try is ok; nothing found is empty, which is another thing than failed", () => {
    const { layer } = world({ "a.sg": [broken, found], "b.sg": [[]] })
    return Effect.gen(function* () {
      const { result } = yield* answered(asking(), ["a.sg", "b.sg"])
      expect(Result.getOrThrow(result).map((it) => it.tag)).toEqual(["ok", "empty"])
    }).pipe(Effect.provide(layer))
  })

  effect("whose quota is used up suspends the message at once", () => {
    const { asked, layer } = world({ "a.sg": [new Suspendable({ code: "quota", message: "used up" })] })
    return Effect.gen(function* () {
      const { result } = yield* answered(asking(), ["a.sg"])
      expect(Result.isFailure(result) ? result.failure._tag : "").toBe("Suspendable")
      expect(asked.length).toBe(1)
    }).pipe(Effect.provide(layer))
  })

  effect("whose source asks for time sends the message back until then, but fails on the last try", () => {
    const later = new Retryable({ code: "http_429", message: "slow down", after: 120_000 })
    const { layer } = world({ "a.sg": [later] })
    return Effect.gen(function* () {
      const first = yield* answered(asking(), ["a.sg"])
      expect(first.result).toMatchObject({ failure: { _tag: "Retryable", code: "http_429" } })
      const last = yield* answered(asking(), ["a.sg"], true)
      expect(Result.getOrThrow(last.result)[0]).toMatchObject({ tag: "failed" })
    }).pipe(Effect.provide(layer))
  })

  effect("that was answered is not asked again when its message is tried again; one that failed is", () => {
    const { asked, layer } = world({
      "a.sg": [found],
      "b.sg": [new Fatal({ code: "bad_request", message: "x" }), found]
    })
    return Effect.gen(function* () {
      const it = asking()
      yield* answered(it, ["a.sg", "b.sg"])
      const { result } = yield* answered(it, ["a.sg", "b.sg"])
      expect(Result.getOrThrow(result).map((answer) => answer.tag)).toEqual(["ok", "ok"])
      expect(asked).toEqual(["a.sg", "b.sg", "b.sg"])
    }).pipe(Effect.provide(layer))
  })
})
