import { type Connection, Lost, type User } from "./connection.ts"
import type { Head, Method } from "./head.ts"
import { Message } from "./message.ts"

/** One request and its answer. The connection is let go as soon as the answer has come whole, read or not. */
export class Exchange implements User {
  /** There was a connection to ask over. */
  asked = false
  readonly #message: Message
  readonly #pieces: Array<Uint8Array> = []
  #why: Error | null = null
  #wake: (() => void) | null = null

  constructor(
    readonly connection: Connection,
    method: Method,
    /** Takes back a connection that is as good as new. */
    readonly giveBack: (connection: Connection) => void
  ) {
    this.#message = new Message(method)
  }

  /** Sends the request over a connection made within `connectMs`, and waits for the head of its answer. */
  async begin(request: Buffer, connectMs: number): Promise<Head> {
    await this.connection.open(connectMs)
    this.connection.use(this)
    this.connection.send(request)
    this.asked = true
    while (true) {
      if (this.#message.head !== null) return this.#message.head
      if (this.#message.state === "broken") throw this.#why ?? new Lost("MalformedResponse")
      await this.#news()
    }
  }

  /** The next bytes of the body; null: that was all. Fails where the connection ended before. */
  async next(): Promise<Uint8Array | null> {
    while (true) {
      const piece = this.#pieces.shift()
      if (piece !== undefined) return piece
      if (this.#message.state === "done") return null
      if (this.#message.state === "broken") throw this.#why ?? new Lost("MalformedResponse")
      this.connection.resume()
      await this.#news()
    }
  }

  /** Nobody wants the rest. */
  cut(): void {
    if (this.#over) return
    this.connection.cut()
  }

  arrived(bytes: Buffer): void {
    const body = this.#message.feed(bytes)
    if (body.length > 0) this.#pieces.push(body)
    if (this.#over) this.#release()
    // One piece may be half a megabyte. The next is taken from the socket when somebody asks for it.
    else if (this.#pieces.length > 0) this.connection.pause()
    this.#tell()
  }

  ended(why: Error): void {
    if (this.#over) return
    this.#why = why
    this.#message.finish(why instanceof Lost)
    this.#tell()
  }

  get #over(): boolean {
    return this.#message.state === "done" || this.#message.state === "broken"
  }

  #release(): void {
    const { connection } = this
    if (this.#message.persistent && connection.sent) this.giveBack(connection)
    else if (this.#message.state === "done") connection.close()
    else connection.cut()
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #tell(): void {
    this.#wake?.()
    this.#wake = null
  }
}
