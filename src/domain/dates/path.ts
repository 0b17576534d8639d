import { isDay } from "./day.ts"

const FORMS: ReadonlyArray<RegExp> = [
  /\/((?:19|20)\d{2})[/_.-](\d{1,2})[/_.-](\d{1,2})(?=[/_.-]|$)/,
  /(?:^|[/_.-])((?:19|20)\d{2})-(\d{2})-(\d{2})(?=[/_.-]|$)/,
  /\/((?:19|20)\d{2})\/(\d{2})(\d{2})(?=[/_.-]|$)/,
  /[/_.-]((?:19|20)\d{2})(\d{2})(\d{2})(?=[/_.-]|$)/,
  // Agencies number their stories after the day: `AKR20260210001000`.
  /\/[A-Za-z]{0,5}((?:19|20)\d{2})(\d{2})(\d{2})(?:\d{3,}|_\d+)(?=[/_.-]|$)/,
  /[?&](?:date|d|ymd|pubdate)=((?:19|20)\d{2})-?(\d{2})-?(\d{2})/
]
/** Day first: `/08112021-a-slug`, `/29-10-2021`, `/~02-01-2022-a-slug`. */
const DAY_FIRST = [
  /\/~?(\d{2})(\d{2})((?:19|20)\d{2})(?=-[a-z]|$)/i,
  /\/~?(\d{2})[-._](\d{2})[-._]((?:19|20)\d{2})(?=[-_][a-z]|\/?$)/i
]
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const pad = (value: number): string => String(value).padStart(2, "0")

/**
 * The day that a URL's path carries (`/2026/02/10/`, `/20260210001`, `/2026/feb/10/`), as `YYYY-MM-DD`; `null` when there
 * is none or it is no day of the calendar. A day has no zone; whether it lies ahead is for `parseDate` to see.
 */
export const dateInUrl = (url: string): string | null => {
  const parsed = URL.parse(url)
  const text = parsed === null ? url : `${parsed.pathname}${parsed.search}`
  const months = text.replace(
    /\/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\/(?=\d)/i,
    (_, name: string) => {
      return `/${pad(MONTHS.indexOf(name.toLowerCase()) + 1)}/`
    }
  )
  for (const form of FORMS) {
    const match = form.exec(months)
    const [year = 0, month = 0, day = 0] = match?.slice(1, 4).map(Number) ?? []
    if (match !== null && isDay({ year, month, day })) return `${year}-${pad(month)}-${pad(day)}`
  }
  for (const form of DAY_FIRST) {
    const match = form.exec(months)
    const [day = 0, month = 0, year = 0] = match?.slice(1, 4).map(Number) ?? []
    if (match !== null && isDay({ year, month, day })) return `${year}-${pad(month)}-${pad(day)}`
  }
  return null
}
