import type { Dated } from "../article.ts"
import { type DateOptions, parseDate } from "../dates.ts"
import { countryZone, wallIn } from "./zones.ts"

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** No clocks are further from UTC, in minutes; those that matter differ from it by whole half hours. */
const AHEAD_MAX = 14 * 60
const BEHIND_MAX = -12 * 60
const STEP = 30

const minuteOf = (at: string): number => Math.floor(Date.parse(at) / MINUTE_MS)

/** How far the clocks that show `shown` (read as if in UTC) are ahead of UTC, if they show the instant of `stamp`. */
const offsetOf = (stamp: Dated, shown: Dated, country: string | undefined): number | null => {
  if (shown.precision === "day") {
    const region = countryZone(country)
    const instant = minuteOf(stamp.at) * MINUTE_MS
    const wall = region === undefined ? null : wallIn(region, instant)
    const isThatDay = wall !== null && Math.floor(wall / DAY_MS) === Math.floor(Date.parse(shown.at) / DAY_MS)
    return isThatDay ? Math.round((wall - instant) / MINUTE_MS) : null
  }
  const away = minuteOf(shown.at) - minuteOf(stamp.at)
  if (shown.zone_source === "explicit") return away === 0 ? shown.offset_minutes : null
  return away % STEP === 0 && away >= BEHIND_MAX && away <= AHEAD_MAX ? away : null
}

/**
 * A stamp in UTC says when, but not on which day of the page's own clocks. Where a date that the page shows is the same
 * instant on clocks of some zone, or the day of that instant in the page's country, these are the page's clocks.
 */
export const onClocksOf = (stamp: Dated, shown: () => ReadonlyArray<string>, options: DateOptions): Dated => {
  if (stamp.offset_minutes !== 0 || stamp.precision !== "time") return stamp
  for (const text of shown()) {
    const wall = parseDate(text, { ...options, zone: "UTC", relative: false })
    const offset = wall === null ? null : offsetOf(stamp, wall, options.country)
    if (offset !== null) return { ...stamp, offset_minutes: offset }
  }
  return stamp
}
