import { Context } from "effect"
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
