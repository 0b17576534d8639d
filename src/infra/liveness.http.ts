import { Clock, Duration, Effect, Layer, Result } from "effect"
import { checked, type Hop, type Seen } from "../domain/liveness.ts"
import { Hosts } from "../domain/ports.ts"
import { Prober } from "../domain/research.ts"
import { Settings } from "./config.ts"
import { type Answer, type Asking, Dialler } from "./dial.ts"
import { hostOf, visiting } from "./hop.ts"
import { inflate } from "./inflate.ts"
import { redirectOf } from "./location.ts"

/** Bytes looked at of a page, for the marks of a challenge; nothing of it is kept (S5.12). */
const LOOK_BYTES = 16_384
const LOOK_INFLATED_BYTES = 65_536
/** Wait before a domain whose connection was cut is looked at again. */
const SECOND_LOOK_AFTER = "1 second"
/** Longest gap that is kept between the two requests of one look, ms. */
const GAP_MAX = 2000

/** Codes of a handshake whose certificate nobody vouches for; the site itself may well be there. */
const CERTIFICATE = /\b(\w*(?:CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME|HOSTNAME_MISMATCH)\w*) before an answer$/
/** Codes of a connection that was made, and ended without an answer: some servers treat HEAD so. */
const CUT = /\b(?:ECONNRESET|ConnectionClosed|EPIPE|HTTPParseError|MalformedResponse\w*) before an answer$/

export interface Options {
  /** The port of `https://domain`: tests cannot have 443. */
  readonly port?: number
}

interface Probe {
  readonly dialler: Dialler["Service"]
  readonly hosts: Hosts["Service"]
  readonly agent: string
  readonly patience: Duration.Duration
  readonly redirectsMax: number
}

/** What a check has seen so far; a time limit leaves it as it is. */
interface Look {
  readonly domain: string
  readonly hops: Array<Hop>
  /** An answer that is only being looked at more closely. */
  pending: Hop | null
  tlsError: string | null
  answeredMs: number
}

const headersOf = (answer: Answer): Readonly<Record<string, string>> => Object.fromEntries(answer.headers.entries())

const bodyOf = Effect.fnUntraced(function* (answer: Answer) {
  const wire = yield* answer.read(LOOK_BYTES)
  const { bytes } = yield* inflate(wire.bytes, answer.headers.get("content-encoding"), {
    bytesMax: LOOK_INFLATED_BYTES,
    ratioMax: 1000
  }).pipe(Effect.catch(() => Effect.succeed({ bytes: wire.bytes, truncated: true })))
  return new TextDecoder().decode(bytes)
})

/** One request; a certificate that does not hold is noted, and the answer taken all the same. */
const ask = Effect.fnUntraced(function* (probe: Probe, look: Look, url: string, method: "HEAD" | "GET") {
  const asking: Asking = {
    method,
    headers: { "user-agent": probe.agent, accept: "text/html,*/*;q=0.8", "accept-encoding": "gzip" },
    patience: probe.patience
  }
  const take = (answer: Answer) =>
    Effect.gen(function* () {
      const body = method === "GET" ? yield* Effect.orElseSucceed(bodyOf(answer), () => "") : ""
      const tls = url.startsWith("https:") ? true : null
      const hop: Hop = { url, status: answer.status, headers: headersOf(answer), body, tls }
      return hop
    })
  const start = yield* Clock.currentTimeMillis
  const first = yield* Effect.result(probe.dialler.ask(url, asking, take))
  if (method === "HEAD") look.answeredMs += (yield* Clock.currentTimeMillis) - start
  if (Result.isSuccess(first)) return first.success
  const certificate = CERTIFICATE.exec(first.failure.message)?.[1]
  if (certificate === undefined) return yield* first.failure
  look.tlsError = `certificate: ${certificate}`
  return yield* probe.dialler.ask(url, { ...asking, verify: false }, take)
})

const isHtml = ({ headers }: Hop): boolean =>
  /^\s*(?:$|text\/html|application\/xhtml)/i.test(headers["content-type"] ?? "")

/** HEAD, then GET where HEAD is refused, or where a page may be a challenge; the better of both answers. */
const visit = Effect.fnUntraced(function* (probe: Probe, look: Look, url: string) {
  const head = yield* Effect.result(ask(probe, look, url, "HEAD"))
  if (Result.isFailure(head)) {
    if (!CUT.test(head.failure.message)) return yield* head.failure
    return yield* ask(probe, look, url, "GET")
  }
  const { status } = head.success
  const elsewhere = redirectOf(status, new Headers(head.success.headers), url) !== null
  if (elsewhere || status === 429) return head.success
  if (status >= 200 && status < 300 && !isHtml(head.success)) return head.success
  if (status >= 200 && status < 300) look.pending = head.success
  const gap = yield* Effect.orElseSucceed(probe.hosts.delay(hostOf(url)), () => 0)
  yield* Effect.sleep(Duration.millis(Math.min(gap, GAP_MAX)))
  const page = yield* Effect.result(ask(probe, look, url, "GET"))
  if (Result.isSuccess(page)) return page.success
  return status >= 200 && status < 300 ? head.success : yield* page.failure
})

/** Follows the redirects, each hop in its host's slot. */
const follow = Effect.fnUntraced(function* (probe: Probe, look: Look, start: string) {
  let url: string | null = start
  let home = ""
  for (let hop = 0; url !== null && hop <= probe.redirectsMax; hop++) {
    const here: string = url
    const arrived: Hop = yield* visiting(
      probe.hosts,
      { home, url: here, waitMax: probe.patience },
      visit(probe, look, here)
    )
    look.pending = null
    look.hops.push(arrived)
    home = hostOf(here)
    url = redirectOf(arrived.status, new Headers(arrived.headers), here)
  }
})

/** Why there was no further answer, and whose doing that was. */
type Stop = Pick<Seen, "failure" | "unasked">
const well: Stop = { failure: null, unasked: null }
const silent = (failure: string): Stop => ({ failure, unasked: null })

/** Time is up: what answered so far, answered; a page that was only being looked at counts as it was. */
const late = (look: Look, limit: Duration.Duration): Stop => {
  if (look.pending === null) return silent(`no answer within ${Duration.format(limit)}`)
  look.hops.push(look.pending)
  return well
}

/** One look within the time limit. */
const lookAt = Effect.fnUntraced(function* (probe: Probe, domain: string, url: string) {
  const look: Look = { domain, hops: [], pending: null, tlsError: null, answeredMs: 0 }
  const limit = probe.patience
  const stop = yield* follow(probe, look, url).pipe(
    Effect.as(well),
    Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.sync(() => late(look, limit)) }),
    Effect.catch((error) =>
      Effect.succeed(error._tag === "Retryable" ? silent(error.message) : { failure: null, unasked: error.message })
    )
  )
  return { look, stop }
})

/** A connection that was cut once may be chance; a domain is called dead only if it is cut again. */
const check = Effect.fnUntraced(function* (probe: Probe, domain: string, country: string, port: number) {
  const url = port === 443 ? `https://${domain}/` : `https://${domain}:${port}/`
  const first = yield* lookAt(probe, domain, url)
  const cut = first.stop.failure !== null && CUT.test(first.stop.failure)
  const { look, stop } = cut ? yield* Effect.delay(lookAt(probe, domain, url), SECOND_LOOK_AFTER) : first
  const seen: Seen = { domain, hops: look.hops, ...stop, tls_error: look.tlsError }
  return checked(seen, country, look.answeredMs, yield* Clock.currentTimeMillis)
})

/** Liveness over the guarded dialler: HEAD https, redirects followed, everything within LIVENESS_TIMEOUT (S5.23). */
export const layer = (options: Options = {}): Layer.Layer<Prober, never, Dialler | Hosts | Settings> =>
  Layer.effect(
    Prober,
    Effect.gen(function* () {
      const settings = yield* Settings
      const probe: Probe = {
        dialler: yield* Dialler,
        hosts: yield* Hosts,
        agent: settings.USER_AGENT,
        patience: settings.LIVENESS_TIMEOUT,
        redirectsMax: settings.FETCH_REDIRECTS_MAX
      }
      return Prober.of({ check: (domain, country) => check(probe, domain, country, options.port ?? 443) })
    })
  )
