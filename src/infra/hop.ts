import { Clock, Duration, Effect } from "effect"
import { Fatal, type FetchError, Postponed, Retryable } from "../domain/errors.ts"
import { type Errand, endOf } from "../domain/fault.ts"
import type { Hosts } from "../domain/ports.ts"

export interface Hop {
  /** The host whose slot the job holds already. */
  readonly home: string
  readonly url: string
  /** A longer wait for the other host postpones the job (FETCH_WAIT_MAX). */
  readonly waitMax: Duration.Duration
}

/** The key of a URL's host state; empty for what is no URL. */
export const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/\.$/, "") ?? ""

/** The waiting can be interrupted (a drain or a time limit must not wait for a slow host); a grant cannot get lost. */
export const takeSlot = Effect.fnUntraced(function* (
  hosts: Hosts["Service"],
  { host, page }: Errand,
  waitMax: Duration.Duration
) {
  const start = yield* Clock.currentTimeMillis
  while (true) {
    const slot = yield* hosts.acquire(host, page)
    if (slot.tag === "granted") return slot.token
    if (slot.until - start > Duration.toMillis(waitMax)) {
      const code = slot.reason === "breaker" ? "breaker" : "busy_host"
      return yield* new Postponed({ code, message: `redirected to ${host}: ${slot.reason}`, until: slot.until })
    }
    const now = yield* Clock.currentTimeMillis
    yield* Effect.interruptible(Effect.sleep(Duration.millis(Math.max(1, slot.until - now))))
  }
})

/**
 * The other host's trouble is its own. A 429 with its time is waited for and charges nothing, as at home; all else names the host at
 * fault, and leaves the waiting to that host's slot.
 */
const abroad =
  (host: string) =>
  (error: FetchError): Effect.Effect<FetchError> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (error._tag !== "Retryable" && error._tag !== "Fatal") return error
      const { code, message } = error
      if (error._tag === "Fatal") return new Fatal({ code, message, host })
      const { after } = error
      return code === "http_429" && after !== undefined
        ? new Postponed({ code, message, until: now + after })
        : new Retryable({ code, message, host })
    })

/**
 * A redirect that leaves the job's host takes a slot of the host it leads to, so that no host is dialled more often because others
 * point at it. A redirect within the host is part of the same visit.
 */
export const visiting = <A, R>(
  hosts: Hosts["Service"],
  hop: Hop,
  work: Effect.Effect<A, FetchError, R>
): Effect.Effect<A, FetchError, R> => {
  const host = hostOf(hop.url)
  if (host === "" || host === hop.home) return work
  return Effect.acquireUseRelease(
    takeSlot(hosts, { host, page: hop.url }, hop.waitMax),
    () => Effect.result(work),
    (token, exit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.ignore(hosts.release(host, token, endOf(exit, { host, page: hop.url }, now)))
      )
  ).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.catch((error) => Effect.flatMap(abroad(host)(error), Effect.fail))
  )
}
