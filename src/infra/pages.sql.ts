import { Duration, Effect, Layer } from "effect"
import type { Article } from "../domain/article.ts"
import { BadData, type Unavailable } from "../domain/errors.ts"
import { type OutcomeRecord, Pages, type Saved, type UrlRecord } from "../domain/ports.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { outsideOf, raws } from "./raws.sql.ts"
import { inBatches, noBadData, writeAll } from "./sql/batches.ts"
import { arrayOf, type Encoded, encodedSize } from "./sql/messages.ts"
import * as statement from "./sql/pages.ts"
import { encode, encodeText } from "./sql/rows.ts"

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

const articles = (database: Shape, rowsMax: number) => {
  const send = Effect.fnUntraced(function* (part: ReadonlyArray<Encoded>) {
    const records = (rows: ReadonlyArray<Encoded>) => [arrayOf(rows.map((it) => it.json))]
    const inserted = yield* database.query<{ id: string }>(statement.insertArticles, records(part))
    const fresh = new Set(inserted.map((it) => it.id))
    const known = part.filter((it) => !fresh.has(it.id))
    const answers = inserted.map(({ id }): { id: string; saved: Saved } => ({ id, saved: "new" }))
    if (known.length === 0) return answers
    const compared = yield* database.query<(typeof answers)[number]>(statement.reviseArticles, records(known))
    return [...answers, ...compared]
  })
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
    const { STORE_BATCH, RAW_TTL } = settings
    return Pages.of({
      ...raws(database, STORE_BATCH, Duration.toMillis(RAW_TTL), outsideOf(settings, database.dataDir)),
      ...articles(database, STORE_BATCH),
      ...histories(database, STORE_BATCH)
    })
  })
)
