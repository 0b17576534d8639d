import { Schema } from "effect"
import { challengeIn } from "./research/challenge.ts"
import { domainId } from "./research/place.ts"
import { registrableDomain } from "./url.ts"

/**
 * How a domain answered (S5.24, settled 13): `blocked` 403, 429 or a captcha, looked for first; `alive` a final 2xx on the same
 * registrable domain; `redirect` a permanent redirect to another; `error` any other HTTP answer; `dead` no answer at all.
 */
export const LivenessStatus = Schema.Literals(["alive", "dead", "blocked", "redirect", "error"])
export type LivenessStatus = typeof LivenessStatus.Type

/** One check of one domain (S5.7). */
export const Checked = Schema.Struct({
  domain_id: Schema.String,
  domain: Schema.String,
  status: LivenessStatus,
  http_status: Schema.NullOr(Schema.Int),
  response_time_ms: Schema.Int,
  /** UTC, to the millisecond: two checks of one domain are two rows. */
  last_check: Schema.String,
  /** A certificate that a browser would take, on a last hop that is https; null: no handshake took place. */
  ssl_valid: Schema.NullOr(Schema.Boolean),
  redirect_chain: Schema.Array(Schema.String),
  /** Why, where it is not alive, or its certificate is not valid. */
  error: Schema.NullOr(Schema.String)
})
export type Checked = typeof Checked.Type

/** `{date}.json` of one country (S5.3, S5.7). */
export const LivenessFile = Schema.Struct({
  meta: Schema.Struct({
    country: Schema.String,
    check_date: Schema.String,
    total_domains: Schema.Int,
    alive_count: Schema.Int,
    dead_count: Schema.Int,
    blocked_count: Schema.Int
  }),
  results: Schema.Array(Checked)
})
export type LivenessFile = typeof LivenessFile.Type

/** One answer on the way to a domain's final page. */
export interface Hop {
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of its body, where it was looked at. */
  readonly body: string
  /** null: no https. */
  readonly tls: boolean | null
}
/** All that was seen of a domain. `failure`: why there was no further answer. */
export interface Seen {
  readonly domain: string
  readonly hops: ReadonlyArray<Hop>
  readonly failure: string | null
  /** Why we did not ask further: a refused address, a host that asked for time. Says nothing of the domain. */
  readonly unasked: string | null
  /** Why the certificate is not valid. */
  readonly tls_error: string | null
}

const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ""

/** Permanent ones say that a site has moved (S5.24). */
const PERMANENT: ReadonlySet<number> = new Set([301, 308])
const isRedirect = (status: number): boolean => status >= 300 && status < 400

interface Verdict {
  readonly status: LivenessStatus
  readonly why: string | null
}

const moved = (hops: ReadonlyArray<Hop>, home: string): Hop | undefined =>
  hops.find((hop, at) => {
    const next = hops[at + 1]
    return next !== undefined && PERMANENT.has(hop.status) && registrableDomain(hostOf(next.url)) !== home
  })

/** The verdict over what was seen. Pure, so that the confusion matrix of its proof is about the rule, not the network. */
export const judge = ({ domain, hops, failure, unasked }: Seen): Verdict => {
  const last = hops.at(-1)
  const challenge = hops.map((it) => challengeIn(it)).find((it) => it !== null)
  const refusal = hops.find(({ status }) => status === 403 || status === 429)
  if (refusal !== undefined) return { status: "blocked", why: challenge ?? `answered ${refusal.status}` }
  if (challenge !== undefined) return { status: "blocked", why: challenge }
  const home = registrableDomain(domain)
  const away = moved(hops, home)
  if (away !== undefined) return { status: "redirect", why: `moved to ${hops.at(-1)?.url ?? ""}` }
  if (unasked !== null) return { status: "error", why: unasked }
  if (failure !== null || last === undefined) return { status: "dead", why: failure ?? "no answer" }
  if (registrableDomain(hostOf(last.url)) !== home) {
    return { status: "error", why: `leads to ${last.url} for now` }
  }
  if (last.status >= 200 && last.status < 300) return { status: "alive", why: null }
  return { status: "error", why: isRedirect(last.status) ? "redirects without end" : `answered ${last.status}` }
}

const shown = (url: string): string => url.replace(/^(https?:\/\/[^/?#]+)\/$/, "$1")

/** One check as a record. */
export const checked = (seen: Seen, country: string, elapsedMs: number, at: number): Checked => {
  const { status, why } = judge(seen)
  const last = seen.hops.at(-1)
  const handshake = last === undefined ? null : last.tls === true && seen.tls_error === null
  return {
    domain_id: domainId(seen.domain, country),
    domain: seen.domain,
    status,
    http_status: last?.status ?? null,
    response_time_ms: Math.round(elapsedMs),
    last_check: new Date(at).toISOString(),
    ssl_valid: handshake,
    redirect_chain: seen.hops.length === 0 ? [`https://${seen.domain}`] : seen.hops.map((it) => shown(it.url)),
    error: why ?? seen.tls_error
  }
}

/** The file of a day, and its parts for `blocked` and `dead`; results by domain, so that the same checks give the same bytes. */
export const livenessFile = (
  country: string,
  day: string,
  results: ReadonlyArray<Checked>,
  tree: "liveness" | "blocked" | "dead"
): LivenessFile => {
  const count = (status: LivenessStatus) => results.filter((it) => it.status === status).length
  const kept = tree === "liveness" ? results : results.filter((it) => it.status === tree)
  return {
    meta: {
      country,
      check_date: day,
      total_domains: results.length,
      alive_count: count("alive"),
      dead_count: count("dead"),
      blocked_count: count("blocked")
    },
    results: kept.toSorted((a, b) => (a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0))
  }
}
