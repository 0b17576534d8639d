import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import {
  acquire,
  ask,
  BREAKER_OPEN_MAX_MS,
  type Ended,
  gap,
  type HostState,
  idle,
  type Manners,
  release,
  unseen
} from "../../src/domain/hosts.ts"
import { RETRY_AFTER_MAX_MS } from "../../src/domain/retryafter.ts"
import { law } from "../support/law.ts"

const manners: Manners = { perHost: 1, delay: 1000, slotLife: 45_000, failures: 5, open: 60_000 }
const fine: Ended = { fault: "none", pause_until: null }
const bad: Ended = { fault: "host", pause_until: null }

/** One request from start to end. */
const visit = (state: HostState, at: number, ended: Ended, took = 0): HostState => {
  const taken = acquire(state, manners, at, `${at}`)
  expect(taken.slot).toEqual({ tag: "granted", token: `${at}` })
  return release(taken.state, manners, at + took, `${at}`, ended)
}
const slotAt = (state: HostState, at: number, how = manners) => acquire(state, how, at, "next").slot
/** A host whose breaker has just opened, by five failures from 0 s to 4 s. */
const opened = [0, 1000, 2000, 3000, 4000].reduce((state, at) => visit(state, at, bad), unseen())

describe("host state", () => {
  test("a host never dialled is dialled at once", () => {
    expect(slotAt(unseen(), 0)).toEqual({ tag: "granted", token: "next" })
  })

  test("the delay counts from the end of the request before: nobody knows when it reached its host", () => {
    const state = visit(unseen(), 0, fine, 300)
    expect(slotAt(state, 400)).toEqual({ tag: "wait", until: 1300, reason: "delay" })
    expect(slotAt(state, 1300).tag).toBe("granted")
  })

  test("of several at once, the latest start or end counts", () => {
    const two = { ...manners, perHost: 2 }
    const both = acquire(acquire(unseen(), two, 0, "a").state, two, 1000, "b").state
    expect(slotAt(release(both, two, 1200, "a", fine), 1200, two)).toEqual({
      tag: "wait",
      until: 2200,
      reason: "delay"
    })
  })

  test("with one per host, a slow request delays the next one until its end", () => {
    const { state } = acquire(unseen(), manners, 0, "slow")
    expect(slotAt(state, 5000)).toMatchObject({ tag: "wait", reason: "in_flight" })
    expect(slotAt(release(state, manners, 5000, "slow", fine), 6000).tag).toBe("granted")
  })

  test("a slot nobody releases runs out", () => {
    const { state } = acquire(unseen(), manners, 0, "lost")
    expect(slotAt(state, 44_999).tag).toBe("wait")
    expect(slotAt(state, 45_000).tag).toBe("granted")
  })

  test("the end of a slot that ran out frees nobody else's", () => {
    const lost = acquire(unseen(), manners, 0, "lost").state
    const other = acquire(lost, manners, 50_000, "other").state
    expect(slotAt(release(other, manners, 52_000, "lost", bad), 52_000)).toMatchObject({ reason: "in_flight" })
  })

  test("Retry-After pauses the host until that instant, and no request starts before", () => {
    const state = visit(unseen(), 0, { fault: "none", pause_until: 7000 })
    expect(slotAt(state, 6999)).toEqual({ tag: "wait", until: 7000, reason: "retry_after" })
    expect(slotAt(state, 7000).tag).toBe("granted")
  })

  test("a pause of years is cut to a day, and a later shorter one does not shorten the first", () => {
    const state = visit(unseen(), 0, { fault: "none", pause_until: 1e15 })
    expect(slotAt(state, 5000)).toEqual({ tag: "wait", until: RETRY_AFTER_MAX_MS, reason: "retry_after" })
    expect(release(state, manners, 20, "gone", { fault: "none", pause_until: 30 }).pausedUntil).toBe(state.pausedUntil)
  })

  test("the strictest of the setting and what the host asked for holds", () => {
    expect(gap(ask(unseen(), 200), manners)).toBe(1000)
    expect(gap(ask(ask(unseen(), 5000), 3000), manners)).toBe(5000)
    expect(gap(ask(unseen(), Number.NaN), manners)).toBe(1000)
    expect(gap(ask(unseen(), -1), manners)).toBe(1000)
  })

  test("a host that is owed nothing may be forgotten, others may not", () => {
    expect(idle(visit(unseen(), 0, fine), manners, 999)).toBe(false)
    expect(idle(visit(unseen(), 0, fine), manners, 1000)).toBe(true)
    expect(idle(acquire(unseen(), manners, 0, "a").state, manners, 2000)).toBe(false)
    expect(idle(visit(unseen(), 0, { fault: "none", pause_until: 9000 }), manners, 8999)).toBe(false)
    expect(idle(opened, manners, 30_000)).toBe(false)
  })
})

describe("breaker", () => {
  test("four failures in a row leave it closed, and a success starts the count again", () => {
    const four = [0, 1000, 2000, 3000].reduce((state, at) => visit(state, at, bad), unseen())
    const again = [5000, 6000, 7000, 8000].reduce((state, at) => visit(state, at, bad), visit(four, 4000, fine))
    expect(slotAt(again, 9000).tag).toBe("granted")
  })

  test("the fifth opens it for a minute", () => {
    expect(slotAt(opened, 5000)).toEqual({ tag: "wait", until: 64_000, reason: "breaker" })
    expect(slotAt(opened, 63_999).tag).toBe("wait")
  })

  test("then one probe goes out, and nobody else while it is out", () => {
    const two = { ...manners, perHost: 4, delay: 0 }
    const probe = acquire(opened, two, 64_000, "probe")
    expect(probe.slot.tag).toBe("granted")
    expect(slotAt(probe.state, 64_001, two)).toMatchObject({ tag: "wait", reason: "breaker" })
  })

  test("who waits for a probe looks again after as long as it has been out, and when its lease is over", () => {
    const { state } = acquire(opened, manners, 64_000, "probe")
    const over = 64_000 + manners.slotLife
    const looks: Array<number> = []
    for (let at = 64_100; at < over; ) {
      looks.push(at - 64_000)
      const slot = slotAt(state, at)
      expect(slot).toMatchObject({ tag: "wait", reason: "breaker" })
      at = slot.tag === "wait" ? slot.until : over
    }
    expect(looks.slice(0, 5)).toEqual([100, 1100, 2200, 4400, 8800])
    expect(looks.length).toBeLessThanOrEqual(7)
  })

  test("a probe that succeeds closes it", () => {
    const state = visit(opened, 64_000, fine)
    expect(slotAt(state, 65_010).tag).toBe("granted")
    expect(state.failures).toBe(0)
  })

  test("each probe that fails doubles the wait, up to an hour", () => {
    let state = opened
    const waits: Array<number> = []
    for (let probe = 0; probe < 8; probe++) {
      const at = state.openUntil
      state = visit(state, at, bad, 0)
      waits.push((state.openUntil - at) / 60_000)
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60])
    expect(state.openFor).toBe(BREAKER_OPEN_MAX_MS)
  })

  test("a probe lost with its process lets the next one out", () => {
    const probe = acquire(opened, manners, 64_000, "probe").state
    expect(slotAt(probe, 64_000 + manners.slotLife).tag).toBe("granted")
  })
})

/** A step of a random day at one host: time passes, then somebody asks for a slot or gives the oldest one back. */
const Steps = Schema.Array(
  Schema.Struct({
    passes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3000 })),
    does: Schema.Literals(["acquire", "acquire", "release", "fail", "pause", "ask", "lose"])
  })
).check(Schema.isMaxLength(60))
const Day = Schema.Struct({ steps: Steps, perHost: Schema.Literals([1, 2, 5]), delay: Schema.Literals([0, 250, 1000]) })

interface Run {
  readonly starts: ReadonlyArray<{ readonly at: number; readonly gap: number }>
  readonly mostOut: number
  readonly tooEarly: number
}
const live = (day: typeof Day.Type): Run => {
  const how = { ...manners, perHost: day.perHost, delay: day.delay, slotLife: 100_000_000 }
  let state = unseen()
  let now = 0
  let paused = 0
  let mostOut = 0
  let tooEarly = 0
  const out: Array<string> = []
  const starts: Array<{ at: number; gap: number }> = []
  for (const [index, { passes, does }] of day.steps.entries()) {
    now += passes
    if (does === "ask") state = ask(state, passes)
    else if (does === "acquire") {
      const next = acquire(state, how, now, `${index}`)
      state = next.state
      if (next.slot.tag === "wait") expect(next.slot.until).toBeGreaterThan(now)
      else {
        starts.push({ at: now, gap: gap(state, how) })
        out.push(next.slot.token)
        if (now < paused) tooEarly += 1
      }
      mostOut = Math.max(mostOut, out.length)
    } else if (does !== "lose") {
      const token = out.shift() ?? "nobody's"
      const pause_until = does === "pause" ? now + passes : null
      paused = Math.max(paused, pause_until ?? 0)
      state = release(state, how, now, token, { fault: does === "fail" ? "host" : "none", pause_until })
    }
  }
  return { starts, mostOut, tooEarly }
}

describe("whatever the interleaving", () => {
  law("two starts are never closer than the gap", Day, (day) =>
    live(day).starts.every(({ at, gap }, index, all) => index === 0 || at - (all[index - 1]?.at ?? 0) >= gap)
  )
  law("never more are out than allowed", Day, (day) => live(day).mostOut <= day.perHost)
  law("nothing starts during a pause", Day, (day) => live(day).tooEarly === 0)
})
