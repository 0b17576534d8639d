import { isIP } from "node:net"
import type { Socket, SocketHandler } from "bun"

/** An idle connection is closed after this long (s): many servers do so sooner, and then say nothing. */
const IDLE_S = 30

/** The one protocol spoken here, in the form of the handshake: its length, its name (RFC 7301 §3.1). */
const ALPN = Buffer.from("\u0008http/1.1", "latin1")

/** Where a connection leads: to an address, never to a name. */
export interface Destination {
  readonly address: string
  readonly port: number
  /** Who is asked there, also by the certificate. */
  readonly name: string
  /** null: no TLS. */
  readonly tls: {
    readonly verify: boolean
    /** PEM; instead of the well-known ones. */
    readonly ca?: ReadonlyArray<string>
  } | null
}

/** A connection ended, or was never made. */
export class Lost extends Error {
  constructor(readonly code: string) {
    super(code)
  }
}

/** Who uses a connection now. */
export interface User {
  readonly arrived: (bytes: Buffer) => void
  readonly ended: (why: Error) => void
}

/** A socket that is read no faster than it is asked for. Verifies the certificate and its name before the first byte is sent. */
export class Connection {
  /** The TCP connection was made at all. */
  reached = false
  #state: "new" | "opening" | "open" | "closed" = "new"
  #socket: Socket<Connection> | null = null
  #user: User | null = null
  #opened: { readonly resolve: () => void; readonly reject: (why: Error) => void } | null = null
  #unsent: Buffer | null = null
  #paused = false
  /** What went wrong before the end. */
  #trouble: Error | null = null

  constructor(readonly to: Destination) {}

  get closed(): boolean {
    return this.#state === "closed"
  }

  /** Nothing to do when it is open. Fails with what stood in the way, a `code` on it; `withinMs` bounds the handshake with TLS too. */
  open(withinMs: number): Promise<void> {
    if (this.#state === "open") return Promise.resolve()
    if (this.#state === "closed") return Promise.reject(new Lost("ConnectionClosed"))
    this.#state = "opening"
    const { address, port, name, tls } = this.to
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.troubled(new Lost("ConnectTimeout")), withinMs)
      const over =
        <A>(end: (it: A) => void) =>
        (it: A) => {
          clearTimeout(timer)
          end(it)
        }
      this.#opened = { resolve: over(resolve), reject: over(reject) }
      Bun.connect({
        hostname: address,
        port,
        data: this,
        socket: handlers,
        ...(tls === null ? {} : { tls: securely(name, tls) })
      }).catch((why: Error) => this.ended(why))
    })
  }

  /** From now on `user` hears what comes. */
  use(user: User): void {
    if (this.#socket === null) {
      user.ended(this.#trouble ?? new Lost("ConnectionClosed"))
      return
    }
    this.#user = user
    this.#socket.timeout(0)
    this.#socket.ref()
  }

  /** Nobody's, until it is used again; what comes meanwhile ends it. Keeps no process alive. */
  rest(): void {
    this.#user = null
    this.resume()
    this.#socket?.timeout(IDLE_S)
    this.#socket?.unref()
  }

  send(bytes: Buffer): void {
    const sent = this.#socket?.write(bytes) ?? -1
    this.#unsent = sent >= 0 && sent < bytes.length ? bytes.subarray(sent) : null
  }

  /** All that was to be sent is on its way. */
  get sent(): boolean {
    return this.#unsent === null
  }

  pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#socket?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#socket?.resume()
  }

  /** Ends it at once. */
  cut(): void {
    const socket = this.#socket
    this.ended(new Lost("ConnectionClosed"))
    socket?.terminate()
  }

  /** Ends it with a goodbye: everything was said. `end` waits for the server's with TLS, and reads on until it comes. */
  close(): void {
    const socket = this.#socket
    this.ended(new Lost("ConnectionClosed"))
    socket?.shutdown()
    socket?.terminate()
  }

  /** The socket is there; with TLS the handshake is still to come. */
  made(socket: Socket<Connection>): void {
    this.reached = true
    if (this.#state !== "opening") {
      socket.terminate()
      return
    }
    this.#socket = socket
    if (this.to.tls === null) this.#ready()
  }

  shaken(fits: boolean, why: Error | null): void {
    if (this.to.tls?.verify === false || (fits && why === null)) this.#ready()
    else this.troubled(why ?? new Lost("ERR_TLS_HANDSHAKE"))
  }

  arrived(bytes: Buffer): void {
    if (this.#user === null) this.cut()
    else this.#user.arrived(bytes)
  }

  drained(): void {
    if (this.#unsent !== null) this.send(this.#unsent)
  }

  troubled(why: Error): void {
    this.#trouble ??= why
    this.cut()
  }

  ended(why: Error | null): void {
    if (this.#state === "closed") return
    this.#state = "closed"
    this.#socket = null
    const reason = this.#trouble ?? why ?? new Lost("ConnectionClosed")
    this.#opened?.reject(reason)
    this.#user?.ended(reason)
    this.#opened = this.#user = null
  }

  #ready(): void {
    if (this.#state !== "opening") return
    this.#state = "open"
    this.#opened?.resolve()
    this.#opened = null
  }
}

/** An address is no name to ask for (RFC 6066 §3); the certificate is held against what is dialled then, which is the same. */
const securely = (name: string, { verify, ca }: NonNullable<Destination["tls"]>): Bun.TLSOptions => ({
  serverName: isIP(name) === 0 ? name : "",
  rejectUnauthorized: verify,
  ALPNProtocols: ALPN,
  ...(ca === undefined ? {} : { ca: [...ca] })
})

const handlers: SocketHandler<Connection> = {
  open: (socket) => socket.data.made(socket),
  handshake: (socket, fits, why) => socket.data.shaken(fits, why),
  data: (socket, bytes) => socket.data.arrived(bytes),
  drain: (socket) => socket.data.drained(),
  close: (socket, why) => socket.data.ended(why ?? null),
  error: (socket, why) => socket.data.troubled(why),
  timeout: (socket) => socket.data.cut(),
  connectError: (socket, why) => socket.data.ended(why)
}
