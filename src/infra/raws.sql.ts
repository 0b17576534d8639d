import { join } from "node:path"
import { Effect } from "effect"
import type { RawPage } from "../domain/fetching.ts"
import type { Pages, RawBody } from "../domain/ports.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { ready, under } from "./raws.files.ts"
import { bodiesOf } from "./raws.s3.ts"
import { type Bodies, type Kept, type Packed, pack, RecentRaws, unpack } from "./raws.ts"
import { noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf } from "./sql/messages.ts"
import * as statement from "./sql/pages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** Bodies kept in memory after they were saved or read. */
const recentBytesMax = 64 * 1024 * 1024
/** Bodies compressed at once. */
const packers = 4
/** A row without its body, roughly. */
const rawBytes = 1024

type Shape = (typeof Database)["Service"]
type Place = "row" | "object" | "file"

/** Where bodies are outside the database: what is there may be read, and one of them is written to. */
export interface Outside {
  readonly object: Bodies | null
  readonly file: Bodies | null
  readonly writes: Place
}

const folderIn = (dataDir: string): string => join(dataDir, "raws")

/**
 * Beside the embedded store bodies are files: a row would carry each of them through a thread, a log and a table, only to be
 * dropped a day later.
 */
export const outsideOf = (settings: Settings["Service"], dataDir: string | null): Outside => ({
  object: bodiesOf(settings),
  file: dataDir === null ? null : under(folderIn(dataDir)),
  writes: settings.RAWS === "s3" ? "object" : dataDir === null ? "row" : "file"
})

/** A process that fetches says at its start what would hold up every page; fails with Unavailable. */
export const bodiesReady = Effect.gen(function* () {
  const { dataDir } = yield* Database
  const { writes } = outsideOf(yield* Settings, dataDir)
  if (writes === "file" && dataDir !== null) yield* ready(folderIn(dataDir))
})

/** A raw page ready to send. */
interface PackedRaw extends Packed, Kept {
  readonly raw: RawPage
  /** The UTC day it expires. */
  readonly day: string
  readonly place: Place
}
interface RawRow extends Omit<Kept, "id">, Packed {
  readonly metadata: RawPage
  readonly place: Place
  readonly day: string
}

const encodeRow = ({ body: _, codec, day, place, raw, size, start }: PackedRaw, first: number): string => {
  const { id, host, fetched_at } = raw
  return encode({ id, expires_on: day, host, fetched_at, metadata: raw, codec, place, start, size, first })
}

const packed = ({ body, raw }: RawBody, ttlMs: number): Effect.Effect<PackedRaw> =>
  Effect.map(pack(body), (it) => {
    const day = statement.dayOf(raw.fetched_at + ttlMs)
    return { id: encodeText(raw.id), raw, day, place: "row", start: 0, size: it.body.byteLength, ...it }
  })

/** Bodies go first: a row says that its body is there. */
const placed = Effect.fnUntraced(function* (all: ReadonlyArray<PackedRaw>, { writes, ...outside }: Outside) {
  const bodies = writes === "row" ? null : outside[writes]
  if (bodies === null) return all
  const rows: Array<PackedRaw> = []
  for (const [day, ofDay] of Map.groupBy(all, (it) => it.day)) {
    const starts = yield* bodies.put(day, ofDay)
    rows.push(...ofDay.map((it, at) => ({ ...it, place: writes, start: starts[at] ?? 0 })))
  }
  return rows
})

/** A statement's rows, and the bodies that they keep themselves. */
const parametersOf = (part: ReadonlyArray<PackedRaw>) => {
  let end = 1
  const rows = part.map((it) => {
    if (it.place !== "row") return encodeRow(it, 0)
    end += it.size
    return encodeRow(it, end - it.size)
  })
  const bodies = part.filter((it) => it.place === "row").map((it) => it.body)
  return [arrayOf(rows), Buffer.concat(bodies).toString("base64")]
}

/** Raw pages: compressed, partitioned by the day they expire, the latest ones also in memory. */
export const raws = (database: Shape, rowsMax: number, ttlMs: number, outside: Outside) => {
  const recent = new RecentRaws(recentBytesMax)
  /** A day without a partition is seen by its refusal; then it is made, once a day. */
  const insert = (part: ReadonlyArray<PackedRaw>) => {
    const send = database.query(statement.saveRaws, parametersOf(part))
    const days = [...new Set(part.map((it) => it.day))]
    const make = Effect.forEach(days, (day) => database.script(statement.makePartition(day)), { discard: true })
    return Effect.catchTag(send, "BadData", (it) =>
      it.message.includes("no partition of relation") ? Effect.andThen(make, send) : Effect.fail(it)
    )
  }
  const bytes = (it: PackedRaw) => (it.place === "row" ? it.size : 0) + rawBytes
  const saveRaws = Effect.fn("Pages.saveRaws")(function* (pages: ReadonlyArray<RawBody>) {
    const all = yield* Effect.forEach(pages, (it) => packed(it, ttlMs), { concurrency: packers })
    yield* writeAll(yield* placed(all, outside), { key: (it) => it.id, bytes, rowsMax }, insert)
    for (const page of pages) recent.put(page)
  })
  /** null: its body is an object or in a file that is gone or damaged, or of a store that is not asked any more. */
  const opened = Effect.fnUntraced(function* ({ codec, day, metadata, place, size, start, ...row }: RawRow) {
    const kept = { id: encodeText(metadata.id), start, size }
    const bodies = place === "row" ? null : outside[place]
    const packed = place === "row" ? row.body : bodies === null ? null : yield* bodies.get(day, kept)
    const body = packed === null ? null : yield* unpack({ codec, body: packed })
    return body === null ? null : ({ raw: metadata, body } satisfies RawBody)
  })
  const asked = Effect.fn("Pages.raw")(function* (id: string) {
    const [row] = yield* noBadData(database.query<RawRow>(statement.raw, [encodeText(id)]))
    const page = row === undefined ? null : yield* opened(row)
    if (page !== null) recent.put(page)
    return page
  })
  const raw = (id: string) =>
    Effect.suspend(() => {
      const held = recent.get(id)
      return held === undefined ? asked(id) : Effect.succeed(held)
    })
  const of: Pages["Service"]["raws"] = Effect.fn("Pages.raws")(function* ({ bytesMax, host, limit }) {
    const rows = yield* noBadData(database.query<RawRow>(statement.raws, [encodeText(host), bytesMax, limit]))
    const pages = yield* Effect.forEach(rows, opened)
    return pages.filter((it) => it !== null)
  })
  return { saveRaws, raw, raws: of }
}
