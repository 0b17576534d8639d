import { Context, Effect, Layer } from "effect"
import type { Article } from "../domain/article.ts"
import { type OutcomeRecord, Pages, type RawBody, type Saved, type UrlRecord } from "../domain/ports.ts"
import { MemoryUrls, unseen } from "./urls.memory.ts"

/** Bodies held: the least recently used go first. A page is read right after its fetch, so this is a wide margin. */
const rawBytesStandard = 256 * 1024 * 1024
/** Outcomes held, for tests and a closing report. */
const outcomesMax = 10_000
/** Articles known by identity; a one-shot run of more belongs in a store. */
const articlesMax = 1_000_000

export interface Options {
  readonly rawBytesMax?: number
  /** false: only identities and hashes are kept, enough to tell new, revision and duplicate apart. */
  readonly keepArticles?: boolean
}

interface Known {
  readonly hash: bigint | number
  /** The first URL the article was seen at: only it writes revisions. */
  readonly url_key: string
  readonly article: Article | null
}

/** What only memory can show. */
export class MemoryPages extends Context.Service<
  MemoryPages,
  { readonly outcomes: Effect.Effect<ReadonlyArray<OutcomeRecord>>; readonly rawBytes: Effect.Effect<number> }
>()("crawler/MemoryPages") {}

export const layer = (options: Options = {}): Layer.Layer<Pages | MemoryPages, never, MemoryUrls> =>
  Layer.effectContext(
    Effect.map(MemoryUrls, (urls) => {
      const raws = new Raws(options.rawBytesMax ?? rawBytesStandard)
      const articles = new Map<string, Known>()
      const outcomes = new Map<string, OutcomeRecord>()
      const pages = Pages.of({
        saveRaws: (rows) => Effect.sync(() => rows.forEach((it) => raws.put(it))),
        raw: (id) => Effect.sync(() => raws.get(id)),
        saveArticles: (rows) =>
          Effect.sync(() => rows.map((it) => saveArticle(articles, urls, it, options.keepArticles ?? true))),
        articles: (query) => Effect.sync(() => find(articles, query)),
        saveOutcomes: (rows) => Effect.sync(() => saveOutcomes(outcomes, rows)),
        url: (key) => Effect.sync(() => urls.get(key) ?? null),
        saveValidators: (rows) => Effect.sync(() => rows.forEach((it) => urls.set(seen(urls, it))))
      })
      return Context.make(Pages, pages).pipe(
        Context.add(MemoryPages, {
          outcomes: Effect.sync(() => [...outcomes.values()]),
          rawBytes: Effect.sync(() => raws.bytes)
        })
      )
    })
  )

/** Raw pages by id, least recently used first. The newest always stays, however large. */
class Raws {
  bytes = 0
  private readonly pages = new Map<string, RawBody>()
  constructor(private readonly bytesMax: number) {}

  put(page: RawBody): void {
    if (this.pages.has(page.raw.id)) return
    this.pages.set(page.raw.id, page)
    this.bytes += page.body.byteLength
    for (const [id, oldest] of this.pages) {
      if (this.bytes <= this.bytesMax || this.pages.size === 1) break
      this.pages.delete(id)
      this.bytes -= oldest.body.byteLength
    }
  }

  get(id: string): RawBody | null {
    const page = this.pages.get(id)
    if (page === undefined) return null
    this.pages.delete(id)
    this.pages.set(id, page)
    return page
  }
}

const saveArticle = (
  articles: Map<string, Known>,
  urls: MemoryUrls["Service"],
  row: { readonly article: Article; readonly url_key: string },
  keep: boolean
): Saved => {
  const { article, url_key } = row
  const before = articles.get(article.id)
  const hash = Bun.hash(`${article.title}\n${article.text}`)
  learn(urls, article, url_key)
  if (before === undefined) {
    if (articles.size < articlesMax) articles.set(article.id, { hash, url_key, article: keep ? article : null })
    return "new"
  }
  if (before.hash === hash || before.url_key !== url_key) return "duplicate"
  const detected_at = before.article?.detected_at ?? article.detected_at
  articles.set(article.id, { hash, url_key, article: keep ? { ...article, detected_at } : null })
  return "revision"
}

const learn = (urls: MemoryUrls["Service"], article: Article, url_key: string): void => {
  const known = urls.get(url_key) ?? unseen(url_key, article.url, article.host, Date.parse(article.fetched_at))
  urls.set({ ...known, article_id: article.id })
}

type Seen = Parameters<Pages["Service"]["saveValidators"]>[0][number]
/** A URL that did not come through the frontier (a poll) is known by its key alone. */
const seen = (urls: MemoryUrls["Service"], { url_key, validators, fetched_at, status }: Seen): UrlRecord => {
  const known = urls.get(url_key) ?? unseen(url_key, "", "", fetched_at)
  return { ...known, validators, fetched_at, status }
}

const saveOutcomes = (outcomes: Map<string, OutcomeRecord>, rows: ReadonlyArray<OutcomeRecord>): void => {
  for (const it of rows) outcomes.set(it.raw_id, it)
  for (const id of outcomes.keys()) {
    if (outcomes.size <= outcomesMax) break
    outcomes.delete(id)
  }
}

/** By id, so that `after` pages through without a gap. */
const find = (
  articles: Map<string, Known>,
  query: Parameters<Pages["Service"]["articles"]>[0]
): ReadonlyArray<Article> => {
  const { ids, host, since, after, limit } = query
  const known = ids === undefined ? [...articles.values()] : ids.flatMap((id) => articles.get(id) ?? [])
  return known
    .flatMap((it) => it.article ?? [])
    .filter((it) => host === undefined || it.host === host)
    .filter((it) => since === undefined || Date.parse(it.detected_at) >= since)
    .filter((it) => after === undefined || it.id > after)
    .sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0))
    .slice(0, limit)
}
