import { Clock, Effect, Layer, Semaphore } from "effect"
import type { Millis } from "../domain/crawl.ts"
import type { Unavailable } from "../domain/errors.ts"
import {
  BREAKER_OPEN_MAX_MS,
  DELAY_MAX_MS,
  type Ended,
  LOOK_AGAIN_MS,
  PROBE_AGAIN_MS,
  PROBE_YIELD_MS
} from "../domain/hosts.ts"
import { Hosts, type Slot } from "../domain/ports.ts"
import { RETRY_AFTER_MAX_MS } from "../domain/retryafter.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { hostsKept } from "./hosts.kept.ts"
import { mannersOf } from "./hosts.memory.ts"
import { type Client, connect, type Reply } from "./redis/client.ts"
import * as step from "./redis/hosts.ts"

/** Clocks that differ by less (ms) are one clock: what is measured then is the way there and back. */
const skewMsMin = 20
/** Only a quick answer (ms) tells the time well. */
const quickMsMax = 10
/** What is known of a host is forgotten this long (ms) after its last request: as long as the longest pause. */
const keepMs = RETRY_AFTER_MAX_MS + BREAKER_OPEN_MAX_MS
/** Before the cache's promises are loaded, ask again this often (ms). */
const loadAgainMs = 500

const numberAt = (reply: Reply, at: number): number => Number(Array.isArray(reply) ? reply[at] : 0)
const textAt = (reply: Reply, at: number): string => String(Array.isArray(reply) ? reply[at] : "")

/** The server's clock against ours: instants cross between the two by one measured distance. */
class Skew {
  private ms = 0
  learn(server: Millis, asked: Millis, answered: Millis): void {
    if (answered - asked > quickMsMax) return
    const measured = server - (asked + answered) / 2
    this.ms = Math.abs(measured) < skewMsMin ? 0 : Math.round(measured)
  }
  readonly ours = (server: Millis): Millis => server - this.ms
  readonly theirs = (own: Millis): Millis => own + this.ms
}

const reasonOf = (text: string): Extract<Slot, { tag: "wait" }>["reason"] =>
  text === "in_flight" || text === "retry_after" || text === "breaker" ? text : "delay"

const keysOf = (prefix: string) => ({
  generation: `${prefix}hosts`,
  host: (host: string) => `${prefix}host:${host}`,
  slots: (host: string) => `${prefix}slots:${host}`
})

type Manners = ReturnType<typeof mannersOf>
interface Tools {
  readonly client: Client
  readonly keys: ReturnType<typeof keysOf>
  readonly manners: Manners
  readonly skew: Skew
  readonly kept: ReturnType<typeof hostsKept>
}

/**
 * A server without its generation key has forgotten every host. Then nobody is dialled until one slot lease has passed, so that
 * whatever was in flight is over, and what Postgres still knows of pauses and breakers is brought back first.
 */
const renewal = ({ client, keys, manners, skew, kept }: Tools) => {
  const load = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const standing = yield* kept.standing(now)
    const restore = ({ host, paused_until, breaker_open_until, delay_ms }: (typeof standing)[number]) => {
      const instants = [paused_until, breaker_open_until].map((it) => (it === 0 ? 0 : skew.theirs(it)))
      const bounds = [manners.open, manners.failures, keepMs, delay_ms]
      return client.run(step.restore, [keys.host(host)], [...instants, ...bounds])
    }
    yield* Effect.forEach(standing, restore, { concurrency: 32, discard: true })
    yield* client.call("HSET", keys.generation, "loaded", "1")
    yield* Effect.logWarning(`host state was empty: ${standing.length} hosts have promises in the database`)
  })
  const begin = Effect.gen(function* () {
    const first = yield* kept.isFirst(crypto.randomUUID())
    const quiet = Math.max(manners.slotLife, manners.delay)
    yield* client.run(step.begin, [keys.generation], [first ? 0 : quiet])
  })
  const one = Semaphore.makeUnsafe(1)
  let rounds = 0
  /** Many ask at once; whoever waited for another's round needs none of its own. */
  return (what: string): Effect.Effect<void, Unavailable> =>
    Effect.suspend(() => {
      const seen = rounds
      const round = Effect.tap(what === "empty" ? Effect.andThen(begin, load) : load, () =>
        Effect.sync(() => {
          rounds += 1
        })
      )
      return one.withPermit(Effect.suspend(() => (rounds === seen ? round : Effect.void)))
    })
}

/** Instants that an end has moved go to the database too. */
const remember = ({ skew, kept }: Tools, host: string, paused: Millis, opened: Millis): Effect.Effect<void> => {
  const own = (instant: Millis) => (instant === 0 ? 0 : skew.ours(instant))
  return paused === 0 && opened === 0
    ? Effect.void
    : kept.keep({ host, paused_until: own(paused), breaker_open_until: own(opened), delay_ms: 0 })
}

const slots = (tools: Tools) => {
  const { client, keys, manners, skew } = tools
  const renew = renewal(tools)

  const ask = (host: string, token: string, page: string) =>
    Effect.gen(function* () {
      const asked = yield* Clock.currentTimeMillis
      const { perHost, delay, slotLife } = manners
      const reply = yield* client.run(
        step.acquire,
        [keys.generation, keys.host(host), keys.slots(host)],
        [token, perHost, delay, slotLife, LOOK_AGAIN_MS, PROBE_AGAIN_MS, keepMs, PROBE_YIELD_MS, page]
      )
      skew.learn(numberAt(reply, 1), asked, yield* Clock.currentTimeMillis)
      return reply
    })

  const acquire = Effect.fn("Hosts.acquire")(function* (host: string, page = ""): Effect.fn.Return<Slot, Unavailable> {
    const token = crypto.randomUUID()
    const reply = yield* ask(host, token, page)
    const what = textAt(reply, 0)
    if (what === "granted") return { tag: "granted", token }
    if (what === "wait") {
      return { tag: "wait", until: skew.ours(numberAt(reply, 2)), reason: reasonOf(textAt(reply, 3)) }
    }
    yield* renew(what)
    return { tag: "wait", until: (yield* Clock.currentTimeMillis) + loadAgainMs, reason: "delay" }
  })

  const release = Effect.fn("Hosts.release")(function* (
    host: string,
    token: string,
    { fault, page = "", pause_until }: Ended
  ) {
    const pause = pause_until === null ? 0 : skew.theirs(pause_until)
    const bounds = [manners.failures, manners.open, BREAKER_OPEN_MAX_MS, RETRY_AFTER_MAX_MS]
    const reply = yield* client.run(
      step.release,
      [keys.host(host), keys.slots(host)],
      [token, fault, pause, ...bounds, keepMs, page]
    )
    const opened = numberAt(reply, 2)
    yield* remember(tools, host, numberAt(reply, 1), opened)
    return { tripped: opened > 0 }
  })

  const setDelay = Effect.fn("Hosts.setDelay")(function* (host: string, delay_ms: number) {
    const delay = Math.min(Math.round(delay_ms), DELAY_MAX_MS)
    if (!(delay > 0)) return
    const raised = yield* client.run(step.ask, [keys.host(host)], [delay, keepMs])
    if (raised === 1) yield* tools.kept.keep({ host, paused_until: 0, breaker_open_until: 0, delay_ms: delay })
  })
  return { acquire, release, setDelay }
}

/** Host state in Redis, shared by all processes that name the same server. Unreachable: Unavailable, so that hosts wait. */
export const layer: Layer.Layer<Hosts, never, Database | Settings> = Layer.effect(
  Hosts,
  Effect.gen(function* () {
    const settings = yield* Settings
    const manners = mannersOf(settings)
    const client = yield* connect(settings.REDIS_URL ?? "", "hosts")
    const keys = keysOf(settings.REDIS_PREFIX)
    const tools = { client, keys, manners, skew: new Skew(), kept: hostsKept(yield* Database) }
    return Hosts.of({
      ...slots(tools),
      delay: (host) =>
        Effect.map(client.call("HGET", keys.host(host), "asked"), (asked) =>
          Math.max(manners.delay, Number(asked ?? 0))
        )
    })
  })
)
