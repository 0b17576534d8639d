import { expect } from "bun:test"
import { Effect } from "effect"
import {
  acquire,
  BREAKER_OPEN_MAX_MS,
  type HostState,
  LOOK_AGAIN_MS,
  type Manners,
  PROBE_AGAIN_MS,
  PROBE_YIELD_MS,
  release,
  unseen
} from "../../src/domain/hosts.ts"
import { RETRY_AFTER_MAX_MS } from "../../src/domain/retryafter.ts"
import { connect, type Reply, script } from "../../src/infra/redis/client.ts"
import * as step from "../../src/infra/redis/hosts.ts"
import { live } from "../support/effect.ts"
import { withService } from "../support/services.ts"

const manners: Manners = { perHost: 2, delay: 1000, slotLife: 30_000, failures: 3, open: 5000 }
/** Sequences tried, and steps of each. */
const sequences = 40
const turns = 120
const pages = ["/1", "/2", "/3", "/4", "/5"]
const faults = ["none", "host", "page", "page", "page", "unknown"] as const
const prefix = `test:alike:${process.pid}:`
/** Longer than a sequence. */
const keep = RETRY_AFTER_MAX_MS

/** The script by a clock that the test moves: whole seconds, behind the other parameters. */
const timed = ({ text }: ReturnType<typeof script>) => script(text.replace("redis.call('TIME')", "{ARGV[#ARGV], 0}"))
const [taking, giving] = [timed(step.acquire), timed(step.release)]

/** Numbers below a bound, the same ones for a seed (mulberry32). */
const dice = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
const list = (reply: Reply) => (Array.isArray(reply) ? reply.map(String) : [])

withService("REDIS_URL", (url) => {
  live("hosts in Redis and in memory answer every sequence of requests and ends alike", () =>
    Effect.gen(function* () {
      const client = yield* connect(url, "hosts")
      const generation = `${prefix}hosts`
      yield* client.call("HSET", generation, "quiet", "0", "loaded", "1")
      for (let seed = 1; seed <= sequences; seed += 1) {
        const roll = dice(seed)
        const keys = [`${prefix}host:${seed}`, `${prefix}slots:${seed}`]
        let state: HostState = unseen()
        let now = 1_900_000_000_000
        let held: ReadonlyArray<string> = []
        for (let turn = 0; turn < turns; turn += 1) {
          now += [0, 1000, 1000, 2000, 5000, 20_000][roll(6)] ?? 0
          const page = pages[roll(pages.length)] ?? ""
          if (roll(2) === 0 || held.length === 0) {
            const token = `${turn}`
            const bounds = [manners.perHost, manners.delay, manners.slotLife, LOOK_AGAIN_MS, PROBE_AGAIN_MS, keep]
            const reply = list(
              yield* client.run(taking, [generation, ...keys], [token, ...bounds, PROBE_YIELD_MS, page, now / 1000])
            )
            const here = acquire(state, manners, now, token, page)
            state = here.state
            const { slot } = here
            const said =
              slot.tag === "granted"
                ? ["granted", String(now), "0", ""]
                : ["wait", String(now), String(slot.until), slot.reason]
            expect({ seed, turn, reply }).toEqual({ seed, turn, reply: said })
            if (slot.tag === "granted") held = [...held, token]
          } else {
            const token = held[roll(held.length)] ?? ""
            held = held.filter((it) => it !== token)
            const fault = faults[roll(faults.length)] ?? "none"
            const pause = roll(8) === 0 ? now + 7000 : null
            const bounds = [manners.failures, manners.open, BREAKER_OPEN_MAX_MS, RETRY_AFTER_MAX_MS, keep]
            const reply = list(yield* client.run(giving, keys, [token, fault, pause ?? 0, ...bounds, page, now / 1000]))
            const after = release(state, manners, now, token, { fault, page, pause_until: pause })
            const moved = (one: number, other: number) => String(other > one ? other : 0)
            const said = [
              String(now),
              moved(state.pausedUntil, after.pausedUntil),
              moved(state.openUntil, after.openUntil)
            ]
            state = after
            expect({ seed, turn, fault, reply }).toEqual({ seed, turn, fault, reply: said })
          }
        }
        yield* client.call("DEL", ...keys)
      }
      yield* client.call("DEL", generation)
    }).pipe(Effect.scoped)
  )
})
