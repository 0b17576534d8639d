const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
/** Bytes of the dictionary id and of the content size, by their flags in the frame header's descriptor. */
const DICTIONARY = [0, 1, 2, 4]
const CONTENT_SIZE = [0, 2, 4, 8]
/** A block that is one byte repeated: its size says how often. */
const RUN = 1

const begins = (body: Uint8Array, at: number): boolean => MAGIC.every((byte, index) => body[at + index] === byte)

export const isZstd = (body: Uint8Array): boolean => begins(body, 0)

/** Where the frame at `at` ends by its own account; past the body's end if it is cut. */
const frameEnd = (body: Uint8Array, at: number): number => {
  const flags = body[at + 4] ?? 0
  const single = (flags >> 5) & 1
  const size = flags >> 6 === 0 ? single : (CONTENT_SIZE[flags >> 6] ?? 0)
  let next = at + 5 + (1 - single) + (DICTIONARY[flags & 3] ?? 0) + size
  while (next + 3 <= body.length) {
    const header = (body[next] ?? 0) | ((body[next + 1] ?? 0) << 8) | ((body[next + 2] ?? 0) << 16)
    next += 3 + (((header >> 1) & 3) === RUN ? 1 : header >> 3)
    if ((header & 1) === 1) return next + ((flags >> 2) & 1) * 4
  }
  return body.length + 1
}

/**
 * Is the last frame whole? The decoder takes a cut one without a word, and gives what blocks there are.
 * @source RFC 8878 §3.1.1
 */
export const isWhole = (body: Uint8Array): boolean => {
  let at = 0
  while (begins(body, at)) at = frameEnd(body, at)
  return at <= body.length
}
