import { free } from "./memory.ts"

/** A body as it came, and how it ended. */
export interface Wire {
  readonly bytes: Uint8Array
  /** `broken`: the connection ended before the body did. `over`: cut, for there was more than allowed; then a long one is empty. */
  readonly end: "complete" | "broken" | "over"
}

/** A body cut at more than this (bytes) comes back empty. */
const DISCARDED_BYTES = 1_048_576
/** Unfinished bodies hold so many bytes together while nobody waits: pages of all who are fetched at once, and more. */
const FREE_BYTES = 4_194_304
/** Beyond that a body longer than this (bytes) takes turns with the others: small pages never wait. */
const LARGE_BYTES = 65_536
/** Large bodies that grow at once. */
const LARGE_AT_ONCE = 1
/** They let everything else go first, so long (ms) after so many bytes: who sends without end sends fast. */
const GIVE_WAY_MS = 2
const GIVE_WAY_BYTES = 524_288
/** One that is not done within its share of this time (ms) lets others go first: many who come just fast enough cost a page no more than one. */
const SLICE_MS = 2000
/** One that comes at less than this (bytes a ms) needs no turn: many slow ones would only wait for each other until their time is up. */
const SLOW_BYTES = 2048
/** Whose turn it is has to be that fast in each such time (ms): who sends a little and then nothing keeps nobody waiting. */
const LOOK_MS = 100
/** A body of several pieces grows in blocks of so many bytes. */
const BLOCK_BYTES = 131_072
/** Blocks kept for the next bodies (10 MiB, one body of the greatest length): memory given back is not the system's at once. */
const SPARE_MAX = 80

/** Held by unfinished bodies. */
let held = 0
let places = LARGE_AT_ONCE
const waiting: Array<() => void> = []
const enter = (): Promise<void> => {
  if (places === 0) return new Promise((resolve) => waiting.push(resolve))
  places -= 1
  return Promise.resolve()
}
const leave = (): void => {
  const next = waiting.shift()
  if (next === undefined) places += 1
  else next()
}

/** A turn among the large bodies: taken when a body becomes one too many, lent to others when it takes long. */
class Turn {
  #held = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Time (ms) that its server took; what it waited for its turn is not its own slowness. */
  #served = 0
  #gaveWay = 0
  #bytes = 0
  #entered = 0
  /** The next bytes of a body of this length, as soon as it is its turn. */
  async next(take: Take, bytes: number): Promise<Uint8Array | null> {
    this.#bytes = bytes
    if (!this.#held && held >= FREE_BYTES && bytes >= LARGE_BYTES && bytes >= this.#served * SLOW_BYTES) {
      await enter()
      this.#held = true
      this.#entered = performance.now()
      this.#look(bytes)
    }
    if (this.#held && bytes - this.#gaveWay >= GIVE_WAY_BYTES) {
      this.#gaveWay = bytes
      await Bun.sleep(GIVE_WAY_MS)
    }
    const asked = performance.now()
    const piece = await take()
    this.#served += performance.now() - asked
    return piece
  }
  end(): void {
    clearTimeout(this.#timer)
    if (this.#held) leave()
    this.#held = false
  }
  #look(before: number): void {
    this.#timer = setTimeout(() => {
      const slow = this.#bytes - before < LOOK_MS * SLOW_BYTES
      const over = performance.now() - this.#entered >= SLICE_MS / waiting.length
      if (waiting.length > 0 && (slow || over)) this.end()
      else this.#look(this.#bytes)
    }, LOOK_MS)
  }
}

const spare: Array<Uint8Array> = []

/** A body as it grows. One piece stays as it came; more are copied together, and each is let go at once, however small. */
class Growing {
  length = 0
  #only: Uint8Array | null = null
  readonly #blocks: Array<Uint8Array> = []
  /** Room left in the last block. */
  #room = 0

  add(piece: Uint8Array): void {
    const first = this.#only
    this.#only = this.length === 0 ? piece : null
    this.length += piece.length
    held += piece.length
    if (this.#only !== null) return
    if (first !== null) this.#copy(first)
    this.#copy(piece)
  }

  /** All of it, in one piece. */
  whole(): Uint8Array {
    held -= this.length
    if (this.#only !== null) return this.#only
    const bytes = new Uint8Array(this.length)
    for (const [at, block] of this.#blocks.entries()) {
      bytes.set(block.subarray(0, this.length - at * BLOCK_BYTES), at * BLOCK_BYTES)
    }
    this.#drop()
    return bytes
  }

  /** What was cut is wanted by nobody, where it is long. */
  cut(): Uint8Array {
    if (this.length <= DISCARDED_BYTES) return this.whole()
    held -= this.length
    this.#drop()
    return new Uint8Array(0)
  }

  #copy(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#room === 0) {
        this.#blocks.push(spare.pop() ?? new Uint8Array(BLOCK_BYTES))
        this.#room = BLOCK_BYTES
      }
      const part = piece.subarray(at, at + this.#room)
      this.#blocks.at(-1)?.set(part, BLOCK_BYTES - this.#room)
      this.#room -= part.length
      at += part.length
    }
    free(piece)
  }

  #drop(): void {
    for (const block of this.#blocks) {
      if (spare.length < SPARE_MAX) spare.push(block)
      else free(block)
    }
  }
}

/** The next bytes of a body, in memory of their own, as soon as they are there; null after the last. Rejects where the connection is lost. */
export type Take = () => Promise<Uint8Array | null>

/** Reads at most `bytesMax` bytes, counted as they come; then it stops listening. Never rejects. */
export const read = async (take: Take, bytesMax: number): Promise<Wire> => {
  const body = new Growing()
  const turn = new Turn()
  try {
    while (true) {
      const next = await turn.next(take, body.length)
      if (next === null) return { bytes: body.whole(), end: "complete" }
      const room = bytesMax - body.length
      const over = next.length > room
      body.add(over ? next.subarray(0, room) : next)
      if (over) return { bytes: body.cut(), end: "over" }
    }
  } catch {
    return { bytes: body.whole(), end: "broken" }
  } finally {
    turn.end()
  }
}
