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
  #line = 0
  #framing = 0
  #data = 0

  /** The body's bytes in this piece from `from` on, moved together within it. */
  feed(piece: Uint8Array, from: number): Uint8Array {
    let start = -1
    let out = 0
    let at = from
    while (at < piece.length && this.state === "open") {
      if (this.#at !== "data") {
        this.#byte(piece[at] ?? 0)
        at += 1
        continue
      }
      const length = Math.min(this.#left, piece.length - at)
      if (start < 0) start = out = at
      else piece.copyWithin(out, at, at + length)
      out += length
      at += length
      this.#data += length
      this.#left -= length
      if (this.#left === 0) this.#at = "after"
    }
    this.end = at
    return start < 0 ? EMPTY : piece.subarray(start, out)
  }

  #byte(byte: number): void {
    this.#framing += 1
    if (this.#framing > FRAMING_BYTES_MAX + FRAMING_PER_BYTE * this.#data) this.state = "broken"
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
    if (byte === LF && this.#line === 0) this.state = "done"
    else if (byte === LF) this.#line = 0
    else if (byte !== CR) this.#line += 1
  }
}
