/** A body as it came, and how it ended. */
export interface Wire {
  readonly bytes: Uint8Array
  /** `broken`: the connection ended before the body did. `over`: cut, for there was more than allowed; then a long one is empty. */
  readonly end: "complete" | "broken" | "over"
}

/**
 * Gives memory back now: the collector would see it long after, for it hears of megabytes when they are hundreds. Whoever still
 * looks at these bytes sees none. The last piece is left to the collector: whoever filled it may be filling the rest of its memory.
 */
export const letGo = (chunks: ReadonlyArray<Uint8Array>): void => {
  const last = chunks.at(-1)?.buffer
  for (const { buffer } of chunks) {
    if (buffer !== last && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
  }
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

/** Below this (bytes) the collector is quick enough. */
const LET_GO_BYTES = 262_144
/** A body longer than this (bytes) is read with few others at a time: together, bodies hold little memory. */
const LARGE_BYTES = 524_288
/** A body cut at more than this (bytes) comes back empty. */
const DISCARDED_BYTES = 1_048_576
/** Large bodies that grow at once. */
const LARGE_AT_ONCE = 3
/** One that is not done within this time (ms) lets others go first: a slow one keeps nobody waiting. */
const SLICE_MS = 2000
/** One that comes at less than this (bytes a ms) needs no turn: many slow ones would only wait for each other until their time is up. */
const SLOW_BYTES = 1024

let free = LARGE_AT_ONCE
const waiting: Array<() => void> = []
const enter = (): Promise<void> => {
  if (free === 0) return new Promise((resolve) => waiting.push(resolve))
  free -= 1
  return Promise.resolve()
}
const leave = (): void => {
  const next = waiting.shift()
  if (next === undefined) free += 1
  else next()
}

/** A turn among the large bodies: taken when a body becomes one, lent to others when it takes long. */
class Turn {
  #held = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #began = performance.now()
  async keep(bytes: number): Promise<void> {
    if (this.#held || bytes < LARGE_BYTES || bytes < (performance.now() - this.#began) * SLOW_BYTES) return
    await enter()
    this.#held = true
    this.#timer = setTimeout(() => this.#lend(), SLICE_MS)
  }
  end(): void {
    clearTimeout(this.#timer)
    if (this.#held) leave()
    this.#held = false
  }
  #lend(): void {
    if (waiting.length > 0) this.end()
    else this.#timer = setTimeout(() => this.#lend(), SLICE_MS)
  }
}

/** What was cut is wanted by nobody, where it is long: it is let go at once, for bodies without end come in swarms. */
const over = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  if (length <= DISCARDED_BYTES) return joined(chunks, length)
  letGo(chunks)
  return new Uint8Array(0)
}

/** The next bytes of a body, as soon as they are there; null after the last. Rejects where the connection is lost. */
export type Take = () => Promise<Uint8Array | null>

/** Reads at most `bytesMax` bytes, counted as they come; then it stops listening. Never rejects. */
export const read = async (take: Take, bytesMax: number): Promise<Wire> => {
  const chunks: Array<Uint8Array> = []
  const turn = new Turn()
  let length = 0
  try {
    while (true) {
      await turn.keep(length)
      const next = await take()
      if (next === null) return { bytes: joined(chunks, length), end: "complete" }
      const chunk = next.subarray(0, bytesMax - length)
      chunks.push(chunk)
      length += chunk.length
      if (chunk.length === next.length) continue
      return { bytes: over(chunks, length), end: "over" }
    }
  } catch {
    return { bytes: joined(chunks, length), end: "broken" }
  } finally {
    turn.end()
  }
}
