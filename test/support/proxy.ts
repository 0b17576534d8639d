import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** How the way to a server misbehaves. What holds for connections holds for those to come as well. */
export interface Faults {
  /** The port to dial instead of the server's. */
  readonly port: number
  /** Every chunk takes this much longer (ms), in either direction; their order is kept. */
  readonly latency: (ms: number) => Effect.Effect<void>
  /** Connections stay up and new ones are taken, but nothing moves, until `flow`. */
  readonly stall: Effect.Effect<void>
  readonly flow: Effect.Effect<void>
  /** Connections go silent for good, as those do whose other end lost its power; new ones are fine. */
  readonly lose: Effect.Effect<void>
  /** Ends every connection with RST, as a host does that knows of none. */
  readonly reset: Effect.Effect<void>
  /** Ends each connection in the middle of the next answer, after so many bytes of it; new connections are whole. */
  readonly cut: (bytes: number) => Effect.Effect<void>
  /** Connections taken so far. */
  readonly taken: Effect.Effect<number>
}

/** One connection through the proxy. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Bytes of answers that still pass before the connection ends. */
  left: number
}

class Way {
  readonly pairs = new Set<Pair>()
  latencyMs = 0
  stalled = false
  taken = 0

  constructor(private readonly target: number) {}

  readonly take = (client: Socket): void => {
    this.taken += 1
    const pair: Pair = { client, server: connect(this.target, "127.0.0.1"), left: Number.POSITIVE_INFINITY }
    this.pairs.add(pair)
    const over = () => {
      this.pairs.delete(pair)
      client.destroy()
      pair.server.destroy()
    }
    for (const it of [client, pair.server]) it.on("error", over).on("close", over)
    client.on("data", (chunk: Buffer) => this.pass(chunk, client, pair.server, null))
    pair.server.on("data", (chunk: Buffer) => this.pass(chunk, pair.server, client, pair))
    if (this.stalled) this.hold(pair)
  }

  private pass(chunk: Buffer, from: Socket, to: Socket, answering: Pair | null): void {
    const send = () => {
      if (to.destroyed) return
      const part = answering === null ? chunk : chunk.subarray(0, answering.left)
      if (!to.write(part)) {
        from.pause()
        to.once("drain", () => this.stalled || from.resume())
      }
      if (answering === null) return
      answering.left -= part.byteLength
      if (answering.left === 0) to.destroySoon()
    }
    if (this.latencyMs === 0) send()
    else setTimeout(send, this.latencyMs)
  }

  hold({ client, server }: Pair): void {
    client.pause()
    server.pause()
  }

  flow(): void {
    this.stalled = false
    for (const { client, server } of this.pairs) {
      client.resume()
      server.resume()
    }
  }

  readonly lost = new Set<Pair>()
  lose(): void {
    for (const pair of this.pairs) {
      this.hold(pair)
      this.lost.add(pair)
    }
    this.pairs.clear()
  }

  end(): void {
    for (const { client, server } of this.lost) {
      client.destroy()
      server.destroy()
    }
    for (const { client, server } of this.pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
    this.pairs.clear()
  }
}

const listening = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** A way to the server at this port of this machine that can be made bad, until the scope closes. `own`: its port, else a free one. */
export const faultsBefore = (target: number, own = 0): Effect.Effect<Faults, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const way = new Way(target)
        const server = createServer(way.take)
        return { way, server, port: await listening(server, own) }
      }),
      ({ way, server }) =>
        Effect.promise(async () => {
          const closed = new Promise((resolve) => server.close(resolve))
          way.end()
          await closed
        })
    ),
    ({ way, port }): Faults => ({
      port,
      latency: (ms) =>
        Effect.sync(() => {
          way.latencyMs = ms
        }),
      stall: Effect.sync(() => {
        way.stalled = true
        for (const pair of way.pairs) way.hold(pair)
      }),
      flow: Effect.sync(() => way.flow()),
      lose: Effect.sync(() => way.lose()),
      reset: Effect.sync(() => way.end()),
      cut: (bytes) =>
        Effect.sync(() => {
          for (const pair of way.pairs) pair.left = bytes
        }),
      taken: Effect.sync(() => way.taken)
    })
  )
