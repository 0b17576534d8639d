import { Context, Effect, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import type { UrlRecord } from "../domain/ports.ts"

/** URLs held. At one to two kilobytes each, queued ones included, this is the memory of a machine: more belongs in a store. */
const urlsStandard = 1_000_000

export interface Options {
  readonly urlsMax?: number
}

/** What is known of each URL: shared by the frontier (which visits were asked for) and the pages (what came of them). */
export class MemoryUrls extends Context.Service<
  MemoryUrls,
  {
    readonly get: (key: string) => UrlRecord | undefined
    readonly set: (record: UrlRecord) => void
    /** Whether this visit is new; from now on it is known. */
    readonly plan: (key: string, visit: number) => boolean
    /** Whether this visit was asked for. */
    readonly planned: (key: string, visit: number) => boolean
    readonly full: () => boolean
  }
>()("crawler/MemoryUrls") {}

/** A URL of which nothing is known yet. */
export const unseen = (url_key: string, url: string, host: string, first_seen_at: Millis): UrlRecord => ({
  url_key,
  url,
  host,
  article_id: null,
  validators: { etag: null, last_modified: null },
  first_seen_at,
  fetched_at: null,
  status: null,
  visits: 0
})

export const layer = (options: Options = {}): Layer.Layer<MemoryUrls> =>
  Layer.effect(
    MemoryUrls,
    Effect.sync(() => {
      const urlsMax = options.urlsMax ?? urlsStandard
      const records = new Map<string, UrlRecord>()
      const planned = new Set<string>()
      return MemoryUrls.of({
        get: (key) => records.get(key),
        set: (record) => {
          if (records.size < urlsMax || records.has(record.url_key)) records.set(record.url_key, record)
        },
        plan: (key, visit) => {
          const name = `${key} ${visit}`
          return !planned.has(name) && planned.add(name) !== undefined
        },
        planned: (key, visit) => planned.has(`${key} ${visit}`),
        full: () => planned.size >= urlsMax
      })
    })
  )
