import { Deferred, Effect, Exit } from "effect"
import type { Millis } from "../domain/crawl.ts"
import type { Unavailable } from "../domain/errors.ts"
import { setLatest } from "../domain/latest.ts"
import { noConfig } from "../domain/override.ts"
import type { Standing } from "../domain/priority.facts.ts"

type Standings = ReadonlyMap<string, Standing>
/** What is behind memory. It answers for the hosts it knows; of the others nothing is known, which is remembered too. */
export type Load = (hosts: ReadonlyArray<string>, now: Millis) => Effect.Effect<Standings, Unavailable>

export interface Keeping {
  /** Hosts kept at once; the oldest entry goes first. */
  readonly hostsMax: number
  /** Life of an entry. */
  readonly ttl_ms: number
  readonly now: Effect.Effect<Millis>
  /** Told how many hosts a lookup found in memory. */
  readonly hit: (hosts: number) => Effect.Effect<void>
}

interface Entry {
  readonly standing: Standing
  readonly until: Millis
}
type Pending = Deferred.Deferred<Standing, Unavailable>

const nothing: Standing = { score: null, config: noConfig, rules: [] }

/** An entry with an override lives no longer than that (S2.10). */
const lifeOf = ({ config: { override } }: Standing, now: Millis, ttl_ms: number): number =>
  override !== null && override.until > now ? Math.min(override.until - now, ttl_ms) : ttl_ms

/** Entries by host, the oldest first. */
const entriesOf = ({ hostsMax, ttl_ms }: Keeping) => {
  const entries = new Map<string, Entry>()
  return {
    read: (host: string, now: Millis): Standing | undefined => {
      const entry = entries.get(host)
      return entry !== undefined && now < entry.until ? entry.standing : undefined
    },
    write: (host: string, standing: Standing, now: Millis): void => {
      setLatest(entries, host, { standing, until: now + lifeOf(standing, now, ttl_ms) }, hostsMax)
    },
    forget: (hosts?: ReadonlyArray<string>): void => {
      if (hosts === undefined) entries.clear()
      else for (const host of hosts) entries.delete(host)
    }
  }
}

type Entries = ReturnType<typeof entriesOf>

/** Loads under way by host: whoever wants one of these hosts meanwhile waits for that load. */
const loading = (entries: Entries, pending: Map<string, Pending>, load: Load) => {
  /** A load that was forgotten meanwhile leaves no entry: what it brings may be older than the change. */
  const end = (mine: ReadonlyMap<string, Pending>, exit: Exit.Exit<Standings, Unavailable>, now: Millis): void => {
    for (const [host, waiting] of mine) {
      const current = pending.get(host) === waiting
      if (current) pending.delete(host)
      if (Exit.isFailure(exit)) {
        Deferred.doneUnsafe(waiting, Exit.failCause(exit.cause))
        continue
      }
      const standing = exit.value.get(host) ?? nothing
      if (current) entries.write(host, standing, now)
      Deferred.doneUnsafe(waiting, Exit.succeed(standing))
    }
  }
  return (hosts: ReadonlyArray<string>, now: Millis): Effect.Effect<Standings, Unavailable> =>
    Effect.suspend(() => {
      const mine = new Map(hosts.map((host) => [host, Deferred.makeUnsafe<Standing, Unavailable>()] as const))
      for (const [host, it] of mine) pending.set(host, it)
      return Effect.onExit(load([...mine.keys()], now), (exit) => Effect.sync(() => end(mine, exit, now)))
    })
}

/** Standings in memory: bounded, short-lived, and one load in flight per host. */
export const kept = (keeping: Keeping, load: Load) => {
  const entries = entriesOf(keeping)
  const pending = new Map<string, Pending>()
  const loaded = loading(entries, pending, load)

  const completed = Effect.fnUntraced(function* (
    found: Map<string, Standing>,
    missing: ReadonlyArray<string>,
    others: ReadonlyMap<string, Pending>,
    now: Millis
  ): Effect.fn.Return<Standings, Unavailable> {
    const answers = missing.length === 0 ? new Map<string, Standing>() : yield* loaded(missing, now)
    for (const host of missing) found.set(host, answers.get(host) ?? nothing)
    for (const [host, waiting] of others) {
      const exit = yield* Effect.exit(Deferred.await(waiting))
      // Whoever loaded for us was interrupted: that is no answer, so we look ourselves.
      const interrupted = Exit.isFailure(exit) && Exit.hasInterrupts(exit)
      const standing = interrupted ? (yield* of([host])).get(host) : yield* exit
      found.set(host, standing ?? nothing)
    }
    return found
  })

  const of = (hosts: ReadonlyArray<string>): Effect.Effect<Standings, Unavailable> =>
    Effect.flatMap(keeping.now, (now) => {
      const found = new Map<string, Standing>()
      const others = new Map<string, Pending>()
      const missing: Array<string> = []
      for (const host of hosts) {
        const standing = entries.read(host, now)
        const waiting = standing === undefined ? pending.get(host) : undefined
        if (standing !== undefined) found.set(host, standing)
        else if (waiting !== undefined) others.set(host, waiting)
        else missing.push(host)
      }
      const answer = missing.length + others.size === 0 ? Effect.succeed(found) : completed(found, missing, others, now)
      return found.size === 0 ? answer : Effect.andThen(keeping.hit(found.size), answer)
    })

  const forget = (hosts?: ReadonlyArray<string>): void => {
    entries.forget(hosts)
    if (hosts === undefined) pending.clear()
    else for (const host of hosts) pending.delete(host)
  }
  return { of, forget, peek: entries.read }
}
