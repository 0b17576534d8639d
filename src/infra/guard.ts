import { Cache, Context, Duration, Effect, Exit, Layer, Result } from "effect"
import { checkHost, inCidrs, isPublicAddress, literalAddress } from "../domain/address.ts"
import { Fatal, Retryable } from "../domain/errors.ts"
import { type HttpUrl, PORTS, parseHttpUrl } from "../domain/url.ts"
import { Settings } from "./config.ts"
import { Resolver } from "./dns.ts"

/** How long a checked answer of the resolver is used: a crawl does not resolve every time, a moved site is found soon. */
const answerLife = Duration.seconds(60)
/** Names remembered. */
const NAMES_MAX = 10_000
/** Addresses of one name; more is no news site. */
const ADDRESSES_MAX = 64

/** A URL that may be dialled, and the addresses it may be dialled at: only these were checked. */
export interface Target {
  readonly url: HttpUrl
  /** IPv4 first: many machines have no route for the others. */
  readonly addresses: readonly [string, ...ReadonlyArray<string>]
}

/**
 * Says where a URL may be dialled. Resolves once and refuses the whole name if any of its addresses is not public, so the
 * dialler must use the addresses given and never the name (B039, B040). Private targets only by ALLOW_PRIVATE_CIDRS; inside
 * them any port is allowed.
 * Fails with Fatal `url_refused` or `address_refused`, or Retryable `network` for a name without an address.
 */
export class Guard extends Context.Service<
  Guard,
  { readonly check: (url: string) => Effect.Effect<Target, Fatal | Retryable> }
>()("crawler/Guard") {}

interface Checked {
  readonly addresses: Target["addresses"]
  /** All lie inside ALLOW_PRIVATE_CIDRS. */
  readonly inside: boolean
}

const refused = (hostname: string, why: string) =>
  Effect.fail(new Fatal({ code: "address_refused", message: `${hostname} is refused: ${why}` }))

/** One verdict over all addresses of a name: a mixed answer is refused as a whole. */
const judge = (hostname: string, found: ReadonlyArray<string>, cidrs: ReadonlyArray<string>) => {
  const name = checkHost(hostname)
  const inside = found.length > 0 && found.every((it) => inCidrs(it, cidrs))
  if (inside) return Result.succeed(true)
  if (Result.isFailure(name)) return Result.fail(name.failure)
  const bad = found.find((it) => !isPublicAddress(it) && !inCidrs(it, cidrs))
  return bad === undefined ? Result.succeed(false) : Result.fail(`its address ${bad} is not public`)
}

const make = Effect.gen(function* () {
  const settings = yield* Settings
  const resolver = yield* Resolver
  const cidrs = settings.ALLOW_PRIVATE_CIDRS
  const patience = settings.FETCH_CONNECT_TIMEOUT

  const resolve = (hostname: string) =>
    resolver.resolve(hostname).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail({ message: `no address for ${hostname} within ${Duration.format(patience)}` })
      }),
      Effect.mapError(({ message }) => new Retryable({ code: "network", message }))
    )

  const look = Effect.fnUntraced(function* (hostname: string) {
    const name = checkHost(hostname)
    // Without private networks to reach, such a name is not even looked up.
    if (Result.isFailure(name) && cidrs.length === 0) return yield* refused(hostname, name.failure)
    const literal = literalAddress(hostname)
    const found = literal === null ? yield* resolve(hostname) : [literal]
    if (found.length > ADDRESSES_MAX) return yield* refused(hostname, `it has ${found.length} addresses`)
    const verdict = judge(hostname, found, cidrs)
    if (Result.isFailure(verdict)) return yield* refused(hostname, verdict.failure)
    const [first, ...rest] = [...found.filter((it) => !it.includes(":")), ...found.filter((it) => it.includes(":"))]
    if (first === undefined) return yield* new Retryable({ code: "network", message: `no address for ${hostname}` })
    const checked: Checked = { addresses: [first, ...rest], inside: verdict.success }
    return checked
  })
  const known = yield* Cache.makeWith(look, {
    capacity: NAMES_MAX,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? answerLife : Duration.zero)
  })

  const check = Effect.fnUntraced(function* (text: string) {
    const parsed = parseHttpUrl(text, { anyPort: cidrs.length > 0 })
    if (Result.isFailure(parsed)) {
      return yield* new Fatal({ code: "url_refused", message: `${parsed.failure.code}: ${parsed.failure.message}` })
    }
    const url = parsed.success
    const { addresses, inside } = yield* Cache.get(known, url.hostname)
    if (!inside && !PORTS.includes(url.port)) {
      const message = `port_not_allowed: port ${url.port} is not allowed: use ${PORTS.join(", ")}`
      return yield* new Fatal({ code: "url_refused", message })
    }
    return { url, addresses }
  })
  return Guard.of({ check })
})

/** The guard in front of every dial. */
export const layer: Layer.Layer<Guard, never, Resolver | Settings> = Layer.effect(Guard, make)
