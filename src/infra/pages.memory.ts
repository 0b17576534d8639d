import { Context, Effect, Layer } from "effect"
import type { Article } from "../domain/article.ts"
import { type OutcomeRecord, Pages, type RawBody, type Saved, type UrlRecord } from "../domain/ports.ts"
import { MemoryUrls, unseen } from "./urls.memory.ts"

/** Bodies held: the least recently used go first. A page is read right after its fetch, so this is a wide margin. */
const rawBytesStandard = 256 * 1024 * 1024
/** Outcomes held, for tests and a closing report. */
const outcomesMax = 10_000
/** Articles that stay readable without `keepArticles`: what a chain may have between storing and delivering, many times over. */
const articlesRecent = 2000
/** Characters of texts and markup that stay readable: the oldest article is forgotten first, its identity is not. */
const articlesSizeMax = 256 * 1024 * 1024
const sizeOf = ({ text, html }: Article): number => text.length + (html?.length ?? 0)
/** Articles known by identity; a one-shot run of more belongs in a store. */
const articlesMax = 1_000_000

export interface Options {
  readonly rawBytesMax?: number
  /**
   * false: of older articles only identity and hash are kept, enough to tell new, revision and duplicate apart; the
   * latest stay readable until they are delivered.
   */
  readonly keepArticles?: boolean
}

interface Known {
  readonly hash: bigint | number
  /** The first URL the article was seen at: only it writes revisions. */
  readonly url_key: string
  /** Who found it new and who last changed it: asked again, they are answered as before. */
  readonly new_by: string
  readonly revised_by: string | null
}
type Row = Parameters<Pages["Service"]["saveArticles"]>[0][number]

/** What only memory can show. */
export class MemoryPages extends Context.Service<
  MemoryPages,
  { readonly outcomes: Effect.Effect<ReadonlyArray<OutcomeRecord>>; readonly rawBytes: Effect.Effect<number> }
>()("crawler/MemoryPages") {}

export const layer = (options: Options = {}): Layer.Layer<Pages | MemoryPages, never, MemoryUrls> =>
  Layer.effectContext(
    Effect.map(MemoryUrls, (urls) => {
      const raws = new Raws(options.rawBytesMax ?? rawBytesStandard)
      const articles = new Articles(urls, (options.keepArticles ?? true) ? articlesMax : articlesRecent)
      const outcomes = new Map<string, OutcomeRecord>()
      const pages = Pages.of({
        saveRaws: (rows) => Effect.sync(() => rows.forEach((it) => raws.put(it))),
        raw: (id) => Effect.sync(() => raws.get(id)),
        raws: (query) => Effect.sync(() => raws.of(query)),
        saveArticles: (rows) => Effect.sync(() => rows.map((it) => articles.save(it))),
        articles: (query) => Effect.sync(() => articles.find(query)),
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

  of({ bytesMax, host, limit }: Parameters<Pages["Service"]["raws"]>[0]): ReadonlyArray<RawBody> {
    const latest = new Map<string, RawBody>()
    const own = [...this.pages.values()].filter((it) => it.raw.host === host && it.raw.bytes <= bytesMax)
    for (const it of own.toSorted((a, b) => b.raw.fetched_at - a.raw.fetched_at)) {
      if (latest.size < limit && !latest.has(it.raw.url)) latest.set(it.raw.url, it)
    }
    return [...latest.values()]
  }

  get(id: string): RawBody | null {
    const page = this.pages.get(id)
    if (page === undefined) return null
    this.pages.delete(id)
    this.pages.set(id, page)
    return page
  }
}

class Articles {
  private readonly known = new Map<string, Known>()
  private readonly held = new Map<string, Article>()
  private size = 0
  constructor(
    private readonly urls: MemoryUrls["Service"],
    private readonly heldMax: number
  ) {}

  save({ article, url_key, job_id }: Row): Saved {
    const before = this.known.get(article.id)
    const hash = Bun.hash(`${article.title}\n${article.text}`)
    learn(this.urls, article, url_key)
    if (before === undefined) {
      this.keep(article, { hash, url_key, new_by: job_id, revised_by: null })
      return "new"
    }
    if (before.new_by === job_id) return "new"
    if (before.revised_by === job_id) return "revision"
    if (before.hash === hash || before.url_key !== url_key) return "duplicate"
    const detected_at = this.held.get(article.id)?.detected_at ?? article.detected_at
    this.keep({ ...article, detected_at }, { ...before, hash, revised_by: job_id })
    return "revision"
  }

  /** By id, so that `after` pages through without a gap. */
  find({ ids, host, since, after, limit }: Parameters<Pages["Service"]["articles"]>[0]): ReadonlyArray<Article> {
    const named = ids === undefined ? [...this.held.values()] : ids.flatMap((id) => this.held.get(id) ?? [])
    return named
      .filter((it) => host === undefined || it.host === host)
      .filter((it) => since === undefined || Date.parse(it.detected_at) >= since)
      .filter((it) => after === undefined || it.id > after)
      .sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0))
      .slice(0, limit)
  }

  private keep(article: Article, known: Known): void {
    if (this.known.size < articlesMax || this.known.has(article.id)) this.known.set(article.id, known)
    this.forget(article.id)
    this.held.set(article.id, article)
    this.size += sizeOf(article)
    for (const oldest of this.held.keys()) {
      if (this.size <= articlesSizeMax && this.held.size <= this.heldMax) break
      this.forget(oldest)
    }
  }

  private forget(id: string): void {
    const article = this.held.get(id)
    if (article !== undefined && this.held.delete(id)) this.size -= sizeOf(article)
  }
}

const learn = (urls: MemoryUrls["Service"], article: Article, url_key: string): void => {
  const known = urls.get(url_key) ?? unseen(url_key, article.url, article.host, Date.parse(article.fetched_at))
  urls.set({ ...known, article_id: article.id })
}

type Seen = Parameters<Pages["Service"]["saveValidators"]>[0][number]
/** A URL that did not come through the frontier (a poll) is kept from here on. */
const seen = (urls: MemoryUrls["Service"], { url_key, url, host, validators, fetched_at, status }: Seen): UrlRecord => {
  const known = urls.get(url_key) ?? unseen(url_key, url, host, fetched_at)
  return { ...known, validators, fetched_at, status }
}

const saveOutcomes = (outcomes: Map<string, OutcomeRecord>, rows: ReadonlyArray<OutcomeRecord>): void => {
  for (const it of rows) outcomes.set(it.raw_id, it)
  for (const id of outcomes.keys()) {
    if (outcomes.size <= outcomesMax) break
    outcomes.delete(id)
  }
}
