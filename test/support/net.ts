import { dlopen, FFIType, ptr } from "bun:ffi"
import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect, Layer } from "effect"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import { Robots, type RobotsAnswer } from "../../src/domain/ports.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as dial from "../../src/infra/dial.ts"
import { Resolver } from "../../src/infra/dns.ts"
import * as fetcher from "../../src/infra/fetcher.http.ts"
import * as guard from "../../src/infra/guard.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"

/** Settings of a test: all loopback addresses may be dialled. A value "" leaves a setting at its default. */
export const settings = (env: Readonly<Record<string, string>> = {}) => {
  const given = Object.entries({ ALLOW_PRIVATE_CIDRS: "127.0.0.0/8", FETCH_DELAY: "0ms", ...env })
  const values = load(Object.fromEntries(given.filter(([, value]) => value !== "")))
  if (values._tag === "Failure") throw new Error(JSON.stringify(values.failure))
  return Layer.succeed(Settings, values.success)
}

/** Answers of a name server, in turn; the last one stays. A name that is not listed has no address. */
export const names = (table: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>) => {
  const asked = new Map<string, number>()
  const resolve = (name: string) => {
    const turn = asked.get(name) ?? 0
    asked.set(name, turn + 1)
    const found = table[name]?.[turn] ?? table[name]?.at(-1)
    return found === undefined
      ? Effect.fail({ _tag: "NoAddress", message: `no address for ${name}` } as const)
      : Effect.succeed(found)
  }
  return { asked, layer: Layer.succeed(Resolver, { resolve }) }
}

export const robots = (check: (url: string) => RobotsAnswer) =>
  Layer.succeed(Robots, { check: (url) => Effect.succeed(check(url)), known: () => Effect.succeed(true) })
export const openRobots = robots(() => ({ allowed: true, reason: "allowed by robots.txt", crawl_delay_ms: null }))

/** The way out: settings, guard and dialler. */
export const outward = (
  env: Readonly<Record<string, string>> = {},
  resolver: Layer.Layer<Resolver> = names({}).layer,
  options: dial.Options = {}
) => {
  const base = Layer.merge(settings(env), resolver)
  const checked = guard.layer.pipe(Layer.provideMerge(base))
  return dial.layer(options).pipe(Layer.provideMerge(checked))
}

/** A whole fetcher over real sockets. */
export const wholeFetcher = (
  env: Readonly<Record<string, string>> = {},
  resolver: Layer.Layer<Resolver> = names({}).layer,
  rules: Layer.Layer<Robots> = openRobots,
  options: dial.Options = {}
) => {
  const way = Layer.merge(outward(env, resolver, options), rules)
  return fetcher.layer.pipe(Layer.provideMerge(Layer.provideMerge(hosts.layer(), way)))
}

export const job = (url: string, over: Partial<CrawlJob> = {}): CrawlJob => ({
  id: `job of ${url}`,
  source_id: null,
  target: { url, type: "auto" },
  host: URL.parse(url)?.hostname ?? "",
  priority: { value: "low", by: "default" },
  fetcher: "auto",
  follow: { hops: 0, within: null, lists: false, since: null },
  visit: 0,
  scheduled_at: 0,
  retry_count: 0,
  ...over
})

export interface Listener {
  readonly port: number
  readonly connections: () => number
  readonly open: () => number
}

/** A TCP server that speaks as it is told, and counts who came; closed with its scope. */
export const tcp = (speak: (socket: Socket, request: string) => void, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: Server; readonly listener: Listener; readonly end: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      let connections = 0
      const server = createServer((socket) => {
        connections += 1
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.on("close", () => sockets.delete(socket))
        socket.on("data", (bytes) => speak(socket, bytes.toString("latin1")))
      })
      server.listen(0, host, () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const listener = { port, connections: () => connections, open: () => sockets.size }
        const end = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ server, listener, end }))
      })
    }),
    ({ end }) => Effect.sync(end)
  ).pipe(Effect.map(({ listener }) => listener))

/** An HTTP server; closed with its scope. */
export const http = (handle: (request: Request) => Response | Promise<Response>, hostname = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ hostname, port: 0, fetch: handle })),
    (server) => Effect.promise(() => server.stop(true))
  ).pipe(Effect.map((server) => ({ port: server.port ?? 0, url: `http://${hostname}:${server.port}` })))

const { i32 } = FFIType
/** The queue of a listening socket has room for this many connections that nobody takes. */
const queued = 1

/**
 * An address that swallows what it is sent: its socket listens, and nobody ever takes a connection, so the system drops what comes
 * once its queue is full. False where this system has no such way; closed with its scope.
 */
export const deaf = (host: string, port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      if (process.platform !== "linux") return null
      const { symbols } = dlopen("libc.so.6", {
        socket: { args: [i32, i32, i32], returns: i32 },
        bind: { args: [i32, FFIType.ptr, i32], returns: i32 },
        listen: { args: [i32, i32], returns: i32 },
        close: { args: [i32], returns: i32 }
      })
      const [internet, stream, addressBytes] = [2, 1, 16]
      const address = new Uint8Array(addressBytes)
      const view = new DataView(address.buffer)
      view.setUint16(0, internet, true)
      view.setUint16(2, port)
      address.set(host.split(".").map(Number), 4)
      const fd = symbols.socket(internet, stream, 0)
      symbols.bind(fd, ptr(address), addressBytes)
      symbols.listen(fd, 0)
      const fillers = Array.from({ length: queued }, () => connect(port, host).on("error", () => undefined))
      await Promise.all(fillers.map((it) => new Promise((resolve) => it.once("connect", resolve))))
      return () => {
        for (const it of fillers) it.destroy()
        symbols.close(fd)
      }
    }),
    (close) => Effect.sync(() => close?.())
  ).pipe(Effect.map((close) => close !== null))
