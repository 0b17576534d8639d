import { Cron, Result } from "effect"
import type { CrawlJob } from "./crawl.ts"
import { firstPaging } from "./paging.ts"
import type { Source } from "./source.ts"
import { registrableDomain } from "./url.ts"

/** Least and default time between polls of one source, ms. */
export const pollEveryMin = 10_000
const pollEveryDefault = 300_000

/** A cron's next time after `now`; null where there is none (30 February), or the text is no cron. */
const nextOf = (text: string, zone: string, now: number): number | null => {
  const cron = Cron.parse(text, zone)
  if (Result.isFailure(cron)) return null
  const next = Result.try(() => Cron.next(cron.success, new Date(now)).getTime())
  return Result.isSuccess(next) ? next.success : null
}

/** A source that cannot be polled is looked at again after this long (ms). */
const neverPolled = 86_400_000

/** How often a source is polled that has no cron, ms: as it says, or the default, and never more often than is allowed. */
export const pollEveryOf = ({ every_ms }: Pick<Source, "every_ms">): number =>
  Math.max(pollEveryMin, every_ms ?? pollEveryDefault)

/**
 * The first slot after `now`. A slot is a wall-clock instant that does not depend on who asks or when, so any number
 * of schedulers name the same one.
 * @example nextSlot({...source, every_ms: 300000, cron: null}, Date.UTC(2026, 0, 1, 0, 1)) // => Date.UTC(2026, 0, 1, 0, 5)
 */
export const nextSlot = (source: Source, now: number): number => {
  if (source.cron !== null) return nextOf(source.cron, source.zone, now) ?? now + neverPolled
  const every = pollEveryOf(source)
  return (Math.floor(now / every) + 1) * every
}

/**
 * The next slot of a source whose last poll was answered "unchanged" (304): twice the last wait, at most `stretch` times its
 * interval; any change brings it back to its own. A cron keeps its times.
 * @source field case B23 ("interval lengthened")
 */
export const restedSlot = (source: Source, now: number, unchanged: boolean, stretch: number): number => {
  const next = nextSlot(source, now)
  if (!unchanged || source.cron !== null || source.polled_at === null) return next
  const every = pollEveryOf(source)
  const last = Math.max(every, source.next_poll_at - source.polled_at)
  const wait = Math.min(2 * last, stretch * every)
  return next + (Math.max(1, Math.round(wait / every)) - 1) * every
}

/** The bound of a wait for a cron whose next time is far (ms). */
const cronWaitMax = 3_600_000

/** How long until a cron's next time in UTC, at most an hour; a text that is no cron never has one. */
export const untilCron = (text: string, now: number): number =>
  Math.min((nextOf(text, "UTC", now) ?? Number.POSITIVE_INFINITY) - now, cronWaitMax)

/** Is this text a cron expression in that zone, with a time to come after `now`? */
export const isCron = (text: string, zone: string, now = 0): boolean => nextOf(text, zone, now) !== null

/**
 * The poll of one slot. A slot that was missed (the crawler was off) is polled once, late, never several times.
 * `visit` numbers polls by their second, so that child sitemaps are polled anew each time; links of every poll older
 * than the source's backlog are left alone.
 */
export const pollJob = (source: Source, slot: number, backlog_ms: number, pagesMax = 1): CrawlJob => {
  const url = new URL(source.url)
  const paging = firstPaging(source, slot, pagesMax)
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
    retry_count: 0,
    ...(paging === null ? {} : { paging })
  }
}

/** The source whose poll this job is, by its first list page or a further one; null: it is no poll. */
export const polledBy = ({ id, source_id }: CrawlJob): string | null =>
  source_id !== null && id.startsWith(`${source_id}@`) ? source_id : null

/** Sources are polled by the minute at most: five fields, none for seconds. */
export const isSourceCron = (text: string, zone: string, now = 0): boolean =>
  text.trim().split(/\s+/).length === 5 && isCron(text, zone, now)
