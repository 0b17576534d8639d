import type { PGlite } from "@electric-sql/pglite"
import type { Socket } from "bun"

/** First words of a connection that have no type byte: a wish for TLS (refused) and one for cancelling (not supported). */
const tlsRequest = 80877103
const cancelRequest = 80877102
/** Type byte of the message that ends a session: the store must outlive it. */
const goodbye = 88
/** Bytes read from the socket before they are asked for again: many statements fit, none is copied often. */
const startBytes = 1024 * 1024

/** Bytes of a connection that are not executed yet. Grows by doubling, so a large message is copied a few times at most. */
class Incoming {
  private buffer = Buffer.alloc(startBytes)
  private start = 0
  private end = 0
  private greeted = false

  add(chunk: Uint8Array): void {
    if (this.start === this.end) {
      this.start = 0
      this.end = 0
    }
    const needed = this.end - this.start + chunk.length
    if (this.end + chunk.length > this.buffer.length) {
      const next = needed > this.buffer.length ? Buffer.alloc(2 ** Math.ceil(Math.log2(needed))) : this.buffer
      this.buffer.copy(next, 0, this.start, this.end)
      this.buffer = next
      this.end -= this.start
      this.start = 0
    }
    this.buffer.set(chunk, this.end)
    this.end += chunk.length
  }

  /** All whole messages at the front, as one piece; `refuse` answers what is not a message of a session. */
  take(refuse: (code: number) => void): Uint8Array | undefined {
    let at = this.start
    if (!this.greeted) {
      if (this.end - at < 8) return undefined
      const length = this.buffer.readInt32BE(at)
      if (this.end - at < length) return undefined
      const code = this.buffer.readInt32BE(at + 4)
      if (code === tlsRequest || code === cancelRequest) {
        this.start = at + length
        refuse(code)
        return this.take(refuse)
      }
      this.greeted = true
      at += length
      return this.cut(at)
    }
    while (this.end - at >= 5 && this.buffer[at] !== goodbye) {
      const next = at + 1 + this.buffer.readInt32BE(at + 1)
      if (next > this.end) break
      at = next
    }
    if (at === this.start) return undefined
    return this.cut(at)
  }

  private cut(at: number): Uint8Array {
    // A copy: the store keeps views of what it is given while more bytes arrive here.
    const piece = Uint8Array.prototype.slice.call(this.buffer, this.start, at)
    this.start = at
    if (this.start === this.end && this.buffer.length > startBytes) this.buffer = Buffer.alloc(startBytes)
    return piece
  }
}

interface Session {
  readonly incoming: Incoming
  /** Answers the socket could not take yet. */
  readonly pending: Array<Uint8Array>
}

const flush = (socket: Socket<Session>): void => {
  const { pending } = socket.data
  for (let piece = pending[0]; piece !== undefined; piece = pending[0]) {
    const sent = socket.write(piece)
    if (sent < piece.length) {
      pending[0] = piece.subarray(Math.max(sent, 0))
      return
    }
    pending.shift()
  }
}

/**
 * Serves the store's one session on a Unix socket: whole messages go to PGlite in as few calls as they came in, answers go
 * back as they are made. All connections share that session, so a second one is closed at once; a connection that ends inside
 * a transaction has it rolled back.
 */
export const serve = (database: PGlite, path: string) => {
  let current: Socket<Session> | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<unknown>) => {
    turn = turn.then(work, work)
  }
  const execute = (socket: Socket<Session>, message: Uint8Array) =>
    database.runExclusive(() =>
      database.execProtocolRawStream(message, {
        onRawData: (data) => {
          // The store reuses its buffer.
          socket.data.pending.push(Uint8Array.prototype.slice.call(data))
          flush(socket)
        }
      })
    )
  const listener = Bun.listen<Session>({
    unix: path,
    socket: {
      open(socket) {
        if (current !== undefined) {
          socket.end()
          return
        }
        socket.data = { incoming: new Incoming(), pending: [] }
        current = socket
      },
      data(socket, chunk) {
        if (socket !== current) return
        const { incoming } = socket.data
        incoming.add(chunk)
        const refuse = (code: number) => (code === tlsRequest ? socket.write("N") : socket.end())
        for (let message = incoming.take(refuse); message !== undefined; message = incoming.take(refuse)) {
          const whole = message
          inTurn(() => execute(socket, whole))
        }
      },
      drain: flush,
      close(socket) {
        if (socket !== current) return
        current = undefined
        inTurn(async () => (database.isInTransaction() ? await database.exec("rollback") : undefined))
      },
      error: () => undefined
    }
  })
  return async () => {
    listener.stop(true)
    await turn
  }
}
