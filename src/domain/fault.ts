import type { Exit, Result } from "effect"
import type { Millis } from "./crawl.ts"
import type { Code, FetchError } from "./errors.ts"
import type { Ended } from "./hosts.ts"

/** What is asked of a host: `page` names it, by its URL as a rule, so that one page's failures are told from another's. */
export interface Errand {
  readonly host: string
  readonly page: string
}

/**
 * Whose fault a request's end is. `none`: the host answered. `host`: it could not be reached, so no page of it can. `page`: the host
 * was reached, and its page brought nothing. `unknown`: the end tells nothing of the host, as when our own browser broke.
 */
export type Fault = "none" | "host" | "page" | "unknown"

const retried: ReadonlyMap<Code, Fault> = new Map([
  ["network", "host"],
  // Nobody can say what of the host may be asked for.
  ["robots", "host"],
  ["http_5xx", "page"],
  ["timeout", "page"],
  ["http_429", "none"],
  ["partial", "none"]
])
/** Refusals of what a host did answer. */
const answered: ReadonlySet<Code> = new Set(["body_too_large", "bomb", "redirects", "http_4xx"])

/** A failure that names another host is that one's: a redirect that led there is an answer. */
export const faultOf = (failure: FetchError, host: string): Fault => {
  if (failure._tag !== "Fatal" && failure._tag !== "Retryable") return "unknown"
  if (failure.host !== undefined && failure.host !== host) return "none"
  if (failure._tag === "Fatal") return answered.has(failure.code) ? "none" : "unknown"
  return failure.reached === true ? "page" : (retried.get(failure.code) ?? "unknown")
}

/** What a request's end means for its host; `after` of a failure (Retry-After) pauses it. What was cut short told nothing. */
export const endOf = <A>(
  exit: Exit.Exit<Result.Result<A, FetchError>, unknown>,
  { host, page }: Errand,
  now: Millis
): Ended => {
  if (exit._tag === "Failure") return { fault: "unknown", page, pause_until: null }
  if (exit.value._tag === "Success") return { fault: "none", page, pause_until: null }
  const { failure } = exit.value
  const ours = failure._tag === "Retryable" && (failure.host === undefined || failure.host === host)
  const pause_until = ours && failure.after !== undefined ? now + failure.after : null
  return { fault: faultOf(failure, host), page, pause_until }
}
