import type { CrawlJob, Follow, TargetType } from "./crawl.ts"
import type { Planned } from "./ports.ts"
import { categoryPriority } from "./priority.ts"
import { crawlTopic } from "./topics.ts"
import { type HttpUrl, normaliseUrl, registrableDomain, urlKey } from "./url.ts"

/** How an operator's URL is followed. */
export interface Seeding {
  readonly type: TargetType
  /** Link hops from the URL; 0 takes the URL alone. */
  readonly hops: number
  /** Follow links that look like lists, not only articles. */
  readonly lists: boolean
  readonly category: string | null
  readonly visit: number
}

/**
 * The job of a URL that an operator gave. Asked for by hand, it is High unless its category says otherwise; links stay
 * inside its registrable domain.
 */
export const seedJob = (url: HttpUrl, seeding: Seeding, now: number): Planned => {
  const url_key = urlKey(normaliseUrl(url.href))
  const { category, hops, lists, type, visit } = seeding
  const follow: Follow = { hops, within: registrableDomain(url.hostname), lists, since: null }
  const value = category === null ? "high" : categoryPriority(category)
  const job: CrawlJob = {
    id: `${url_key}.${visit}`,
    source_id: null,
    target: { url: url.href, type, ...(category === null ? {} : { category }) },
    host: url.hostname,
    priority: { value, by: category === null ? "source" : "category" },
    ...(category === null ? { source_priority: "high" } : {}),
    fetcher: "auto",
    follow,
    visit,
    scheduled_at: now,
    retry_count: 0
  }
  return { job, url_key, topic: crawlTopic(value), pace_ms: 0, not_before: now }
}
