import { Clock, Duration, Effect, Layer, Semaphore } from "effect"
import type { Millis } from "../domain/crawl.ts"
import type { Unavailable } from "../domain/errors.ts"
import {
  acquire,
  ask,
  gap,
  type HostState,
  idle,
  LOOK_AGAIN_MS,
  type Manners,
  type Promised,
  release,
  restored,
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

/** Where promises made to hosts outlive this process. */
export interface Keeper {
  readonly standing: (now: Millis) => Effect.Effect<ReadonlyArray<Promised & { readonly host: string }>, Unavailable>
  readonly keep: (it: Promised & { readonly host: string }) => Effect.Effect<void>
}
const forgetful: Keeper = { standing: () => Effect.succeed([]), keep: () => Effect.void }

/** What a step has promised anew, kept. */
const promised = (keeper: Keeper, host: string, before: HostState, after: HostState): Effect.Effect<void> => {
  const newer = (one: Millis, other: Millis) => (other > one ? other : 0)
  const paused_until = newer(before.pausedUntil, after.pausedUntil)
  const breaker_open_until = newer(before.openUntil, after.openUntil)
  const delay_ms = newer(before.asked, after.asked)
  return paused_until + breaker_open_until + delay_ms === 0
    ? Effect.void
    : keeper.keep({ host, paused_until, breaker_open_until, delay_ms })
}

/** Host state in memory; what a keeper knows is read before the first host is dialled. */
export const make = ({ quiet = Duration.zero }: Options, keeper: Keeper = forgetful) =>
  Effect.gen(function* () {
    const manners = mannersOf(yield* Settings)
    const start = yield* Clock.currentTimeMillis
    const quietUntil = start + Duration.toMillis(quiet)
    const states = new States(manners, Duration.isZero(quiet) ? unseen() : unseen(start))
    let tokens = 0

    /** One step in one go: nothing else runs between reading a state and writing the next. */
    const step = <A>(work: (now: Millis) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, work)

    const take = (host: string, page: string | undefined, now: Millis): Slot => {
      if (now < quietUntil) return { tag: "wait", until: quietUntil, reason: "delay" }
      // Full of hosts that are owed something: better to wait than to break a promise to one of them.
      if (!states.admits(host, now)) return { tag: "wait", until: now + LOOK_AGAIN_MS, reason: "in_flight" }
      tokens += 1
      const { slot, state } = acquire(states.read(host), manners, now, `${tokens}`, page)
      states.write(host, state)
      return slot
    }

    let loaded = keeper === forgetful
    const one = Semaphore.makeUnsafe(1)
    const load = one.withPermit(
      Effect.gen(function* () {
        if (loaded) return
        for (const it of yield* keeper.standing(start)) {
          states.write(it.host, restored(states.read(it.host), manners, it))
        }
        loaded = true
      })
    )
    /** Changes a host's state, and keeps what that promises. */
    const change = (host: string, work: (state: HostState, now: Millis) => HostState) =>
      Effect.flatMap(
        step((now) => {
          const before = states.read(host)
          const after = work(before, now)
          if (after !== before && states.admits(host, now)) states.write(host, after)
          return { before, after }
        }),
        ({ before, after }) => Effect.as(promised(keeper, host, before, after), after.openUntil > before.openUntil)
      )

    return Hosts.of({
      acquire: (host, page) =>
        Effect.suspend(() => (loaded ? Effect.void : load)).pipe(Effect.andThen(step((now) => take(host, page, now)))),
      release: (host, token, outcome) =>
        Effect.map(
          change(host, (state, now) => release(state, manners, now, token, outcome)),
          (tripped) => ({ tripped })
        ),
      setDelay: (host, delay_ms) => Effect.asVoid(change(host, (state) => ask(state, delay_ms))),
      delay: (host) => Effect.sync(() => gap(states.read(host), manners))
    })
  })

/** Host state of one process: gone with it. Time is the Clock's. */
export const layer = (options: Options = {}): Layer.Layer<Hosts, never, Settings> => Layer.effect(Hosts, make(options))
