import { monthOf } from "./months.ts"

export interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** A date in a text: its readings, best first, and where it stands. */
export interface DayFound {
  readonly days: ReadonlyArray<Day>
  readonly start: number
  readonly end: number
  /** A time (and zone) written inside the date, as `asctime` does. */
  readonly inner?: string
}

export interface DayOptions {
  readonly fetched_at: number
  readonly zone?: string
  readonly country?: string
  readonly relative?: boolean
}

/** Is it a day of the calendar? `Date` would roll 30 February over. */
export const isDay = ({ year, month, day }: Day): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()

const MONTH_FIRST = new Set(["us", "ph", "pr", "gu", "fm", "mh", "pw", "bz"])
const YEAR_FIRST = new Set(["kr", "jp", "cn", "tw", "hu", "lt", "mn", "kp"])
const US_ZONE = /^(?:US\/|America\/(?:New_York|Chicago|Denver|Los_Angeles|Phoenix|Detroit|Anchorage|Indiana))/

/** Two digits that read as a year before the web are more likely a day. */
const WEB_BEGINS = 1990

const century = (year: number, options: DayOptions): number => {
  if (year >= 100) return year
  const now = new Date(options.fetched_at).getUTCFullYear()
  const full = now - (now % 100) + year
  return full > now + 1 ? full - 100 : full
}

/** Hangul is written in one country. */
const countryOf = (text: string, options: DayOptions): string =>
  options.country?.toLowerCase() ?? (/[\uac00-\ud7a3]/.test(text) ? "kr" : "")

/** Thai years count from the Buddhist era, also in two digits. */
const yearOf = (year: number, country: string, options: DayOptions): number => {
  if (year > 2400) return year - 543
  return country === "th" && year < 100 ? 2500 + year - 543 : century(year, options)
}

/** Three bare numbers: which is what, in the order the country prefers. `digits` are those of the last. */
const ordered = (
  a: number,
  b: number,
  c: number,
  digits: number,
  text: string,
  options: DayOptions
): ReadonlyArray<Day> => {
  const country = countryOf(text, options)
  const year = yearOf(c, country, options)
  const dayFirst = { year, month: b, day: a }
  const monthFirst = { year, month: a, day: b }
  const yearFirst = digits === 4 ? [] : [{ year: century(a, options), month: b, day: c }]
  // `1.2.3` is a version, unless this is a country that writes its years so.
  if (digits === 1) return YEAR_FIRST.has(country) && a > 12 ? yearFirst : []
  const american =
    MONTH_FIRST.has(country) || (country === "" && (US_ZONE.test(options.zone ?? "") || /\d\s*[ap]\.?m\b/i.test(text)))
  const rest = american ? [monthFirst, dayFirst] : [dayFirst, monthFirst]
  const all = YEAR_FIRST.has(country) ? [...yearFirst, ...rest] : [...rest, ...yearFirst]
  return all.toSorted((x, y) => Number(x.year < WEB_BEGINS) - Number(y.year < WEB_BEGINS))
}

/** A date without a year is the latest such day that is not ahead. */
const yearless = (month: number, day: number, options: DayOptions): ReadonlyArray<Day> => {
  const year = new Date(options.fetched_at).getUTCFullYear()
  return [year + 1, year, year - 1].map((it) => ({ year: it, month, day }))
}

type Reader = (match: RegExpExecArray, text: string, options: DayOptions) => ReadonlyArray<Day>

interface Form {
  readonly pattern: RegExp
  readonly read: Reader
  readonly onlyByline?: boolean
  /** Holds the name of a month: not tried on a text without one. */
  readonly isNamed?: boolean
  readonly inner?: (match: RegExpExecArray) => string
}

const number = (text: string | undefined): number => Number(text ?? Number.NaN)

const ERAS: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 昭和: 1925, 民國: 1911, 民国: 1911, พ: -543 }

const WORD = "([\\p{L}\\p{M}][\\p{L}\\p{M}.॰׳]*?)"
const ORDINAL = "(?:st|nd|rd|th|er|re|[ºª°]|de|-?(?:го|е|й|ого))?"
const LINK =
  "(?:\\s*(?:\\bof|\\bthe|\\bdel?|\\bdi|\\bden|\\bda|\\bdo|\\ba|\\bm\\.|\\bgada|\\bг\\.?|թ\\.?|ที่)(?=[\\s\\d])|\\s*\\bd['’])?"
const SEP = "[\\s.,،/-]*"
const YEAR = "((?:19|20|25)\\d{2}|0?\\d{3,4})"

const named = (year: string | undefined, word: string | undefined, day: string | undefined, options: DayOptions) => {
  const month = monthOf(word ?? "", options.country)
  return month === null ? [] : [{ year: yearOf(number(year), "", options), month, day: number(day) }]
}

const forms: ReadonlyArray<Form> = [
  {
    pattern:
      /(令和|平成|昭和|民國|民国)?\s*(?<!\d)(\d{1,4}|元)\s*[년年]\s*(\d{1,2})\s*[월月]\s*(\d{1,2})\s*[일日号號]?/gu,
    read: (match, _, options) => {
      const base = ERAS[match[1] ?? ""]
      const year = match[2] === "元" ? 1 : number(match[2])
      return [
        {
          year: base === undefined ? century(year, options) : base + year,
          month: number(match[3]),
          day: number(match[4])
        }
      ]
    }
  },
  {
    pattern: /(?<![\d.])((?:19|20)\d{2})\s?[./\-年]\s?(\d{1,2})\s?[./-]\s?(\d{1,2})(?!\d)/gu,
    read: (match) => [{ year: number(match[1]), month: number(match[2]), day: number(match[3]) }]
  },
  {
    pattern: /(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?=T?\d{2}:?\d{2}(?::?\d{2})?(?!\d)|(?![\d]))/gu,
    read: (match) => [{ year: number(match[1]), month: number(match[2]), day: number(match[3]) }]
  },
  {
    pattern: /(?<![\d.:])(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4}|\d{1,2}(?!:\d))(?!\d|\.\d\d[.:])/gu,
    read: (match, text, options) =>
      ordered(number(match[1]), number(match[2]), number(match[3]), match[3]?.length ?? 0, text, options)
  },
  {
    pattern: /(?<!\d)(\d{1,2})\s*(?:tháng|thg)\s*(\d{1,2})(?:\s*,?\s*năm)?\s*,?\s*(\d{4})/giu,
    read: (match) => [{ year: number(match[3]), month: number(match[2]), day: number(match[1]) }]
  },
  {
    // asctime and what Java prints: `Thu Jan 29 11:35:00 KST 2026`.
    pattern: new RegExp(
      `(?<![\\p{L}\\p{M}])${WORD}\\s+(\\d{1,2})\\s+(\\d{1,2}:\\d{2}(?::\\d{2})?(?:\\s+[A-Z+-][\\w:+-]*)?)\\s+(\\d{4})(?!\\d)`,
      "gu"
    ),
    read: (match, _, options) => named(match[4], match[1], match[2], options),
    inner: (match) => match[3] ?? "",
    isNamed: true
  },
  {
    pattern: new RegExp(
      `(?<![\\d:])(\\d{1,2})${ORDINAL}${LINK}${SEP}${WORD}${LINK}${SEP}(?:พ\\.?ศ\\.?\\s*)?${YEAR}(?!\\d)`,
      "giu"
    ),
    read: (match, _, options) => named(match[3], match[2], match[1], options),
    isNamed: true
  },
  {
    pattern: new RegExp(`(?<![\\d:])(\\d{1,2})[\\s.-]+${WORD}[\\s.,'’-]+(\\d{2})(?![\\d:])`, "giu"),
    read: (match, _, options) => named(match[3], match[2], match[1], options),
    isNamed: true
  },
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{M}])${WORD}${LINK}${SEP}(\\d{1,2})${ORDINAL}${LINK}[\\s,،.]+${YEAR}(?!\\d)`,
      "giu"
    ),
    read: (match, _, options) => named(match[3], match[1], match[2], options),
    isNamed: true
  },
  {
    pattern: new RegExp(`(?<!\\d)${YEAR}(?:\\(?e?\\)?ko)?${LINK}${SEP}${WORD}${SEP}(\\d{1,2})(?!\\d)`, "giu"),
    read: (match, _, options) => named(match[1], match[2], match[3], options),
    isNamed: true
  },
  {
    // Mongolian names the year, the number of the month and the day.
    pattern: /(?<!\d)(\d{4})\s*оны\s*(\d{1,2})(?:-?р)?\s*сарын\s*(\d{1,2})/gu,
    read: (match) => [{ year: number(match[1]), month: number(match[2]), day: number(match[3]) }]
  },
  {
    // Latvian puts the year first and the day before the month.
    pattern: new RegExp(`(?<!\\d)${YEAR}[.\\s]*(?:gada)\\s*(\\d{1,2})\\.?\\s*${WORD}(?![\\p{L}\\p{M}])`, "giu"),
    read: (match, _, options) => named(match[1], match[3], match[2], options),
    isNamed: true
  },
  {
    pattern: /(?<![\d.:])(\d{1,2})[./-](\d{1,2})\.?(?=\s*(?:\(.\))?\s*\d{1,2}:\d{2}|$)/gu,
    read: (match, text, options) => {
      const [first, second] = [number(match[1]), number(match[2])]
      const country = countryOf(text, options)
      const isMonthFirst = YEAR_FIRST.has(country) || MONTH_FIRST.has(country)
      return isMonthFirst ? yearless(first, second, options) : yearless(second, first, options)
    },
    onlyByline: true
  },
  {
    pattern: /(?<!\d)(\d{1,2})\s*[월月]\s*(\d{1,2})\s*[일日]/gu,
    read: (match, _, options) => yearless(number(match[1]), number(match[2]), options),
    onlyByline: true
  },
  {
    pattern: new RegExp(`(?<![\\d:])(\\d{1,2})${ORDINAL}${LINK}[\\s.]+${WORD}(?![\\p{L}\\p{M}])`, "giu"),
    read: (match, _, options) => {
      const month = monthOf(match[2] ?? "", options.country)
      return month === null ? [] : yearless(month, number(match[1]), options)
    },
    onlyByline: true,
    isNamed: true
  },
  {
    pattern: new RegExp(`(?<![\\p{L}\\p{M}])${WORD}\\.?\\s+(\\d{1,2})${ORDINAL}(?![\\d:])`, "giu"),
    read: (match, _, options) => {
      const month = monthOf(match[1] ?? "", options.country)
      return month === null ? [] : yearless(month, number(match[2]), options)
    },
    onlyByline: true,
    isNamed: true
  }
]

/** All places where a form matches and reads as some date: a word beside a number is often no month. */
const scan = (form: Form, text: string, options: DayOptions): ReadonlyArray<DayFound> => {
  const { pattern } = form
  const found: Array<DayFound> = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const days = form.read(match, text, options)
    const inner = form.inner?.(match)
    const span = { days, start: match.index, end: match.index + match[0].length }
    if (days.length > 0) found.push(inner === undefined ? span : { ...span, inner })
    pattern.lastIndex = match.index + 1
  }
  return found
}

const hasMonth = (text: string, options: DayOptions): boolean =>
  text
    .match(/[\p{L}\p{M}.॰׳]{2,}/gu)
    ?.some((it) =>
      it.split(/(?<=\p{L}\p{L})\.(?=\p{L}\p{L})/u).some((word) => monthOf(word, options.country) !== null)
    ) ?? false

const scanAll = (tried: ReadonlyArray<Form>, text: string, options: DayOptions): ReadonlyArray<DayFound> =>
  tried.flatMap((it) => scan(it, text, options)).toSorted((a, b) => a.start - b.start)

const certain = forms.filter((it) => it.onlyByline !== true)
const bylines = forms.filter((it) => it.onlyByline === true)
const numbers = (tried: ReadonlyArray<Form>) => tried.filter((it) => it.isNamed !== true)

/** The dates of a text in the order they are written; of two forms at one place the first of the table. */
export const findDays = (text: string, options: DayOptions): ReadonlyArray<DayFound> => {
  const isNamed = hasMonth(text, options)
  const found = scanAll(isNamed ? certain : numbers(certain), text, options)
  if (found.length > 0 || options.relative !== true) return found
  return scanAll(isNamed ? bylines : numbers(bylines), text, options)
}
