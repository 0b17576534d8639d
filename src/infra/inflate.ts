import * as zlib from "node:zlib"
import { Data, Effect, Semaphore } from "effect"
import { joined, letGo } from "./memory.ts"
import { type Coding, type Inflated, salvage } from "./salvage.ts"
import { isWhole, isZstd } from "./zstd.ts"

/** Bounds of one body. */
export interface InflateLimits {
  /** Bytes after inflating. */
  readonly bytesMax: number
  /** Inflated to wire bytes. */
  readonly ratioMax: number
}

/** Codings undone of one body, declared or by their magic bytes: a gzipped file under a gzip transfer has two (B19). */
const LAYERS_MAX = 2
/** An output this small harms nobody, whatever its ratio: a page of blanks is no bomb. */
const RATIO_FLOOR_BYTES = 1_048_576
/** Wire bytes inflated at once on this thread; larger bodies go to the thread pool, so that nothing else waits for them. */
const SYNC_WIRE_BYTES_MAX = 131_072
/** What inflates to more (bytes) does so on the thread pool, and few at a time: bombs come in swarms. */
const SYNC_BYTES_MAX = 2_097_152
const LARGE_AT_ONCE = 2
/** What grows to more than this (bytes), and by more than this factor, is first counted to its end: no page does so, but every bomb. */
const SUSPECT_BYTES = 2_097_152
const SUSPECT_RATIO = 30
/** DEFLATE cannot expand further than this, so a small enough body needs no counting (zlib, "Maximum Compression Factor"). */
const DEFLATE_RATIO_MAX = 1032
/** Bytes looked at to tell text from coded bytes. */
const PLAIN_BYTES = 256
/** Header, empty block and trailer of the shortest gzip member. */
const GZIP_BYTES_MIN = 20

/** The body is a bomb or larger than it may be. */
export class TooLarge extends Data.TaggedError("TooLarge")<{
  readonly code: "bomb" | "body_too_large"
  readonly message: string
}> {}
/** The body announces a coding it does not have, and is not plain either. */
export class Undecodable extends Data.TaggedError("Undecodable")<{ readonly message: string }> {}

const isGzip = (body: Uint8Array): boolean => body[0] === 0x1f && body[1] === 0x8b && body[2] === 8
const isZlib = (body: Uint8Array): boolean =>
  ((body[0] ?? 0) & 15) === 8 && (((body[0] ?? 0) << 8) | (body[1] ?? 0)) % 31 === 0

/**
 * Text of a page, a feed or JSON, in any charset: a server that only claims to have coded it. Coded bytes hardly ever go without
 * a control character for so long.
 */
const looksPlain = (body: Uint8Array): boolean =>
  /^(?:\u00ef\u00bb\u00bf)?[\s\u0000]*[<{[][^\u0000-\u0008\u000e-\u001f]*$/.test(
    Buffer.from(body.subarray(0, PLAIN_BYTES)).toString("latin1")
  )

/** The coding a token of Content-Encoding means for this very body; null: leave it as it is. */
const codingOf = (token: string, body: Uint8Array): Coding | null => {
  if (token === "gzip" || token === "x-gzip") return isGzip(body) ? "gzip" : null
  if (token === "zstd") return isZstd(body) ? "zstd" : null
  if (token === "br") return "br"
  if (token === "deflate") return isZlib(body) ? "deflate" : looksPlain(body) ? null : "deflate-raw"
  return null
}

/** Declared codings in the order they are undone. */
const declared = (header: string | null): ReadonlyArray<string> =>
  (header ?? "")
    .toLowerCase()
    .split(",")
    .map((it) => it.trim())
    .filter((it) => it !== "")
    .reverse()

type Sync = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array
const sync: Readonly<Record<Coding, Sync>> = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  "deflate-raw": zlib.inflateRawSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync
}
const CHUNK = { chunkSize: 65_536 }
const streams = {
  gzip: () => zlib.createGunzip(CHUNK),
  deflate: () => zlib.createInflate(CHUNK),
  "deflate-raw": () => zlib.createInflateRaw(CHUNK),
  br: () => zlib.createBrotliDecompress(CHUNK),
  zstd: () => zlib.createZstdDecompress(CHUNK)
} as const

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

/** Length that a gzip member claims in its last four bytes; of less than a member, nothing. */
const claimed = (body: Uint8Array): number =>
  body.length < GZIP_BYTES_MIN ? 0 : new DataView(body.buffer, body.byteOffset + body.length - 4, 4).getUint32(0, true)

/** May another member begin inside? By chance it looks so once in some hundred bodies. */
const hasMembers = (body: Uint8Array): boolean => {
  for (let at = body.indexOf(0x1f, 1); at > 0; at = body.indexOf(0x1f, at + 1)) {
    if (body[at + 1] === 0x8b && body[at + 2] === 8) return true
  }
  return false
}

const isOwned = (body: Uint8Array): body is Uint8Array<ArrayBuffer> => body.buffer instanceof ArrayBuffer

/**
 * libdeflate takes a third of zlib's time but knows no limit: it is for bodies that cannot outgrow `max`, whatever is in
 * them, and that claim a length below `cap`. null: zlib has to look.
 */
const quick = (coding: Coding, body: Uint8Array, cap: number, max: number): Uint8Array | null => {
  if (coding !== "gzip" || body.length < GZIP_BYTES_MIN || body.length * DEFLATE_RATIO_MAX > max) return null
  if (!isOwned(body) || claimed(body) > cap || hasMembers(body)) return null
  try {
    const out = Bun.gunzipSync(body, { library: "libdeflate" })
    // Another length means bytes behind the member.
    return out.length === claimed(body) ? out : null
  } catch {
    return null
  }
}

const large = Semaphore.makeUnsafe(LARGE_AT_ONCE)
const OVER = "ERR_BUFFER_TOO_LARGE"
const SUSPECT = "suspect"

/** How a body is gone through: for its bytes, for its bytes unless it looks like a bomb, or for their number. */
type Manner = "keep" | "doubt" | "count"

/** Piece by piece on the thread pool, counted as it comes: what is too much is let go at once. */
const counted = (coding: Coding, body: Uint8Array, cap: number, manner: Manner): Effect.Effect<Uint8Array, string> =>
  Effect.callback((resume) => {
    const stream = streams[coding]()
    const chunks: Array<Uint8Array> = []
    const trusted = manner === "doubt" ? Math.max(SUSPECT_BYTES, body.length * SUSPECT_RATIO) : cap
    let length = 0
    const end = (result: Effect.Effect<Uint8Array, string>): void => {
      stream.removeAllListeners()
      stream.on("error", () => undefined)
      stream.destroy()
      resume(result)
    }
    const fail = (code: string): void => {
      end(Effect.fail(code))
      letGo(chunks)
    }
    stream.on("data", (chunk: Uint8Array) => {
      length += chunk.length
      chunks.push(chunk)
      if (manner === "count") letGo(chunks.splice(0, chunks.length - 1).concat(chunk))
      if (length > cap) fail(OVER)
      else if (length > trusted) fail(SUSPECT)
    })
    stream.on("end", () => end(Effect.succeed(joined(chunks, manner === "count" ? 0 : length))))
    stream.on("error", (error) => fail(codeOf(error)))
    stream.end(body)
    return Effect.sync(() => stream.destroy())
  })

/** Nothing of a bomb is kept while it is found out; one that says itself how long it is, is believed. */
const wary = (coding: Coding, body: Uint8Array, cap: number): Effect.Effect<Uint8Array, string> =>
  counted(coding, body, cap, "doubt").pipe(
    Effect.catchIf(
      (code) => code === SUSPECT,
      () =>
        coding === "gzip" && claimed(body) > cap
          ? Effect.fail(OVER)
          : Effect.andThen(counted(coding, body, cap, "count"), counted(coding, body, cap, "keep"))
    )
  )

/** Small bodies at once, the rest beside everything else. Fails with the code of zlib's error. */
const whole = (coding: Coding, body: Uint8Array, cap: number) => {
  const slow = large.withPermit(wary(coding, body, cap))
  if (body.length > SYNC_WIRE_BYTES_MAX || (coding === "gzip" && claimed(body) > SYNC_BYTES_MAX)) return slow
  const quickCap = Math.min(cap, SYNC_BYTES_MAX)
  return Effect.try({ try: () => sync[coding](body, { maxOutputLength: quickCap }), catch: codeOf }).pipe(
    Effect.catchIf(
      (code) => code === OVER && cap > quickCap,
      () => slow
    )
  )
}

const undo = Effect.fnUntraced(function* (coding: Coding, body: Uint8Array, cap: number, max: number) {
  const fast = quick(coding, body, cap, max)
  if (fast !== null) return { bytes: fast, truncated: false }
  const undone = yield* Effect.result(whole(coding, body, cap))
  if (undone._tag === "Success" && (coding !== "zstd" || isWhole(body))) {
    return { bytes: undone.success, truncated: false }
  }
  if (undone._tag === "Failure" && undone.failure === OVER) {
    const code = cap < max ? "bomb" : "body_too_large"
    return yield* new TooLarge({ code, message: `body inflates to more than ${cap} bytes from ${body.length}` })
  }
  if (coding !== "gzip" && coding !== "zstd" && looksPlain(body)) return { bytes: body, truncated: false }
  const saved = yield* salvage(coding, body, cap)
  if (saved.bytes.length === 0) return yield* new Undecodable({ message: `body is no valid ${coding}` })
  return saved
})

/**
 * Undoes the codings of a body: those that Content-Encoding names, then gzip recognised by its magic bytes (`.xml.gz`), two layers at
 * most. A body that is plain despite the header stays as it is; a broken one gives what came before the break.
 * @source RFC 9110 §8.4, field case B19
 */
export const inflate = Effect.fnUntraced(function* (
  wire: Uint8Array,
  contentEncoding: string | null,
  limits: InflateLimits
) {
  const cap = Math.min(limits.bytesMax, Math.max(RATIO_FLOOR_BYTES, wire.length * limits.ratioMax))
  const names = declared(contentEncoding)
  let bytes = wire
  let truncated = false
  for (let layer = 0; layer < LAYERS_MAX && bytes.length > 0; layer++) {
    const coding = codingOf(names[layer] ?? "", bytes) ?? (isGzip(bytes) ? "gzip" : null)
    if (coding === null) continue
    const undone: Inflated = yield* undo(coding, bytes, cap, limits.bytesMax)
    bytes = undone.bytes
    truncated = truncated || undone.truncated
  }
  return { bytes, truncated }
})
