import type { Millis } from "./crawl.ts"

/** Longest pause a host may ask for (ms): a typing error or a trap must not park a host for years. */
export const RETRY_AFTER_MAX_MS = 86_400_000

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT`. */
const FIXED = /^[a-z]{3,9},? +(\d{1,2})[ -]([a-z]{3})[ -](\d{2}|\d{4}) +(\d{2}):(\d{2}):(\d{2}) +(?:gmt|utc)$/i
/** The obsolete asctime form: `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^[a-z]{3} +([a-z]{3}) +(\d{1,2}) +(\d{2}):(\d{2}):(\d{2}) +(\d{4})$/i

/** Two-digit years lie at most 50 years ahead (RFC 9110 §5.6.7); in practice 1970–2069. */
const fullYear = (text: string): number => {
  const year = Number(text)
  return text.length === 4 ? year : year < 70 ? 2000 + year : 1900 + year
}

const instant = (parts: ReadonlyArray<string>): Millis | null => {
  const [year = "", month = "", day = "", hour = "", minute = "", second = ""] = parts
  const index = MONTHS.indexOf(month.toLowerCase())
  if (index < 0 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null
  const date = new Date(Date.UTC(fullYear(year), index, Number(day), Number(hour), Number(minute), Number(second)))
  return date.getUTCMonth() === index ? date.getTime() : null
}

/**
 * An HTTP date in any of its three forms; null when it is none.
 * @source RFC 9110 §5.6.7
 * @example httpDate("Sun, 06 Nov 1994 08:49:37 GMT") // => 784111777000
 */
export const httpDate = (text: string): Millis | null => {
  const fixed = FIXED.exec(text.trim())
  if (fixed !== null) {
    const [, day = "", month = "", year = "", ...time] = fixed
    return instant([year, month, day, ...time])
  }
  const old = ASCTIME.exec(text.trim())
  if (old === null) return null
  const [, month = "", day = "", hour = "", minute = "", second = "", year = ""] = old
  return instant([year, month, day, hour, minute, second])
}

/**
 * The wait (ms) a `Retry-After` header asks for, counted from `now`: whole seconds or an HTTP date, at least 0, at most a
 * day. null: no header, or one that says nothing.
 * @source RFC 9110 §10.2.3, field case B21
 * @example retryAfter("7", 0) // => 7000
 */
export const retryAfter = (header: string | null, now: Millis): number | null => {
  const text = header?.trim() ?? ""
  const wait = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : (httpDate(text) ?? Number.NaN) - now
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS)
}
