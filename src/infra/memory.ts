/** Below this (bytes) the collector is quick enough. */
const LET_GO_BYTES = 262_144

/** Gives memory back now. Whoever still looks at these bytes, or at others beside them in the same memory, sees none. */
export const free = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/**
 * Gives memory back now: the collector would see it long after, for it hears of megabytes when they are hundreds. The last piece is
 * left to the collector: whoever filled it may be filling the rest of its memory.
 */
export const letGo = (chunks: ReadonlyArray<Uint8Array>): void => {
  const last = chunks.at(-1)?.buffer
  for (const chunk of chunks) if (chunk.buffer !== last) free(chunk)
}

/** One piece of many; they are let go, where they are long. */
export const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  if (length > LET_GO_BYTES) letGo(chunks)
  return bytes
}
