/** A path segment may stand twice (`/news/world/news`), a third time is a loop (field case B17). */
const REPEATS_MAX = 2
/** Longest URL that a site writes on purpose. */
const URL_CHARS_MAX = 2048
/** Deepest path that a site writes on purpose; archives go to 8. */
const SEGMENTS_MAX = 16
/** Highest page number followed: beyond it a list is generated (B079). */
const PAGE_MAX = 10_000

const count = <A>(items: ReadonlyArray<A>, item: A): number => items.filter((it) => it === item).length

/** Short numbers are dates and counters (`/2011/11/11/11`), so they may repeat. */
const isCounter = (segment: string) => /^\d{1,2}$/.test(segment)

const hasPageOver = (query: string): boolean =>
  [...query.matchAll(/(?:^|[?&])(?:p|pg|page|paged|pageno|start|offset)=(\d+)/gi)].some(
    ([, it]) => Number(it) > PAGE_MAX
  )

/**
 * Why a URL looks generated without end, or `null`. The answer becomes the evidence of verdict `trap`.
 * @source field case B17, bad input B079
 */
export const trapReason = (url: string): string | null => {
  if (url.length > URL_CHARS_MAX) return "too_long"
  const parsed = URL.parse(url)
  if (parsed === null) return null
  const segments = parsed.pathname.split("/").filter((it) => it !== "")
  if (segments.length > SEGMENTS_MAX) return "too_deep"
  if (segments.some((it) => !isCounter(it) && count(segments, it) > REPEATS_MAX)) return "repeated_segments"
  if (/(?:amp(?:;|%3B)){2,}/i.test(parsed.search)) return "repeated_entities"
  const calendar = parsed.pathname.match(/\/(?:19|20)\d\d[/-]\d{1,2}(?:[/-]\d{1,2})?(?=\/|$)/g) ?? []
  if (calendar.length > REPEATS_MAX) return "calendar"
  const keys = [...parsed.searchParams.keys()]
  if (keys.some((it) => !it.endsWith("[]") && count(keys, it) > REPEATS_MAX * 5)) return "repeated_parameters"
  return hasPageOver(parsed.search) ? "page_number" : null
}
