import { Schema } from "effect"
import type { CrawlJob } from "./crawl.ts"
import type { Source } from "./source.ts"

/** Where a list page stands in its section. */
export const Paging = Schema.Struct({
  /** 1 is the first. */
  page: Schema.Int,
  /** The last one that may be read (max-pages of S3.21). */
  last: Schema.Int,
  /** Addresses of further pages, `{page}` for their number. */
  url: Schema.String,
  /** Links in a row, up to the end of the page before, that were known already. */
  streak: Schema.Int
})
export type Paging = typeof Paging.Type

/** What stands for a page's number, and for the day of a poll on the source's clocks. */
const pageMark = "{page}"
const dayMark = "{yyyyMMdd}"

export const hasPageMark = (template: string): boolean => template.includes(pageMark)

/** A list's further pages as a URL. @example pageUrl("https://a.kr/l?p={page}", 2) // => "https://a.kr/l?p=2" */
export const pageUrl = (template: string, page: number): string => template.replaceAll(pageMark, String(page))

/** The day of an instant on the clocks of a zone. @example dayIn(0, "Asia/Seoul") // => "19700101" */
export const dayIn = (at: number, zone: string): string => {
  const form = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" })
  return form.format(at).replaceAll("-", "")
}

/** The paging of a source's poll; null where its list has one page. `pagesMax`: CRAWL_MAX_PAGES. */
export const firstPaging = (
  { kind, max_pages, page_url, zone }: Source,
  slot: number,
  pagesMax: number
): Paging | null => {
  const last = max_pages ?? pagesMax
  if (kind !== "list" || page_url === null || last < 2) return null
  return { page: 1, last, url: page_url.replaceAll(dayMark, dayIn(slot, zone)), streak: 0 }
}

/** How long the row of known links is that a page ends with; one that was reached before holds. */
export const streakAfter = (known: ReadonlyArray<boolean>, before: number, stopAfter: number): number => {
  let streak = before
  for (const it of known) {
    if (streak >= stopAfter) return streak
    streak = it ? streak + 1 : 0
  }
  return streak
}

/**
 * The job of the next list page, or null: the section is read to its bound, its pages show no links any more, or as many in a
 * row as CRAWL_STOP_AFTER_SEEN_STREAK were known. Its id names source, slot and page: asked for twice it is one.
 * `known`: of the page's links in their order, each once.
 * @source S3.21
 */
export const nextPage = (job: CrawlJob, known: ReadonlyArray<boolean>, stopAfter: number): CrawlJob | null => {
  const { paging } = job
  if (paging === undefined || paging.page >= paging.last || known.length === 0) return null
  const streak = streakAfter(known, paging.streak, stopAfter)
  if (streak >= stopAfter) return null
  const page = paging.page + 1
  const url = pageUrl(paging.url, page)
  const poll = job.id.replace(/\.\d+$/u, "")
  return {
    ...job,
    id: `${poll}.${page}`,
    target: { ...job.target, url },
    host: URL.parse(url)?.hostname ?? job.host,
    paging: { ...paging, page, streak },
    retry_count: 0
  }
}
