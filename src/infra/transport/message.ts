import { Chunks } from "./chunked.ts"
import { endOfHead, type Head, type Method, parseHead } from "./head.ts"

/** Status lines and headers of one answer together, interim ones (1xx) included; Chromium has the same bound. */
const HEAD_BYTES_MAX = 262_144
/** Room for a head that comes in pieces, to begin with. */
const HELD_BYTES = 4096
const EMPTY = new Uint8Array(0)
const NONE = Buffer.alloc(0)
const MAGIC = "HTTP/"

/** Every byte of this begins an answer, or nothing does: most who speak something else are told at once. */
const begins = (bytes: Buffer): boolean =>
  MAGIC.startsWith(bytes.toString("latin1", 0, Math.min(MAGIC.length, bytes.length)))

const isLineEnd = (byte: number | undefined): boolean => byte === 10 || byte === 13

/** One answer as it comes, piece by piece: a state machine without a socket. */
export class Message {
  head: Head | null = null
  /** `broken`: it is no HTTP, or ended before its end. */
  state: "head" | "body" | "done" | "broken" = "head"
  /** Bytes came behind the end. */
  #surplus = false
  /** A head's pieces so far, at the begin of a larger room. */
  #held = NONE
  #heldLength = 0
  /** Bytes of interim heads. */
  #spent = 0
  #left = 0
  readonly #chunks = new Chunks()

  constructor(readonly method: Method) {}

  /** The connection is as good as new. */
  get persistent(): boolean {
    return this.state === "done" && this.head?.persistent === true && !this.#surplus
  }

  /** Takes the next piece, which is the message's own from now on; gives what it holds of the body. */
  feed(piece: Buffer): Uint8Array {
    let rest = piece
    while (this.state === "head" && rest.length > 0) rest = this.#headOf(rest)
    if (this.state === "body" && rest.length > 0) return this.#bodyOf(rest)
    if (this.state === "done" && rest.length > 0) this.#surplus = true
    return EMPTY
  }

  /** Nothing more comes; `clean`: the server said so itself. */
  finish(clean = true): void {
    if (clean && this.state === "body" && this.head?.body === "close") this.state = "done"
    else if (this.state !== "done") this.state = "broken"
  }

  /** What follows the head in this piece; nothing while the head goes on. */
  #headOf(piece: Buffer): Buffer {
    const before = this.#heldLength
    const bytes = before === 0 ? this.#trimmed(piece) : this.#join(piece)
    const end = endOfHead(bytes, Math.max(0, before - 2))
    if (!begins(bytes) || this.#spent + Math.max(end, bytes.length * Number(end < 0)) > HEAD_BYTES_MAX) {
      this.state = "broken"
      return bytes
    }
    if (end < 0) {
      if (before === 0) this.#join(bytes)
      return bytes.subarray(bytes.length)
    }
    this.#heldLength = 0
    this.#held = NONE
    this.#begin(parseHead(bytes.toString("latin1", 0, end), this.method), end)
    return bytes.subarray(end)
  }

  /** Without the empty lines that some servers send between answers; they count all the same. */
  #trimmed(piece: Buffer): Buffer {
    let at = 0
    while (at < piece.length && isLineEnd(piece[at])) at += 1
    this.#spent += at
    return piece.subarray(at)
  }

  #begin(head: Head | null, length: number): void {
    this.#spent += length
    // Nobody asked for another protocol (101).
    if (head === null || head.status === 101) {
      this.state = "broken"
    } else if (head.status >= 200) {
      this.head = head
      this.#left = typeof head.body === "number" ? head.body : 0
      this.state = head.body === 0 ? "done" : "body"
    }
  }

  #join(piece: Buffer): Buffer {
    const length = this.#heldLength + piece.length
    if (length > this.#held.length) {
      const room = Buffer.alloc(Math.max(HELD_BYTES, 2 * length))
      this.#held.copy(room, 0, 0, this.#heldLength)
      this.#held = room
    }
    piece.copy(this.#held, this.#heldLength)
    this.#heldLength = length
    return this.#held.subarray(0, length)
  }

  #bodyOf(rest: Buffer): Uint8Array {
    const framing = this.head?.body
    if (framing === "close") return rest
    if (framing === "chunked") {
      const bytes = this.#chunks.feed(rest, 0)
      if (this.#chunks.state !== "open") this.state = this.#chunks.state
      this.#surplus = this.#chunks.end < rest.length
      return bytes
    }
    const bytes = rest.subarray(0, this.#left)
    this.#left -= bytes.length
    this.#surplus = bytes.length < rest.length
    if (this.#left === 0) this.state = "done"
    return bytes
  }
}
