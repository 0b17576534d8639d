import { Context, Duration, Effect, Layer } from "effect"
import { type Fatal, Retryable } from "../domain/errors.ts"
import type { HttpUrl } from "../domain/url.ts"
import { Settings } from "./config.ts"
import { Guard, type Target } from "./guard.ts"
import { read, type Wire } from "./wire.ts"

/** Addresses of one name tried in turn when a connection is refused. */
const ADDRESSES_TRIED = 3
/** A body of a redirect is read to its end up to this length (bytes), for the connection's sake; else it is cut off. */
const DISCARD_BYTES_MAX = 65_536

/** The answer of one hop. Lives as long as the `use` it was given to. */
export interface Answer {
  readonly url: HttpUrl
  readonly status: number
  readonly headers: Headers
  /** The length announced for the body on the wire; NaN: none was. */
  readonly length: number
  /** The bytes on the wire, at most so many. Fails with Retryable `network` if the connection ended before the first. */
  readonly read: (bytesMax: number) => Effect.Effect<Wire, Retryable>
  /** Nobody wants the body. */
  readonly discard: Effect.Effect<void>
}

/**
 * One GET to one checked address. Never follows a redirect, never inflates, obeys no proxy. The connection is really cut when
 * `use` ends before the body did: by failure, time limit or interruption.
 */
export class Dialler extends Context.Service<
  Dialler,
  {
    readonly get: <A, E, R>(
      url: string,
      headers: Readonly<Record<string, string>>,
      use: (answer: Answer) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Fatal | Retryable, R>
    /** The same, as asked: another method, other patience, a certificate nobody vouches for. */
    readonly ask: <A, E, R>(
      url: string,
      asking: Asking,
      use: (answer: Answer) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Fatal | Retryable, R>
  }
>()("crawler/Dialler") {}

/** How one hop is asked for. */
export interface Asking {
  readonly headers: Readonly<Record<string, string>>
  readonly method?: "GET" | "HEAD"
  /** False: the connection is made whoever the other side is; for looking whether it answers, never for content. */
  readonly verify?: boolean
  /** Until the headers are there; FETCH_CONNECT_TIMEOUT and FETCH_FIRST_BYTE_TIMEOUT together when not given. */
  readonly patience?: Duration.Duration
}

export interface Options {
  /** Certificates (PEM) trusted besides the system's: for tests with a server of their own. */
  readonly ca?: ReadonlyArray<string>
}

/** Bun's fetch obeys these even for a loopback address; each request also says `proxy: false`. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
const scrub = Effect.sync(() => {
  for (const name of PROXIES) delete process.env[name]
})

/** Codes of a connection that was never made: another address may answer. */
const UNMADE = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ConnectionRefused", "FailedToOpenSocket"])

interface Failure {
  readonly unmade: boolean
  readonly error: Retryable
}
const failure = (url: HttpUrl, thrown: unknown): Failure => {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "failed"
  const error = new Retryable({ code: "network", message: `${url.hostname}: ${code} before an answer` })
  return { unmade: UNMADE.has(code), error }
}

const unverified = ({ verify }: Asking) => (verify === false ? { rejectUnauthorized: false } : {})
const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address)

/** What stays the same for all hops. */
interface Way {
  readonly trust: { readonly ca?: Array<string> }
  /** Until the headers are there: connection and first byte together, for fetch does not tell them apart. */
  readonly patience: Duration.Duration
}

const request = (way: Way, url: HttpUrl, address: string, asking: Asking, signal: AbortSignal) => {
  const secure = url.href.startsWith("https:")
  const init: BunFetchRequestInit = {
    method: asking.method ?? "GET",
    headers: { ...asking.headers, Host: url.host },
    redirect: "manual",
    decompress: false,
    signal,
    ...(secure
      ? { tls: { serverName: url.hostname.replace(/^\[|\]$/g, ""), ...way.trust, ...unverified(asking) } }
      : {})
  }
  const dialled = `${secure ? "https" : "http"}://${bracketed(address)}:${url.port}${url.path}`
  return Effect.tryPromise({
    // The declared type lacks `false`, which is what switches the proxies of the environment off.
    try: () => fetch(dialled, Object.assign(init, { proxy: false })),
    catch: (thrown) => failure(url, thrown)
  })
}

const connect = Effect.fnUntraced(function* (
  way: Way,
  { url, addresses }: Target,
  asking: Asking,
  signal: AbortSignal
) {
  let last: Failure | null = null
  for (const address of addresses.slice(0, ADDRESSES_TRIED)) {
    const result = yield* Effect.result(request(way, url, address, asking, signal))
    if (result._tag === "Success") return result.success
    last = result.failure
    if (!last.unmade) break
  }
  return yield* last?.error ?? new Retryable({ code: "network", message: `${url.hostname}: no address` })
})

const late = ({ url }: Target, patience: Duration.Duration) =>
  new Retryable({ code: "timeout", message: `${url.hostname}: no answer within ${Duration.format(patience)}` })

/** Bun's own limit of requests in flight, read when the process starts: more would queue inside it, on our time. */
const bunRequestsMax = Effect.sync(() => Number(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? 256))

const make = Effect.fnUntraced(function* (options: Options) {
  yield* scrub
  const settings = yield* Settings
  const most = yield* bunRequestsMax
  if (settings.FETCH_CONCURRENCY > most) {
    const advice = `start the process with BUN_CONFIG_MAX_HTTP_REQUESTS=${settings.FETCH_CONCURRENCY} or more`
    yield* Effect.logWarning(
      `FETCH_CONCURRENCY is ${settings.FETCH_CONCURRENCY}, but Bun sends ${most} at once: ${advice}`
    )
  }
  const guard = yield* Guard
  const way: Way = {
    trust: options.ca === undefined ? {} : { ca: [...options.ca] },
    patience: Duration.sum(settings.FETCH_CONNECT_TIMEOUT, settings.FETCH_FIRST_BYTE_TIMEOUT)
  }
  const ask: Dialler["Service"]["ask"] = (href, asking, use) => {
    const patience = asking.patience ?? way.patience
    return Effect.flatMap(guard.check(href), (target) =>
      Effect.acquireUseRelease(
        Effect.sync((): Call => ({ controller: new AbortController(), done: false })),
        (call) =>
          connect(way, target, asking, call.controller.signal).pipe(
            Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(late(target, patience)) }),
            Effect.flatMap((response) => use(answer(target.url, response, call)))
          ),
        // A finished exchange keeps its connection for the next one.
        (call) => Effect.sync(() => (call.done ? undefined : call.controller.abort()))
      )
    )
  }
  return Dialler.of({ ask, get: (href, headers, use) => ask(href, { headers }, use) })
})

interface Call {
  readonly controller: AbortController
  done: boolean
}

const answer = (url: HttpUrl, response: Response, call: Call): Answer => {
  const length = Number(response.headers.get("content-length") ?? Number.NaN)
  if (response.body === null) call.done = true
  const body = (bytesMax: number) =>
    Effect.promise(() => read(response, bytesMax)).pipe(
      Effect.tap((wire) => Effect.sync(() => (call.done = wire.end === "complete"))),
      Effect.filterOrFail(
        ({ bytes, end }) => end !== "broken" || bytes.length > 0,
        () => new Retryable({ code: "network", message: `${url.hostname}: connection lost before the body` })
      )
    )
  const discard = length <= DISCARD_BYTES_MAX ? Effect.ignore(body(DISCARD_BYTES_MAX)) : Effect.void
  return { url, status: response.status, headers: response.headers, length, read: body, discard }
}

/** The one way out: through the guard, to the address it checked. */
export const layer = (options: Options = {}): Layer.Layer<Dialler, never, Guard | Settings> =>
  Layer.effect(Dialler, make(options))
