/**
 * A small HTTP/1.1 server on raw sockets. A ready-made one hides what the access log must know (when a request came
 * in, when its last byte went out) and refuses to misbehave, which the faults need: broken, short and endless answers.
 */
import { createServer, type Server, type Socket } from "node:net"

export interface Request {
  readonly method: string
  /** Path with its query, as sent. */
  readonly target: string
  /** The Host header without its port. */
  readonly host: string
  readonly headers: ReadonlyMap<string, string>
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Whole, or piece by piece for answers that take their time. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  /** Content-Length to state; without it the true length, or chunks for pieces. */
  readonly announced?: number
  /** What becomes of the connection: `reset` breaks it without a proper end. */
  readonly ending?: "keep" | "close" | "reset"
}

/** Told of a request when its head is complete; answers with what to call when it has ended. */
export type Arrived = (request: Request) => { readonly ended: (status: number, bytes: number) => void }
export type Handle = (request: Request) => Promise<Reply>

const HEAD_MAX = 32_768
const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  301: "Moved Permanently",
  302: "Found",
  304: "Not Modified",
  404: "Not Found",
  429: "Too Many Requests",
  503: "Service Unavailable"
}

const parse = (head: string): Request => {
  const [first = "", ...lines] = head.split("\r\n")
  const [method = "", target = ""] = first.split(" ")
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
  )
  return { method, target, headers, host: (headers.get("host") ?? "").replace(/:\d+$/, "") }
}

/** Resolves once the kernel has taken the bytes; false when the peer is gone. */
const write = (socket: Socket, bytes: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    if (socket.destroyed) return resolve(false)
    const gone = () => resolve(false)
    socket.once("close", gone)
    socket.write(bytes, (error) => {
      socket.removeListener("close", gone)
      resolve(error === undefined || error === null)
    })
  })

const headOf = (reply: Reply, chunked: boolean): Uint8Array => {
  const length = reply.announced ?? (reply.body instanceof Uint8Array ? reply.body.length : undefined)
  const lines = [
    `HTTP/1.1 ${reply.status} ${reasons[reply.status] ?? "Status"}`,
    ...Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`),
    ...(chunked ? ["transfer-encoding: chunked"] : reply.status === 304 ? [] : [`content-length: ${length ?? 0}`]),
    ...(reply.ending === "close" ? ["connection: close"] : []),
    "",
    ""
  ]
  return Buffer.from(lines.join("\r\n"), "latin1")
}

const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])

/** Sends one answer and gives the body bytes that went out. */
const send = async (socket: Socket, request: Request, reply: Reply): Promise<number> => {
  const chunked = !(reply.body instanceof Uint8Array) && reply.announced === undefined
  const head = headOf(reply, chunked)
  if (request.method === "HEAD" || reply.status === 304) {
    await write(socket, head)
    return 0
  }
  if (reply.body instanceof Uint8Array)
    return (await write(socket, Buffer.concat([head, reply.body]))) ? reply.body.length : 0
  let sent = 0
  if (!(await write(socket, head))) return 0
  for await (const piece of reply.body) {
    if (!(await write(socket, chunked ? chunk(piece) : piece))) return sent
    sent += piece.length
  }
  if (chunked && reply.ending !== "reset") await write(socket, Buffer.from("0\r\n\r\n"))
  return sent
}

/** Answers the requests of one connection in their order. */
const serve = (socket: Socket, arrived: Arrived, handle: Handle) => {
  let pending = ""
  let tail = Promise.resolve()
  const answer = async (request: Request, ended: (status: number, bytes: number) => void) => {
    const reply = await handle(request)
    const bytes = await send(socket, request, reply)
    ended(reply.ending === "reset" ? 0 : reply.status, bytes)
    if (reply.ending === "reset") socket.resetAndDestroy()
    else if (reply.ending === "close" || request.headers.get("connection")?.toLowerCase() === "close") socket.end()
  }
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.on("data", (data: Buffer) => {
    pending += data.toString("latin1")
    if (pending.length > HEAD_MAX) socket.destroy()
    for (let end = pending.indexOf("\r\n\r\n"); end >= 0; end = pending.indexOf("\r\n\r\n")) {
      const request = parse(pending.slice(0, end))
      pending = pending.slice(end + 4)
      const { ended } = arrived(request)
      tail = tail.then(() => answer(request, ended)).catch(() => void socket.destroy())
    }
  })
}

export interface Listener {
  readonly port: number
  readonly close: () => Promise<void>
}

const listen = (server: Server, address: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, address, () => {
      const bound = server.address()
      resolve(typeof bound === "object" && bound !== null ? bound.port : port)
    })
  })

/** Listens on every address with one port; port 0 takes a free one. Fails when the port is taken on any of them. */
export const listenOn = async (
  addresses: readonly string[],
  port: number,
  arrived: Arrived,
  handle: Handle
): Promise<Listener> => {
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  let chosen = port
  for (const address of addresses) {
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      serve(socket, arrived, handle)
    })
    chosen = await listen(server, address, chosen)
    servers.push(server)
  }
  const close = async () => {
    const closed = servers.map((it) => new Promise<void>((resolve) => void it.close(() => resolve())))
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
  }
  return { port: chosen, close }
}
