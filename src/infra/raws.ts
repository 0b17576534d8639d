import { Effect } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import type { RawPage } from "../domain/fetching.ts"
import type { RawBody } from "../domain/ports.ts"

/** Level 1 takes a fifth of what HTML takes, at 0.25 ms per 100 kB; level 3 costs half as much again and saves 2 % of that. */
const zstdLevel = 1

export type Codec = "none" | "zstd"
export interface Packed {
  readonly codec: Codec
  readonly body: Uint8Array
}

/** A body as it is stored: compressed where that makes it smaller. */
export const pack = (body: Uint8Array): Effect.Effect<Packed> =>
  Effect.map(
    Effect.promise(() => Bun.zstdCompress(body, { level: zstdLevel })),
    (small): Packed => (small.byteLength < body.byteLength ? { codec: "zstd", body: small } : { codec: "none", body })
  )

/** null: these bytes are no body. A machine that stopped may keep a row without the end of its file. */
export const unpack = ({ codec, body }: Packed): Effect.Effect<Uint8Array | null> =>
  codec === "none"
    ? Effect.succeed(body)
    : Effect.tryPromise(() => Bun.zstdDecompress(body)).pipe(Effect.orElseSucceed(() => null))

/** A body in its day's store: bytes `start` to `start + size` of a file, or the object of that id. */
export interface Kept {
  readonly id: string
  readonly start: number
  readonly size: number
}

/** Bodies of raw pages outside the database, by the UTC day they expire. */
export interface Bodies {
  /** Answers where each body begins. */
  readonly put: (
    day: string,
    bodies: ReadonlyArray<{ readonly id: string; readonly body: Uint8Array }>
  ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
  /** null: it is gone. */
  readonly get: (day: string, kept: Kept) => Effect.Effect<Uint8Array | null, Unavailable>
  /** Removes a day's bodies, so many at a time. Answers whether none is left. */
  readonly expire: (day: string) => Effect.Effect<boolean, Unavailable>
}

/** Pages saved or read lately, by bytes: a page is read by each stage of a chain, a moment after it was stored. */
export class RecentRaws {
  private bytes = 0
  private readonly pages = new Map<string, RawBody>()
  constructor(private readonly bytesMax: number) {}

  put(page: RawBody): void {
    if (page.body.byteLength > this.bytesMax || this.pages.has(page.raw.id)) return
    this.pages.set(page.raw.id, page)
    this.bytes += page.body.byteLength
    for (const [id, oldest] of this.pages) {
      if (this.bytes <= this.bytesMax) break
      this.pages.delete(id)
      this.bytes -= oldest.body.byteLength
    }
  }

  get(id: RawPage["id"]): RawBody | undefined {
    const page = this.pages.get(id)
    if (page === undefined) return undefined
    this.pages.delete(id)
    this.pages.set(id, page)
    return page
  }
}
