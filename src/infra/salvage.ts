import * as zlib from "node:zlib"
import { Effect } from "effect"

export type Coding = "gzip" | "deflate" | "deflate-raw" | "br" | "zstd"

export interface Inflated {
  readonly bytes: Uint8Array
  /** The coded stream ended early or broke; what came before that is here. */
  readonly truncated: boolean
}

/** Optional fields of a gzip header, by the bits of its FLG byte (RFC 1952 §2.3). */
const FLAGS = { headerCrc: 2, extra: 4, name: 8, comment: 16 }
const HEADER_BYTES = 10

/** The raw deflate stream of a gzip member: browsers look neither at its checksum nor at what follows it. */
const withoutHeader = (body: Uint8Array): Uint8Array => {
  const flags = body[3] ?? 0
  let at = HEADER_BYTES
  if ((flags & FLAGS.extra) !== 0) at += 2 + (body[at] ?? 0) + ((body[at + 1] ?? 0) << 8)
  for (const text of [FLAGS.name, FLAGS.comment]) {
    if ((flags & text) === 0) continue
    const end = body.indexOf(0, at)
    at = end < 0 ? body.length : end + 1
  }
  if ((flags & FLAGS.headerCrc) !== 0) at += 2
  return body.subarray(at)
}

const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH, ZSTD_e_flush } = zlib.constants
/** Whole-body calls that take an unfinished stream for what it is. */
const partial = {
  deflate: (body: Uint8Array, cap: number) =>
    zlib.inflateSync(body, { maxOutputLength: cap, finishFlush: Z_SYNC_FLUSH }),
  "deflate-raw": (body: Uint8Array, cap: number) =>
    zlib.inflateRawSync(body, { maxOutputLength: cap, finishFlush: Z_SYNC_FLUSH }),
  br: (body: Uint8Array, cap: number) =>
    zlib.brotliDecompressSync(body, { maxOutputLength: cap, finishFlush: BROTLI_OPERATION_FLUSH }),
  zstd: (body: Uint8Array, cap: number) =>
    zlib.zstdDecompressSync(body, { maxOutputLength: cap, finishFlush: ZSTD_e_flush })
} as const

const streams = {
  deflate: () => zlib.createInflate(),
  "deflate-raw": () => zlib.createInflateRaw(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress()
} as const

/** Damage in the middle: block by block, until it is met. Never fails. */
const untilDamage = (coding: keyof typeof streams, body: Uint8Array, cap: number): Effect.Effect<Inflated> =>
  Effect.callback((resume) => {
    const stream = streams[coding]()
    const chunks: Array<Uint8Array> = []
    let length = 0
    const end = (): void => {
      stream.removeAllListeners()
      stream.on("error", () => undefined)
      stream.destroy()
      resume(Effect.succeed({ bytes: Buffer.concat(chunks, Math.min(length, cap)), truncated: true }))
    }
    stream.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.length
      if (length >= cap) end()
    })
    stream.on("end", end)
    stream.on("error", end)
    stream.end(body)
    return Effect.sync(() => stream.destroy())
  })

const attempt = (work: () => Uint8Array, truncated: boolean): Effect.Effect<Inflated, "damaged"> =>
  Effect.try({ try: () => ({ bytes: work(), truncated }), catch: () => "damaged" as const })

/**
 * Inflates as far as it goes, at most `cap` bytes: for a body that its decoder refused. Never fails; where nothing is to be
 * had, the answer is empty.
 */
export const salvage = (coding: Coding, body: Uint8Array, cap: number): Effect.Effect<Inflated> => {
  const raw = coding === "gzip" ? withoutHeader(body) : body
  const kind = coding === "gzip" ? "deflate-raw" : coding
  const whole = attempt(() => zlib.inflateRawSync(raw, { maxOutputLength: cap }), false)
  const cut = attempt(() => partial[kind](raw, cap), true).pipe(Effect.catch(() => untilDamage(kind, raw, cap)))
  return coding === "gzip" ? Effect.catch(whole, () => cut) : cut
}
