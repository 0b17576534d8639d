import type { CrawlJob } from "./crawl.ts"
import type { RawPage } from "./fetching.ts"

/** Ids of jobs that read a stored page again begin with this; those of others are hashes. */
const prefix = "reparse."

/**
 * The job that reads a stored page again, in the run of that name: it enters the stream behind the fetcher, so nothing is
 * fetched, and follows no links. A run names each page once: delivered again, it has no second effect.
 */
export const reparseJob = (raw: RawPage, run: string, now: number): CrawlJob => {
  const { source_id = null, target, priority } = raw.asked ?? {}
  return {
    id: `${prefix}${run}.${raw.id}`,
    source_id,
    target: target ?? { url: raw.url, type: raw.expected ?? "auto" },
    host: raw.host,
    priority: priority ?? { value: "low", by: "default" },
    fetcher: "auto",
    follow: { hops: 0, within: null, lists: false, since: null },
    visit: 0,
    scheduled_at: now,
    retry_count: 0
  }
}

/** Is this job about a page that was stored before? Then it says nothing new of its host, and asks for nothing further. */
export const isReparse = ({ id }: CrawlJob): boolean => id.startsWith(prefix)

/** Which stored pages are read again: of a time range (ms), or only one. */
export interface Asked {
  readonly raw?: string
  readonly since?: number
  readonly until?: number
}

/** Why a stored page is not read again. A truncated one would be fetched again instead. */
export type LeftOut = "superseded" | "truncated" | "outside"

/**
 * Looks through one host's pages, newest first, and tells which are read again: only the latest of each URL, so that no article
 * goes back to an older text; of these the ones asked for.
 */
export const chooser = ({ raw: only, since, until }: Asked): ((raw: RawPage) => LeftOut | "chosen") => {
  let host = ""
  const seen = new Set<string>()
  return (raw) => {
    if (raw.host !== host) seen.clear()
    host = raw.host
    const isOutside =
      (only !== undefined && raw.id !== only) ||
      raw.fetched_at < (since ?? raw.fetched_at) ||
      raw.fetched_at > (until ?? raw.fetched_at)
    const isLatest = !seen.has(raw.url)
    seen.add(raw.url)
    if (isOutside) return "outside"
    if (!isLatest) return "superseded"
    return raw.truncated ? "truncated" : "chosen"
  }
}
