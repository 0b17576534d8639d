const LF = 10
const CR = 13
const EMPTY = new Uint8Array(0)
/** Longest chunk size in hexadecimal digits: more is no whole number any more. */
const DIGITS_MAX = 13
/** Sizes, extensions and trailers may take this many bytes, and so many for each byte of the body: chunks of one byte need five. */
const FRAMING_BYTES_MAX = 16_384
const FRAMING_PER_BYTE = 8

const hex = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** A few bytes are moved by hand: there are servers with chunks of one. */
const move = (piece: Uint8Array, to: number, from: number, length: number): void => {
  if (length > 16) piece.copyWithin(to, from, from + length)
  else for (let at = 0; at < length; at += 1) piece[to + at] = piece[from + at] ?? 0
}

/** Undoes chunked coding piece by piece (RFC 9112 §7.1). Extensions and trailers are passed over; lines may end without CR. */
export class Chunks {
  state: "open" | "done" | "broken" = "open"
  /** Where it stopped within the last piece. */
  end = 0
  #at: "size" | "extension" | "data" | "after" | "trailer" = "size"
  #digits = 0
  /** Of this chunk: its size, then what is still to come of it. */
  #left = 0
  /** Bytes of the trailer's line so far. */
  #trailing = 0
  #framing = 0
  #data = 0

  /** The body's bytes in this piece from `from` on, moved together within it. */
  feed(piece: Uint8Array, from: number): Uint8Array {
    let start = -1
    let out = 0
    let at = from
    while (at < piece.length && this.state === "open") {
      if (this.#at !== "data") {
        const next = this.#line(piece, at)
        if (next === at) this.#byte(piece[at++] ?? 0)
        else at = next
        continue
      }
      const length = Math.min(this.#left, piece.length - at)
      if (start < 0) start = out = at
      else move(piece, out, at, length)
      out += length
      at += length
      this.#data += length
      this.#left -= length
      if (this.#left === 0) this.#at = "after"
    }
    this.end = at
    return start < 0 ? EMPTY : piece.subarray(start, out)
  }

  /** Past what stands between two chunks, where all of it is here and as usual; `at`: it has to be looked at byte by byte. */
  #line(piece: Uint8Array, at: number): number {
    if (this.#at !== "after" || piece[at] !== CR || piece[at + 1] !== LF) return at
    let size = 0
    let next = at + 2
    for (let digit = hex(piece[next] ?? 0); digit >= 0; digit = hex(piece[next] ?? 0)) {
      size = size * 16 + digit
      next += 1
    }
    const digits = next - at - 2
    if (digits === 0 || digits > DIGITS_MAX || size === 0 || piece[next] !== CR || piece[next + 1] !== LF) return at
    if (this.#framing + digits + 4 > this.#framingMax) return at
    this.#framing += digits + 4
    this.#left = size
    this.#at = "data"
    return next + 2
  }

  get #framingMax(): number {
    return FRAMING_BYTES_MAX + FRAMING_PER_BYTE * this.#data
  }

  #byte(byte: number): void {
    this.#framing += 1
    if (this.#framing > this.#framingMax) this.state = "broken"
    else if (this.#at === "size") this.#size(byte)
    else if (this.#at === "extension") this.#extension(byte)
    else if (this.#at === "after") this.#after(byte)
    else this.#trailer(byte)
  }

  #size(byte: number): void {
    const digit = hex(byte)
    if (digit >= 0 && this.#digits < DIGITS_MAX) {
      this.#left = this.#left * 16 + digit
      this.#digits += 1
    } else if (digit >= 0 || this.#digits === 0) this.state = "broken"
    else if (byte === CR || byte === 32 || byte === 9 || byte === 59) this.#at = "extension"
    else if (byte === LF) this.#begin()
    else this.state = "broken"
  }

  #extension(byte: number): void {
    if (byte === LF) this.#begin()
  }

  #begin(): void {
    this.#at = this.#left === 0 ? "trailer" : "data"
    this.#digits = 0
  }

  #after(byte: number): void {
    if (byte === LF) this.#at = "size"
    else if (byte !== CR) this.state = "broken"
  }

  #trailer(byte: number): void {
    if (byte === LF && this.#trailing === 0) this.state = "done"
    else if (byte === LF) this.#trailing = 0
    else if (byte !== CR) this.#trailing += 1
  }
}
