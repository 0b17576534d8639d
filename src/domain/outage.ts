import { Clock, Context, Effect, Exit } from "effect"
import type { Millis } from "./crawl.ts"
import type { Unavailable } from "./errors.ts"

type Dependency = Unavailable["dependency"]

/** Whoever waits for a dependency that is down looks again after so long, ms. */
export const lookAgainMs = 500

const lasted = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/**
 * What is down for a process. However many wait for a dependency and however often they look, its outage is one line in the log
 * when the first of them begins to wait, and one when the last has its answer.
 */
export class OutageBook {
  private readonly down = new Map<Dependency, { readonly since: Millis; waiting: number }>()

  /** Somebody begins to wait. Answers the line that tells of it; null while it is told already. */
  begin({ dependency, message }: Unavailable, now: Millis): string | null {
    const known = this.down.get(dependency)
    if (known !== undefined) {
      known.waiting += 1
      return null
    }
    this.down.set(dependency, { since: now, waiting: 1 })
    return `${dependency} is down, waiting: ${message}`
  }

  /** One of them waits no more: it has its answer, or gave up. Answers the line that tells of the outage's end, if this is it. */
  end({ dependency }: Unavailable, answered: boolean, now: Millis): string | null {
    const known = this.down.get(dependency)
    if (known === undefined) return null
    known.waiting -= 1
    if (known.waiting > 0) return null
    this.down.delete(dependency)
    return answered ? `${dependency} is back after ${lasted(now - known.since)}` : null
  }
}

/** The book of this process; a reference, so that a test may begin a new one. */
export const Outages = Context.Reference<OutageBook>("crawler/Outages", { defaultValue: () => new OutageBook() })

/** Says what the book has to tell, if anything. */
const said = (line: (book: OutageBook, now: Millis) => string | null, say: (line: string) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const text = line(yield* Outages, yield* Clock.currentTimeMillis)
    if (text !== null) yield* say(text)
  })

/** Waits, by `wait`, for the dependency that failed; the book knows of it as long as that takes. `gaveUp`: it ended without an answer. */
export const waitOut = <A, E, R>(
  error: Unavailable,
  wait: Effect.Effect<A, E, R>,
  gaveUp: () => boolean = () => false
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    said((book, now) => book.begin(error, now), Effect.logWarning),
    () => wait,
    (_, exit) => said((book, now) => book.end(error, !gaveUp() && !Exit.hasInterrupts(exit), now), Effect.logInfo)
  )
