import { Context, Duration, Effect, Layer } from "effect"
import { type Fatal, Retryable } from "../domain/errors.ts"
import type { HttpUrl } from "../domain/url.ts"
import { Settings } from "./config.ts"
import { meaningOf } from "./descriptor.ts"
import { Guard, type Target } from "./guard.ts"
import { type Destination, Lost } from "./transport/connection.ts"
import type { Exchange } from "./transport/exchange.ts"
import type { Head } from "./transport/head.ts"
import { Pool } from "./transport/pool.ts"
import { read, type Wire } from "./wire.ts"

/** Addresses of one name tried in turn when no connection is made. */
const ADDRESSES_TRIED = 3
/** A body of a redirect is read to its end up to this length (bytes), for the connection's sake; else it is cut off. */
const DISCARD_BYTES_MAX = 65_536
/** It is not waited for longer than this: some announce a body and never send it. */
const discardWait = Duration.seconds(1)
/** A server that has waited long enough for a request says so (RFC 9110 §15.5.9); on a connection that rested, it may not know of ours. */
const TIRED = 408

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
  /** Until the headers are there; FETCH_FIRST_BYTE_TIMEOUT, and FETCH_CONNECT_TIMEOUT for each address tried, when not given. */
  readonly patience?: Duration.Duration
}

export interface Options {
  /** Certificates (PEM) trusted instead of the system's: for tests with a server of their own. */
  readonly ca?: ReadonlyArray<string>
}

/** Bun's fetch, by which object stores and models are asked, obeys these even for a loopback address. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
const scrub = Effect.sync(() => {
  for (const name of PROXIES) delete process.env[name]
})

/** What one hop has open. */
class Call {
  exchange: Exchange | null = null
  #over = false
  /** The exchange of now; after the call's end there is no other. */
  begin(exchange: Exchange): Exchange {
    if (this.#over) throw new Lost("ConnectionClosed")
    this.exchange = exchange
    return exchange
  }
  /** A finished exchange keeps its connection for the next one. */
  end(): void {
    this.#over = true
    this.exchange?.cut()
  }
}

interface Failure {
  /** There was no connection: another address may answer. */
  readonly unmade: boolean
  readonly error: Retryable
}
const failure = (url: HttpUrl, exchange: Exchange | null, thrown: unknown): Failure => {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "failed"
  const said = meaningOf(code)
  const why = said === null ? "" : `${said}: `
  const broken = { code: "network", message: `${url.hostname}: ${why}${code} before an answer` } as const
  const error = new Retryable(exchange?.asked === true ? { ...broken, reached: true } : broken)
  return { unmade: exchange?.connection.reached === false, error }
}

/** What stays the same for all hops. */
interface Way {
  readonly pool: Pool
  readonly trust: { readonly ca?: ReadonlyArray<string> }
  /** For the connection to one address, and from there until the headers are there. */
  readonly connect: Duration.Duration
  readonly firstByte: Duration.Duration
}

/**
 * The text of a request. Header bytes are characters, those of an answer replayed as well. One that cannot be sent is left out: what
 * a site once said of its page (an entity tag, a cookie) is no reason never to ask it again.
 */
const requestOf = ({ host, path }: HttpUrl, { headers, method = "GET" }: Asking): Buffer => {
  const lines = Object.entries({ Host: host, ...headers, Connection: "keep-alive" })
    .map((it) => it.join(": "))
    .filter((line) => !/[^\t\u0020-\u007e\u0080-\u00ff]/.test(line))
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1")
}

interface Opened {
  readonly exchange: Exchange
  readonly head: Head
}

const send = async (way: Way, to: Destination, asking: Asking, request: Buffer, call: Call): Promise<Opened> => {
  const method = asking.method ?? "GET"
  const connectMs = Duration.toMillis(way.connect)
  const { exchange, reused } = way.pool.exchange(to, method, false)
  try {
    const head = await call.begin(exchange).begin(request, connectMs)
    if (!reused || head.status !== TIRED) return { exchange, head }
    exchange.cut()
  } catch (why) {
    if (!reused) throw why
  }
  // It had rested too long for its server, or something late came of what was asked before.
  const again = way.pool.exchange(to, method, true).exchange
  return { exchange: again, head: await call.begin(again).begin(request, connectMs) }
}

const request = (way: Way, url: HttpUrl, address: string, asking: Asking, call: Call) => {
  const secure = url.href.startsWith("https:")
  const name = url.hostname.replace(/^\[|\]$/g, "")
  const tls = secure ? { verify: asking.verify !== false, ...way.trust } : null
  const to: Destination = { address, port: url.port, name, tls }
  const text = requestOf(url, asking)
  return Effect.tryPromise({
    try: () => send(way, to, asking, text, call),
    catch: (thrown) => failure(url, call.exchange, thrown)
  })
}

const connect = Effect.fnUntraced(function* (way: Way, { url, addresses }: Target, asking: Asking, call: Call) {
  let last: Failure | null = null
  for (const address of addresses.slice(0, ADDRESSES_TRIED)) {
    const result = yield* Effect.result(request(way, url, address, asking, call))
    if (result._tag === "Success") return result.success
    last = result.failure
    if (!last.unmade) break
  }
  return yield* last?.error ?? new Retryable({ code: "network", message: `${url.hostname}: no address` })
})

const late = ({ url }: Target, patience: Duration.Duration) =>
  new Retryable({ code: "timeout", message: `${url.hostname}: no answer within ${Duration.format(patience)}` })

const answer = (url: HttpUrl, { exchange, head }: Opened): Answer => {
  const { status, headers, body: framing } = head
  const length = typeof framing === "number" ? framing : Number.NaN
  const body = (bytesMax: number) =>
    Effect.promise(() => read(() => exchange.next(), bytesMax)).pipe(
      Effect.filterOrFail(
        ({ bytes, end }) => end !== "broken" || bytes.length > 0,
        () =>
          new Retryable({
            code: "network",
            message: `${url.hostname}: connection lost before the body`,
            reached: true
          })
      )
    )
  const rest = body(DISCARD_BYTES_MAX).pipe(Effect.timeoutOption(discardWait), Effect.ignore)
  const discard = length <= DISCARD_BYTES_MAX ? rest : Effect.void
  return { url, status, headers, length, read: body, discard }
}

const make = Effect.fnUntraced(function* (options: Options) {
  yield* scrub
  const settings = yield* Settings
  const guard = yield* Guard
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool()),
    (it) => Effect.sync(() => it.close())
  )
  const way: Way = {
    pool,
    trust: options.ca === undefined ? {} : { ca: options.ca },
    connect: settings.FETCH_CONNECT_TIMEOUT,
    firstByte: settings.FETCH_FIRST_BYTE_TIMEOUT
  }
  const ask: Dialler["Service"]["ask"] = (href, asking, use) => {
    return Effect.flatMap(guard.check(href), (target) => {
      const tries = Math.min(target.addresses.length, ADDRESSES_TRIED)
      const patience = asking.patience ?? Duration.sum(Duration.times(way.connect, tries), way.firstByte)
      return Effect.acquireUseRelease(
        Effect.sync(() => new Call()),
        (call) =>
          connect(way, target, asking, call).pipe(
            Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(late(target, patience)) }),
            Effect.flatMap((opened) => use(answer(target.url, opened)))
          ),
        (call) => Effect.sync(() => call.end())
      )
    })
  }
  return Dialler.of({ ask, get: (href, headers, use) => ask(href, { headers }, use) })
})

/** The one way out: through the guard, to the address it checked. */
export const layer = (options: Options = {}): Layer.Layer<Dialler, never, Guard | Settings> =>
  Layer.effect(Dialler, make(options))
