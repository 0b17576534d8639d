import { expect } from "bun:test"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Frontier, Hosts } from "../../src/domain/ports.ts"
import { paceHeader } from "../../src/domain/topics.ts"
import { type Dealt, keepPace } from "../../src/streams/pace.ts"
import { message } from "../support/conformance/consumer.ts"
import { effect } from "../support/effect.ts"
import { world } from "../support/world.ts"

effect("a line that others deal out by another gap meanwhile is dealt out now and then, not by each of its pages", () =>
  Effect.gen(function* () {
    const gaps: Array<number> = []
    let gap = 1000
    const dealt: Dealt = new Map()
    const { not_before: _, ...envelope } = { ...message("a"), headers: { [paceHeader]: "2000" } }
    const fetched = keepPace(dealt, { envelope }).pipe(
      Effect.updateService(Hosts, (it) => ({ ...it, delay: () => Effect.succeed(gap) })),
      Effect.updateService(Frontier, (it) => ({ ...it, repace: (_host, by) => Effect.sync(() => void gaps.push(by)) }))
    )
    yield* Effect.repeat(Effect.andThen(fetched, TestClock.adjust("1 second")), { times: 19 })
    expect(gaps).toEqual([1000, 1000])
    gap = 5000
    yield* fetched
    expect(gaps).toEqual([1000, 1000, 5000])
  }).pipe(Effect.provide(world(() => "")))
)
