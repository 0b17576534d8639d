import { Context, type Effect } from "effect"
import type { Millis, Priority } from "./crawl.ts"
import type { Unavailable } from "./errors.ts"
import type { HostFacts, HostRules, Standing } from "./priority.facts.ts"
import type { HostScore, HostTotals, KeptScore } from "./score.ts"

/**
 * What priority decisions need to know of hosts, as of now by the database's clock: score, threshold, override, rules.
 * Memory (bounded, seconds) first, then the shared cache, then the database; one load in flight per host; what is not there is
 * remembered too. A host of which nothing is known is answered like any other.
 */
export class Scores extends Context.Service<
  Scores,
  {
    readonly facts: (hosts: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, HostFacts>, Unavailable>
    /** The same, with its origins: what `explain` shows. */
    readonly standing: (host: string) => Effect.Effect<Standing, Unavailable>
    /** Forget these hosts (all when not given): the next look asks the store. */
    readonly forget: (hosts?: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("crawler/Scores") {}

/** What the shared cache holds of a host: `host_score:{host}` (S1.17) and the operators' words. */
export interface SharedFacts {
  readonly score: KeptScore | null | undefined
  readonly rules: SharedRules | undefined
}
/** `read_at`: when the database said so, by its clock. */
export interface SharedRules extends HostRules {
  readonly read_at: Millis
}

/**
 * What all processes share between memory and database. `undefined`: not here; `null` or an empty standing: known to have
 * none. A cache that is down is no failure of a lookup, so nothing here fails.
 */
export class HostCache extends Context.Service<
  HostCache,
  {
    /** Both halves in one round trip, in the order asked: a lookup needs both. */
    readonly known: (hosts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<SharedFacts>>
    /** Written by the scorer in batches, and by a lookup that found the database knowing more. */
    readonly keepScores: (
      rows: ReadonlyArray<{
        readonly host: string
        readonly score: KeptScore | null
        readonly priority: Priority | null
        readonly ttl_ms: number
      }>
    ) => Effect.Effect<void>
    readonly keepRules: (
      rows: ReadonlyArray<{ readonly host: string; readonly rules: SharedRules; readonly ttl_ms: number }>
    ) => Effect.Effect<void>
    readonly dropRules: (hosts: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("crawler/HostCache") {}

/** The turn of the one scorer: whoever holds the latest epoch may write. */
export interface Turn {
  readonly epoch: number
  /** The database's clock at its start. */
  readonly now: Millis
}

/**
 * Scoring over the store (S1.16). One scorer at a time however many run: `begin` gives a turn per interval to one of them;
 * a save of an older turn does nothing. Nothing is written that a failed read would have to take back.
 */
export class Scoring extends Context.Service<
  Scoring,
  {
    /** null: not due yet, or somebody else is at it. */
    readonly begin: (interval_ms: number) => Effect.Effect<Turn | null, Unavailable>
    /** Hosts with signals in the window, by name, after this one; an empty page ends it. */
    readonly totals: (
      turn: Turn,
      window_ms: number,
      after: string
    ) => Effect.Effect<ReadonlyArray<HostTotals>, Unavailable>
    /** Scores are kept, hosts without one lose theirs. False: the turn is over. */
    readonly save: (
      turn: Turn,
      window_ms: number,
      scores: ReadonlyArray<HostScore>
    ) => Effect.Effect<boolean, Unavailable>
    /** `null`: the turn failed; the next one is due an interval after its start all the same. */
    readonly end: (
      turn: Turn,
      window_ms: number,
      done: { readonly hosts: number; readonly scored: number } | null
    ) => Effect.Effect<void, Unavailable>
  }
>()("crawler/Scoring") {}

/** Scores of the hosts with the most samples, and the mean of the others: what metrics show of hosts, within a bound. */
export interface Shown {
  readonly top: ReadonlyArray<{ readonly host: string; readonly score: number; readonly samples: number }>
  readonly others: number
  /** null: there are no others. */
  readonly othersMean: number | null
}
/** Holds the latest turn of this process for `life_ms`: once another process takes the turns, this one has nothing to show. */
export class Board extends Context.Service<
  Board,
  {
    readonly show: (shown: Shown, life_ms: number) => Effect.Effect<void>
    readonly shown: Effect.Effect<Shown | null>
  }
>()("crawler/Board") {}

/** Overrides whose time has passed are removed from their rows, each with an audit entry (S2.10). Answers how many. */
export class Overrides extends Context.Service<Overrides, { readonly expire: Effect.Effect<number, Unavailable> }>()(
  "crawler/Overrides"
) {}
