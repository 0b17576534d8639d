import { Effect } from "effect"
import type { CrawlJob } from "../../domain/crawl.ts"
import { Fatal, type FetchError } from "../../domain/errors.ts"
import type { OptOut } from "../../domain/optout.ts"
import { Hosts, Robots } from "../../domain/ports.ts"
import { Settings } from "../config.ts"
import { obey } from "../fetcher.http.ts"
import { Guard } from "../guard.ts"
import { hostOf, takeSlot } from "../hop.ts"

/** Stands at the door of one visit. */
export interface Gatekeeper {
  /** May the main frame ask for this document? Never rejects. */
  readonly admit: (url: string) => Promise<boolean>
  /** Why it might not, the first time. */
  readonly failure: () => FetchError | null
  /** What the last document's robots.txt says of use by AI. */
  readonly stated: () => ReadonlyArray<OptOut>
  /** Gives back the slots of other hosts. What became of each document there nobody knows here. */
  readonly free: Effect.Effect<void>
}

/** Each document of a visit is checked like a first request: guard, robots.txt, and a slot of the host it leads to. */
export const gatekeepers = Effect.gen(function* () {
  const settings = yield* Settings
  const guard = yield* Guard
  const robots = yield* Robots
  const hosts = yield* Hosts
  return (job: CrawlJob): Gatekeeper => {
    const slots = new Map<string, string>()
    let documents = 0
    let failure: FetchError | null = null
    let stated: ReadonlyArray<OptOut> = []
    const check = Effect.fnUntraced(function* (url: string) {
      documents += 1
      const max = settings.FETCH_REDIRECTS_MAX
      if (documents > max + 1) return yield* new Fatal({ code: "redirects", message: `more than ${max}: ${url}` })
      yield* guard.check(url)
      const host = hostOf(url)
      if (host !== job.host && !slots.has(host))
        slots.set(host, yield* takeSlot(hosts, { host, page: url }, settings.FETCH_WAIT_MAX))
      stated = yield* obey(robots, hosts, url, job.host)
      return true
    })
    const refuse = (error: FetchError) =>
      Effect.sync(() => {
        failure = failure ?? error
        return false
      })
    const free = Effect.suspend(() =>
      Effect.forEach(
        slots,
        ([host, token]) => Effect.ignore(hosts.release(host, token, { fault: "unknown", pause_until: null })),
        { discard: true }
      )
    )
    return {
      admit: (url) => Effect.runPromise(Effect.catch(check(url), refuse)),
      failure: () => failure,
      stated: () => stated,
      free
    }
  }
})
