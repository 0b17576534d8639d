import type { Dated } from "./article.ts"
import { type Day, type DayFound, findDays, isDay } from "./dates/day.ts"
import { readRelative } from "./dates/relative.ts"
import { type Clock, findTime } from "./dates/time.ts"
import { countryZone, instantIn, wallIn, type Zone, zoneOf } from "./dates/zones.ts"

export { likelyCountry } from "./dates/country.ts"
export { dateInUrl } from "./dates/path.ts"

type Dated_ = typeof Dated.Type

/** A date may lie this far ahead of the fetch: clocks differ, and a morning edition is dated the evening before. */
export const AHEAD_MAX_MS = 24 * 3_600_000
/** Longest text looked at, in characters: a byline, never an article. */
const TEXT_MAX = 300
/** Dates before this year are placeholders (`0001-01-01`). */
const YEAR_MIN = 1900

export interface DateOptions {
  /** Instant of the fetch, ms: later dates are refused, relative ones hang on it. */
  readonly fetched_at: number
  /** IANA zone of the host's rule or source, for dates that state none. */
  readonly zone?: string
  /** ISO 3166 code: order of day and month, default zone, month names. */
  readonly country?: string
  /** Read "3시간 전" and dates without a year too: only for text known to be a byline (field case B55). */
  readonly relative?: boolean
  /** Who states the date; goes into the result. */
  readonly source: string
}

const DIGIT_ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0be6, 0x0e50]

const asciiDigits = (text: string): string =>
  text.replace(/[^\u0000-\u007f]/g, (char) => {
    const zero = DIGIT_ZEROS.find((it) => char.charCodeAt(0) >= it && char.charCodeAt(0) <= it + 9)
    return zero === undefined ? char : String(char.charCodeAt(0) - zero)
  })

const cleaned = (text: string): string =>
  asciiDigits(
    text
      .slice(0, TEXT_MAX)
      .normalize("NFKC")
      .replace(/[\u200b-\u200f\u202a-\u202e\ufeff\u00ad]/g, "")
  )
    .replace(/\s+/g, " ")
    .replace(/(\d) นาฬิกา (\d\d) นาที(?: (\d\d) วินาที)?/, "$1:$2")
    .trim()

const iso = (instant: number): string => new Date(instant).toISOString().replace(".000Z", "Z")

/** A wall time (ms as if UTC); without a time of day it is the day's first ms. */
interface Wall {
  readonly at: number
  readonly precision: Dated_["precision"]
}

/** An instant and the offset of the clocks it was read from: null where nothing tells it. */
interface Placed {
  readonly instant: number
  readonly offset_minutes: number | null
}

const dated = (
  { instant, offset_minutes }: Placed,
  precision: Dated_["precision"],
  zone_source: Dated_["zone_source"],
  { fetched_at, source }: DateOptions
): Dated_ | null => {
  const inRange = instant <= fetched_at + AHEAD_MAX_MS && instant >= Date.UTC(YEAR_MIN, 0, 1)
  if (!Number.isFinite(instant) || !inRange) return null
  return { at: iso(instant), offset_minutes, precision, zone_source, source }
}

/**
 * A day without a time of day has no instant of its own: the first one that has this date both on the page's clocks and
 * in UTC stands for it, so that nobody who compares days is led to the day before.
 */
const placedAt = (wall: Wall, local: number): Placed => ({
  instant: wall.precision === "day" ? Math.max(wall.at, local) : local,
  offset_minutes: Math.round((wall.at - local) / 60_000)
})

const inRegion = (region: string | undefined, wall: Wall): Placed | null => {
  const local = region === undefined ? null : instantIn(region, wall.at)
  return local === null ? null : placedAt(wall, local)
}

const inZone = (zone: Zone, wall: Wall): Placed | null =>
  "minutes" in zone ? placedAt(wall, wall.at - zone.minutes * 60_000) : inRegion(zone.region, wall)

/** Only one country writes its dates in this script. */
const scriptCountry = (text: string): string | undefined => (/[\uac00-\ud7a3]/.test(text) ? "kr" : undefined)

const place = (wall: Wall, stated: Zone | null, text: string, options: DateOptions): Dated_ | null => {
  if (stated !== null) {
    const placed = inZone(stated, wall)
    return placed === null ? null : dated(placed, wall.precision, "explicit", options)
  }
  const ruled = inRegion(options.zone, wall)
  if (ruled !== null) return dated(ruled, wall.precision, "rule", options)
  const local = inRegion(countryZone(options.country ?? scriptCountry(text)), wall)
  return local === null
    ? dated({ instant: wall.at, offset_minutes: null }, wall.precision, "assumed", options)
    : dated(local, wall.precision, "country", options)
}

const wallOf = (day: Day, clock: Clock | null): Wall => {
  const time = clock ?? { hour: 0, minute: 0, second: 0, ms: 0 }
  const at = Date.UTC(day.year, day.month - 1, day.day, time.hour, time.minute, time.second, time.ms)
  return { at, precision: clock === null ? "day" : "time" }
}

/** An instant that is counted, not written: its offset is that of the place's clocks then. */
const counted = (instant: number, text: string, options: DateOptions): Dated_ | null => {
  const region = options.zone ?? countryZone(options.country ?? scriptCountry(text))
  const wall = region === undefined ? null : wallIn(region, Math.floor(instant / 1000) * 1000)
  const offset = wall === null ? null : Math.round((wall - Math.floor(instant / 1000) * 1000) / 60_000)
  return dated({ instant, offset_minutes: offset }, "time", "explicit", options)
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,:](\d{1,9}))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?|[A-Za-z]{3,5})?(?:\[[\w/]+\])?$/i

/** The commonest form by far, and one whose broken variants must not be read halfway. */
const byIso = (text: string, options: DateOptions): Dated_ | null | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}(?:[T\w-]|$| \d)/.test(text)) return undefined
  const match = ISO.exec(text)
  if (match === null) return /^\d{4}-\d{2}-\d{2} /.test(text) ? undefined : null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((it) => Number(it ?? 0))
  const ms = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000)
  if (!isDay({ year, month, day }) || hour > 24 || minute > 59 || second > 59) return null
  const zone = match[8] === undefined ? null : zoneOf(match[8], options.country)
  if (match[8] !== undefined && zone === null) return null
  if (match[4] === undefined && match[8] !== undefined && !/^Z$|:/i.test(match[8])) return null
  const clock = match[4] === undefined ? null : { hour, minute, second, ms }
  return place(wallOf({ year, month, day }, clock), zone, text, options)
}

/** `2026-02`, and in feeds `2026`, name a first day. */
const byMonth = (text: string, options: DateOptions): Dated_ | null => {
  const [, year, month] = /^((?:19|20)\d{2})(?:[-./](\d{1,2}))?$/.exec(text) ?? []
  if (year === undefined || (month === undefined && options.source !== "feed")) return null
  const day = { year: Number(year), month: Number(month ?? 1), day: 1 }
  return isDay(day) ? place(wallOf(day, null), null, text, options) : null
}

const byEpoch = (text: string, options: DateOptions): Dated_ | null | undefined => {
  if (!/^\d{10}(?:\d{3})?(?:\.\d+)?$/.test(text)) return undefined
  const value = Number(text)
  return counted(Math.floor(text.replace(/\..*/, "").length === 10 ? value * 1000 : value), text, options)
}

/** Readings of one found date in order of preference: the first that is a day of the calendar and not ahead wins. */
const readDay = (found: DayFound, text: string, options: DateOptions): Dated_ | null => {
  const time = findTime(text, found, options.country)
  if (time === "broken") return null
  for (const day of found.days) {
    if (!isDay(day)) continue
    const it = place(wallOf(day, time?.clock ?? null), time?.zone ?? null, text, options)
    if (it !== null) return it
  }
  return null
}

/**
 * Reads a date as people, feeds and metadata write it, in some forty languages. A form without a zone is placed by the
 * rule's zone, else the country's, else UTC; `zone_source` says which. `precision` tells a day from an instant. `null` for what is no date, no day of the
 * calendar (30 February) or more than a day ahead of the fetch. Never depends on the zone of this process.
 * @source S3.6; field cases B7, B9, B11, B55; bad input B100; RFC 822 §5, RFC 3339
 * @example parseDate("2026. 2. 10. 오전 10:58", { fetched_at, country: "KR", source: "text" }) // at 2026-02-10T01:58:00Z
 */
export const parseDate = (input: string, options: DateOptions): Dated_ | null => {
  const text = cleaned(input)
  if (!/\d/.test(text) && options.relative !== true) return null
  const exact = byIso(text, options)
  if (exact !== undefined) return exact
  const epoch = byEpoch(text, options)
  if (epoch !== undefined) return epoch
  const [found] = findDays(text, options)
  if (found !== undefined) return readDay(found, text, options)
  if (options.relative === true) {
    const instant = readRelative(text, options)
    if (instant !== null) return counted(instant, text, options)
  }
  return byMonth(text, options)
}
