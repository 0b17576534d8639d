import { Clock, Duration, Effect, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import {
  acquire,
  ask,
  gap,
  type HostState,
  idle,
  LOOK_AGAIN_MS,
  type Manners,
  release,
  unseen
} from "../domain/hosts.ts"
import { Hosts, type Slot } from "../domain/ports.ts"
import { Settings } from "./config.ts"

/** Hosts remembered at once. */
const HOSTS_MAX = 100_000
/** Hosts looked at to find one that may be forgotten. */
const LOOKED_AT_MAX = 64
/**
 * What a slot outlives a fetch by: robots.txt is read inside the slot, under a time limit of its own, and the fetch may wait for
 * a permit or a redirect's host.
 */
const slotMargin = Duration.seconds(15)

export interface Options {
  /**
   * A restarted process does not know when it last dialled a host: each host counts as dialled at the start, and none is
   * dialled before this much has passed. Zero: no host was dialled before.
   */
  readonly quiet?: Duration.Duration
}

/** How long a slot lives that nobody gives back: robots.txt and page may take a FETCH_TIMEOUT each. */
export const slotLife = (fetchTimeout: Duration.Duration): Duration.Duration =>
  Duration.sum(Duration.times(fetchTimeout, 2), slotMargin)

/** The manners that the settings ask for. */
export const mannersOf = (settings: Settings["Service"]): Manners => ({
  perHost: settings.FETCH_PER_HOST,
  delay: Duration.toMillis(settings.FETCH_DELAY),
  slotLife: Duration.toMillis(slotLife(settings.FETCH_TIMEOUT)),
  failures: settings.BREAKER_FAILURES,
  open: Duration.toMillis(settings.BREAKER_OPEN)
})

/** Host states, the least recently used first. A new host is let in only if there is room, or one that may be forgotten. */
class States {
  readonly #states = new Map<string, HostState>()
  readonly #fresh: HostState
  constructor(
    readonly manners: Manners,
    fresh: HostState
  ) {
    this.#fresh = fresh
  }
  read(host: string): HostState {
    return this.#states.get(host) ?? this.#fresh
  }
  write(host: string, state: HostState): void {
    this.#states.delete(host)
    this.#states.set(host, state)
  }
  /** Is there room for this host? */
  admits(host: string, now: Millis): boolean {
    if (this.#states.size < HOSTS_MAX || this.#states.has(host)) return true
    let looked = 0
    for (const [name, state] of this.#states) {
      if (idle(state, this.manners, now)) return this.#states.delete(name)
      looked += 1
      if (looked === LOOKED_AT_MAX) return false
    }
    return false
  }
}

const make = ({ quiet = Duration.zero }: Options) =>
  Effect.gen(function* () {
    const manners = mannersOf(yield* Settings)
    const start = yield* Clock.currentTimeMillis
    const quietUntil = start + Duration.toMillis(quiet)
    const states = new States(manners, Duration.isZero(quiet) ? unseen() : unseen(start))
    let tokens = 0

    /** One step in one go: nothing else runs between reading a state and writing the next. */
    const step = <A>(work: (now: Millis) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, work)

    const take = (host: string, now: Millis): Slot => {
      if (now < quietUntil) return { tag: "wait", until: quietUntil, reason: "delay" }
      // Full of hosts that are owed something: better to wait than to break a promise to one of them.
      if (!states.admits(host, now)) return { tag: "wait", until: now + LOOK_AGAIN_MS, reason: "in_flight" }
      tokens += 1
      const { slot, state } = acquire(states.read(host), manners, now, `${tokens}`)
      states.write(host, state)
      return slot
    }

    return Hosts.of({
      acquire: (host) => step((now) => take(host, now)),
      release: (host, token, outcome) =>
        step((now) => {
          const before = states.read(host)
          const after = release(before, manners, now, token, outcome)
          states.write(host, after)
          return { tripped: after.openUntil > before.openUntil }
        }),
      setDelay: (host, delay_ms) =>
        step((now) => (states.admits(host, now) ? states.write(host, ask(states.read(host), delay_ms)) : undefined)),
      delay: (host) => Effect.sync(() => gap(states.read(host), manners))
    })
  })

/** Host state of one process: gone with it. Time is the Clock's. */
export const layer = (options: Options = {}): Layer.Layer<Hosts, never, Settings> => Layer.effect(Hosts, make(options))
