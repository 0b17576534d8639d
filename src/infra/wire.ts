/** A body as it came, and how it ended. */
export interface Wire {
  readonly bytes: Uint8Array
  /** `broken`: the connection ended before the body did. `over`: cut, for there was more than allowed. */
  readonly end: "complete" | "broken" | "over"
}

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Reads at most `bytesMax` bytes, counted as they come; then it stops listening. Never rejects. */
export const read = async (response: Response, bytesMax: number): Promise<Wire> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return { bytes: new Uint8Array(0), end: "complete" }
  const chunks: Array<Uint8Array> = []
  let length = 0
  try {
    while (true) {
      const next = await reader.read()
      if (next.done) return { bytes: joined(chunks, length), end: "complete" }
      const chunk = next.value.subarray(0, bytesMax - length)
      chunks.push(chunk)
      length += chunk.length
      if (chunk.length < next.value.length) return { bytes: joined(chunks, length), end: "over" }
    }
  } catch {
    return { bytes: joined(chunks, length), end: "broken" }
  }
}
