import { connect, createServer, type Server, type Socket } from "node:net"
import { Duration, Effect, Result, type Scope } from "effect"
import type { Guard, Target } from "../guard.ts"

/** Bytes of a request's head: more is no browser's. */
const HEAD_MAX = 65_536
/** Bytes one connection may bring: far above a page's largest script, far below a bomb. */
const TUNNEL_BYTES_MAX = 67_108_864
/** Connections at once: a page that opens more has other things in mind. */
const SOCKETS_MAX = 512
/** A connection on which nothing moves for so long (ms) is given up. */
const IDLE_MS = 30_000
/** Addresses of one name tried in turn. */
const ADDRESSES_TRIED = 3

/** Tells the proxy's own answers from the site's. */
export const ownAnswer = "x-crawler-proxy"

interface Asked {
  /** What the guard is asked. */
  readonly url: string
  readonly tunnel: boolean
  /** The head as the origin gets it, when this is no tunnel. */
  readonly head: string
  /** Bytes of a body that follow the head. */
  readonly body: number
}

/** A request to a proxy: CONNECT host:port, or an absolute http URL; null for all else. */
export const askedOf = (head: string): Asked | null => {
  const [first = "", ...lines] = head.split("\r\n")
  const [method = "", target = ""] = first.split(" ")
  if (method === "CONNECT") return { url: `https://${target}/`, tunnel: true, head: "", body: 0 }
  const url = URL.parse(target)
  if (url === null || url.protocol !== "http:") return null
  const kept = lines.filter((it) => !/^(?:proxy-|connection:|keep-alive:)/i.test(it))
  const length = lines.find((it) => /^content-length:/i.test(it))?.split(":")[1] ?? "0"
  return {
    url: url.href,
    tunnel: false,
    head: [`${method} ${url.pathname}${url.search} HTTP/1.1`, ...kept, "Connection: close", "", ""].join("\r\n"),
    body: Number.parseInt(length, 10) || 0
  }
}

const dial = (address: string, port: number, patience: number): Promise<Socket | null> =>
  new Promise((resolve) => {
    const socket = connect({ host: address, port })
    const end = (made: boolean) => {
      clearTimeout(timer)
      socket.removeAllListeners()
      socket.on("error", () => socket.destroy())
      if (!made) socket.destroy()
      resolve(made ? socket : null)
    }
    const timer = setTimeout(() => end(false), patience)
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })

/** To one of the addresses that were checked, never to the name. */
const reach = async ({ url, addresses }: Target, patience: number): Promise<Socket | null> => {
  for (const address of addresses.slice(0, ADDRESSES_TRIED)) {
    const socket = await dial(address, url.port, patience)
    if (socket !== null) return socket
  }
  return null
}

/** Passes bytes on as the other side takes them; over the bound both sides are cut. */
const pour = (from: Socket, to: Socket): void => {
  let bytes = 0
  from.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > TUNNEL_BYTES_MAX) return from.destroy()
    if (!to.write(chunk)) from.pause()
  })
  to.on("drain", () => from.resume())
  from.on("end", () => to.end())
  from.on("close", () => to.destroy())
  from.setTimeout(IDLE_MS, () => from.destroy())
}

/** The origin's answer, told to close: the next request of the browser is another connection, and is checked anew. */
const answered = (from: Socket, to: Socket): void => {
  let head = ""
  const heading = (chunk: Buffer) => {
    head += chunk.toString("latin1")
    const end = head.indexOf("\r\n\r\n")
    if (end < 0 && head.length < HEAD_MAX) return
    if (end < 0) return void from.destroy()
    from.off("data", heading)
    const lines = head.slice(0, end).split("\r\n")
    const kept = lines.filter((it) => !/^(?:connection|keep-alive|proxy-[a-z-]+):/i.test(it))
    to.write(Buffer.from(`${kept.join("\r\n")}\r\nConnection: close${head.slice(end)}`, "latin1"))
    pour(from, to)
  }
  from.on("data", heading)
  from.on("end", () => to.end())
  from.on("close", () => to.destroy())
  from.setTimeout(IDLE_MS, () => from.destroy())
}

type Check = (url: string) => Promise<Result.Result<Target, { readonly _tag: string; readonly message: string }>>

const serve = async (client: Socket, head: string, rest: Buffer, check: Check, patience: number): Promise<void> => {
  const asked = askedOf(head)
  if (asked === null) return void client.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
  const target = await check(asked.url)
  const origin = Result.isSuccess(target) ? await reach(target.success, patience) : null
  if (origin === null || client.destroyed) {
    origin?.destroy()
    return void client.end(`HTTP/1.1 502 Refused\r\n${ownAnswer}: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  }
  client.on("close", () => origin.destroy())
  if (asked.tunnel) {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n")
    if (rest.length > 0) origin.write(rest)
    pour(origin, client)
    pour(client, origin)
  } else {
    origin.write(Buffer.from(asked.head, "latin1"))
    let left = asked.body
    const forward = (chunk: Buffer) => {
      origin.write(chunk.subarray(0, left))
      left -= Math.min(left, chunk.length)
    }
    forward(rest)
    client.on("data", forward)
    answered(origin, client)
  }
  client.resume()
}

const receive = (client: Socket, check: Check, patience: number): void => {
  let pending = Buffer.alloc(0)
  const heading = (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    const end = pending.indexOf("\r\n\r\n")
    if (end < 0) return pending.length > HEAD_MAX ? void client.destroy() : undefined
    client.off("data", heading)
    client.pause()
    const head = pending.subarray(0, end).toString("latin1")
    serve(client, head, pending.subarray(end + 4), check, patience).catch(() => client.destroy())
  }
  client.on("error", () => client.destroy())
  client.setTimeout(IDLE_MS, () => client.destroy())
  client.on("data", heading)
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

export interface GuardProxy {
  readonly port: number
  /** Connections that the guard refused since the start. */
  readonly refused: () => number
}

/**
 * The only way out of a browser: an HTTP proxy on loopback that asks the guard about every connection (documents, scripts,
 * WebSockets, redirects) and dials the checked address. Closed with its scope.
 */
export const guardProxy = Effect.fnUntraced(function* (
  guard: Guard["Service"],
  connectTimeout: Duration.Duration
): Effect.fn.Return<GuardProxy, never, Scope.Scope> {
  const sockets = new Set<Socket>()
  let refused = 0
  const check: Check = async (url) => {
    const verdict = await Effect.runPromise(Effect.result(guard.check(url)))
    if (Result.isFailure(verdict) && verdict.failure._tag === "Fatal") refused += 1
    return verdict
  }
  const server = createServer((client) => {
    if (sockets.size >= SOCKETS_MAX) return void client.destroy()
    sockets.add(client)
    client.once("close", () => sockets.delete(client))
    receive(client, check, Duration.toMillis(connectTimeout))
  })
  const port = yield* Effect.acquireRelease(
    Effect.promise(() => listen(server)),
    () =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )
  return { port, refused: () => refused }
})
