import { Cron, Result } from "effect"
import type { CrawlJob } from "./crawl.ts"
import type { Source } from "./source.ts"
import { registrableDomain } from "./url.ts"

/** Least and default time between polls of one source, ms. */
export const pollEveryMin = 10_000
export const pollEveryDefault = 300_000

/** The times a source is polled at: a cron expression in its zone, else a fixed interval. null: the cron is no cron. */
const cronOf = (source: Source): Cron.Cron | null => {
  if (source.cron === null) return null
  const cron = Cron.parse(source.cron, source.zone)
  return Result.isSuccess(cron) ? cron.success : null
}

/**
 * The first slot after `now`. A slot is a wall-clock instant that does not depend on who asks or when, so any number
 * of schedulers name the same one.
 * @example nextSlot({...source, every_ms: 300000, cron: null}, Date.UTC(2026, 0, 1, 0, 1)) // => Date.UTC(2026, 0, 1, 0, 5)
 */
export const nextSlot = (source: Source, now: number): number => {
  const cron = cronOf(source)
  if (cron !== null) return Cron.next(cron, new Date(now)).getTime()
  const every = Math.max(pollEveryMin, source.every_ms ?? pollEveryDefault)
  return (Math.floor(now / every) + 1) * every
}

/** The bound of a wait for a cron whose next time is far (ms). */
const cronWaitMax = 3_600_000

/** How long until a cron's next time in UTC, at most an hour; a text that is no cron never has one. */
export const untilCron = (text: string, now: number): number => {
  const cron = Cron.parse(text, "UTC")
  return Result.isSuccess(cron)
    ? Math.min(Cron.next(cron.success, new Date(now)).getTime() - now, cronWaitMax)
    : cronWaitMax
}

/** Is this text a cron expression in that zone? */
export const isCron = (text: string, zone: string): boolean => Result.isSuccess(Cron.parse(text, zone))

/**
 * The poll of one slot. A slot that was missed (the crawler was off) is polled once, late, never several times.
 * `visit` numbers polls by their second, so that child sitemaps are polled anew each time; links of every poll older
 * than the source's backlog are left alone.
 */
export const pollJob = (source: Source, slot: number, backlog_ms: number): CrawlJob => {
  const url = new URL(source.url)
  const { category, country, section, zone } = source
  return {
    id: `${source.id}@${slot}`,
    source_id: source.id,
    target: {
      url: source.url,
      type: source.kind,
      zone,
      ...(category === null ? {} : { category }),
      ...(country === null ? {} : { country }),
      ...(section === null ? {} : { section })
    },
    host: url.hostname,
    priority: source.priority === null ? { value: "low", by: "default" } : { value: source.priority, by: "source" },
    ...(source.priority === null ? {} : { source_priority: source.priority }),
    fetcher: "auto",
    follow: {
      // A sitemap index leads to sitemaps, and those to articles.
      hops: source.kind === "sitemap" ? 3 : 1,
      within: registrableDomain(url.hostname),
      lists: false,
      since: source.created_at - backlog_ms
    },
    visit: Math.floor(slot / 1000),
    scheduled_at: slot,
    retry_count: 0
  }
}
