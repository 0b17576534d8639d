import { Duration, Effect, Layer } from "effect"
import type { Article } from "../domain/article.ts"
import { BadData, type Unavailable } from "../domain/errors.ts"
import type { RawPage } from "../domain/fetching.ts"
import { type OutcomeRecord, Pages, type RawBody, type Saved, type UrlRecord } from "../domain/ports.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { type Bodies, bodiesOf } from "./raws.s3.ts"
import { type Codec, type Packed, pack, RecentRaws, unpack } from "./raws.ts"
import { inBatches, noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import * as statement from "./sql/pages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** Bodies kept in memory after they were saved. */
const recentBytesMax = 64 * 1024 * 1024
/** Bodies compressed at once, and sent at once where they are objects. */
const packers = 4
const senders = 16
/** Articles of one answer, at most: more is a page further. */
const articlesMax = 1000
/** timestamptz ends before JavaScript's dates do (4713 BC). */
const earliestMs = -200_000_000_000_000

type Shape = (typeof Database)["Service"]
type ArticleRow = Parameters<Pages["Service"]["saveArticles"]>[0][number]
type ValidatorRow = Parameters<Pages["Service"]["saveValidators"]>[0][number]

const instant = (text: string | null): number | null => {
  const at = text === null ? Number.NaN : Date.parse(text)
  return at > earliestMs ? at : null
}

const encodeArticle = ({ article, url_key, job_id }: ArticleRow): Encoded => {
  const { title, text, ...rest } = article
  const { id, url, host, language } = article
  const fetched_at = instant(article.fetched_at)
  const detected_at = instant(article.detected_at)
  const published_at = instant(article.published_at)
  return {
    id,
    json: encode({ id, url_key, job_id, url, host, title, text, language, published_at, fetched_at, detected_at, rest })
  }
}

/** Rows in rounds, such that no round has an article twice: each round is answered with the one before stored. */
const rounds = (rows: ReadonlyArray<ArticleRow>): ReadonlyArray<ReadonlyArray<{ row: ArticleRow; at: number }>> => {
  const times = new Map<string, number>()
  const all: Array<Array<{ row: ArticleRow; at: number }>> = []
  rows.forEach((row, at) => {
    const time = times.get(row.article.id) ?? 0
    times.set(row.article.id, time + 1)
    const round = all[time] ?? []
    all[time] = round
    round.push({ row, at })
  })
  return all
}

/** A raw page ready to send. */
interface PackedRaw extends Packed {
  readonly raw: RawPage
  /** The UTC day it expires. */
  readonly day: string
  readonly place: "row" | "object"
}
interface RawRow {
  readonly metadata: RawPage
  readonly codec: Codec
  readonly body: Uint8Array
  readonly place: "row" | "object"
  readonly day: string
}
const nothing = new Uint8Array()
/** A row without its body, roughly. */
const rawBytes = 1024

/** Raw pages: compressed, partitioned by the day they expire, the latest ones also in memory. */
const raws = (database: Shape, rowsMax: number, ttlMs: number, bodies: Bodies | null, asObjects: boolean) => {
  const recent = new RecentRaws(recentBytesMax)
  const expiry = (raw: RawPage) => statement.dayOf(raw.fetched_at + ttlMs)
  const packed = (page: RawBody): Effect.Effect<PackedRaw> =>
    Effect.map(pack(page.body), (it) => ({ raw: page.raw, day: expiry(page.raw), place: "row", ...it }))
  /** The object first: a row says that its body is there. */
  const sent = (it: PackedRaw): Effect.Effect<PackedRaw, Unavailable> =>
    bodies === null || !asObjects
      ? Effect.succeed(it)
      : Effect.as(bodies.put(it.day, encodeText(it.raw.id), it.body), { ...it, place: "object", body: nothing })
  /** A day without a partition is seen by its refusal; then it is made, once a day. */
  const insert = (part: ReadonlyArray<PackedRaw>) => {
    let start = 1
    const rows = part.map(({ raw, day, codec, place, body }) => {
      const { id, host, fetched_at } = raw
      const row = { id, expires_on: day, host, fetched_at, metadata: raw, codec, place, start, size: body.byteLength }
      start += body.byteLength
      return encode(row)
    })
    const bodies = Buffer.concat(part.map((it) => it.body)).toString("base64")
    const send = database.query(statement.saveRaws, [arrayOf(rows), bodies])
    const days = [...new Set(part.map((it) => it.day))]
    const make = Effect.forEach(days, (day) => database.script(statement.makePartition(day)), { discard: true })
    return Effect.catchTag(send, "BadData", (it) =>
      it.message.includes("no partition of relation") ? Effect.andThen(make, send) : Effect.fail(it)
    )
  }
  const saveRaws = Effect.fn("Pages.saveRaws")(function* (pages: ReadonlyArray<RawBody>) {
    const small = yield* Effect.forEach(pages, packed, { concurrency: packers })
    const rows = yield* Effect.forEach(small, sent, { concurrency: senders })
    yield* writeAll(rows, { key: (it) => it.raw.id, bytes: (it) => it.body.byteLength + rawBytes, rowsMax }, insert)
    for (const page of pages) recent.put(page)
  })
  /** null: its body is an object that is gone, or of a store that is not asked any more. */
  const opened = Effect.fnUntraced(function* ({ codec, day, metadata, place, ...row }: RawRow) {
    const key = encodeText(metadata.id)
    const body = place === "row" ? row.body : bodies === null ? null : yield* bodies.get(day, key)
    if (body === null) return null
    const page: RawBody = { raw: metadata, body: yield* unpack({ codec, body }) }
    return page
  })
  const raw = Effect.fn("Pages.raw")(function* (id: string) {
    const held = recent.get(id)
    if (held !== undefined) return held
    const [row] = yield* noBadData(database.query<RawRow>(statement.raw, [encodeText(id)]))
    return row === undefined ? null : yield* opened(row)
  })
  const of: Pages["Service"]["raws"] = Effect.fn("Pages.raws")(function* ({ bytesMax, host, limit }) {
    const rows = yield* noBadData(database.query<RawRow>(statement.raws, [encodeText(host), bytesMax, limit]))
    const pages = yield* Effect.forEach(rows, opened)
    return pages.filter((it) => it !== null)
  })
  return { saveRaws, raw, raws: of }
}

const articles = (database: Shape, rowsMax: number) => {
  const send = (part: ReadonlyArray<Encoded>) =>
    database.query<{ id: string; saved: Saved }>(statement.saveArticles, [arrayOf(part.map((it) => it.json))])
  const saveArticles = Effect.fn("Pages.saveArticles")(function* (rows: ReadonlyArray<ArticleRow>) {
    const saved = new Array<Saved>(rows.length).fill("duplicate")
    const bad: Array<string> = []
    for (const round of rounds(rows)) {
      const encoded = round.map((it) => encodeArticle(it.row))
      const sent = yield* inBatches(encoded, { key: (it) => it.id, bytes: encodedSize, rowsMax }, send)
      const byId = new Map(sent.answers.map((it) => [it.id, it.saved]))
      for (const { row, at } of round) saved[at] = byId.get(encodeText(row.article.id)) ?? "duplicate"
      bad.push(...sent.bad.map((it) => `${it.row.id}: ${it.message}`))
    }
    if (bad.length > 0) return yield* new BadData({ message: bad.join("; ").slice(0, 1000) })
    return saved
  })
  const find = Effect.fn("Pages.articles")(function* (query: Parameters<Pages["Service"]["articles"]>[0]) {
    const { ids, host, since, after } = query
    if (ids?.length === 0) return []
    const text = statement.articles({
      ids: ids !== undefined,
      host: host !== undefined,
      since: since !== undefined,
      after: after !== undefined
    })
    const parameters = [
      ids === undefined ? null : encode(ids),
      host === undefined ? null : encodeText(host),
      since ?? null,
      after === undefined ? null : encodeText(after),
      Math.min(query.limit, articlesMax)
    ]
    const rows = yield* noBadData(database.query<{ article: Article }>(text, parameters))
    return rows.map((it) => it.article)
  })
  return { saveArticles, articles: find }
}

interface UrlRow extends Omit<UrlRecord, "validators"> {
  readonly etag: string | null
  readonly last_modified: string | null
}

const histories = (database: Shape, rowsMax: number) => {
  const write = <Row>(
    text: string,
    rows: ReadonlyArray<Row>,
    key: (row: Row) => string,
    record: (row: Row) => unknown
  ): Effect.Effect<void, Unavailable | BadData> => {
    const encoded = rows.map((it): Encoded => ({ id: key(it), json: encode(record(it)) }))
    const send = (part: ReadonlyArray<Encoded>) => database.query(text, [arrayOf(part.map((it) => it.json))])
    // Of two rows for one key the later one tells the truth.
    const latest = encoded.toReversed()
    return Effect.asVoid(writeAll(latest, { key: (it) => it.id, bytes: encodedSize, rowsMax }, send))
  }
  const saveOutcomes = Effect.fn("Pages.saveOutcomes")((rows: ReadonlyArray<OutcomeRecord>) =>
    write(
      statement.saveOutcomes,
      rows,
      (it) => it.raw_id,
      (it) => it
    )
  )
  const saveValidators = Effect.fn("Pages.saveValidators")((rows: ReadonlyArray<ValidatorRow>) =>
    write(
      statement.saveValidators,
      rows,
      (it) => it.url_key,
      ({ validators, ...row }) => ({ ...row, ...validators })
    )
  )
  const url = Effect.fn("Pages.url")(function* (key: string) {
    const [row] = yield* noBadData(database.query<UrlRow>(statement.url, [encodeText(key)]))
    if (row === undefined) return null
    const { etag, last_modified, ...rest } = row
    return { ...rest, validators: { etag, last_modified } }
  })
  return { saveOutcomes, saveValidators, url }
}

/** The store of pages in Postgres. A raw page lives RAW_TTL, rounded up to the end of its UTC day. */
export const layer: Layer.Layer<Pages, never, Database | Settings> = Layer.effect(
  Pages,
  Effect.gen(function* () {
    const database = yield* Database
    const settings = yield* Settings
    const { STORE_BATCH, RAW_TTL, RAWS } = settings
    return Pages.of({
      ...raws(database, STORE_BATCH, Duration.toMillis(RAW_TTL), bodiesOf(settings), RAWS === "s3"),
      ...articles(database, STORE_BATCH),
      ...histories(database, STORE_BATCH)
    })
  })
)
