import type { DayFound } from "./day.ts"
import { plain } from "./months.ts"
import { type Zone, zoneOf } from "./zones.ts"

export interface Clock {
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly ms: number
}

export interface TimeFound {
  readonly clock: Clock
  readonly zone: Zone | null
}

/** How far after (or before) a date its time may stand, in characters without a digit: "Uhrzeit:", "à", weekday names. */
const GAP_MAX = 24

const MORNING =
  "a\\.?\\s?m\\.?|오전|새벽|아침|午前|上午|凌晨|早上|清晨|朝|π\\.?\\s?μ\\.?|ص|पूर्वाह्न|de\\.|p\\.d\\.|pg(?![a-z])"
const EVENING = "p\\.?\\s?m\\.?|오후|저녁|밤|낮|午後|下午|晚上|傍晚|中午|夜|μ\\.?\\s?μ\\.?|م|अपराह्न|du\\.|m\\.d\\.|ptg"
const HALF = `(?:${MORNING}|${EVENING})`
const evening = new RegExp(`^(?:${EVENING})$`, "iu")

/** Hour and minute with any of the world's separators; hour alone only with a word that says it is one. */
const TIME = new RegExp(
  `(${HALF})?\\s*(?<![\\d.])(\\d{1,2})(?:` +
    `\\s*(?::|시|時|时|点|點|h(?![a-gi-z])|\\bч\\b)\\s*(\\d{2}|\\d(?=\\s*[분分]))(?:\\s*(?::|분|分|′|m(?![a-z]))\\s*(\\d{2})(?:\\s*[초秒])?(?:[.,:](\\d{1,9}))?)?(?:\\s*[분分])?` +
    `|\\.(\\d{2})(?:\\.(\\d{2}))?(?![\\d.]*\\d)` +
    `|(?=\\s*(?:시|時|时|点|點|h\\b|uhr\\b|uur\\b|${HALF}(?![\\p{L}])))` +
    `)(?:\\s*(?:시|時|时|点|點|h\\b|uhr\\b|uur\\b|hrs?\\b))?\\s*(${HALF}(?![\\p{L}]))?`,
  "iu"
)

const hourOf = (hour: number, half: string | undefined): number => {
  if (half === undefined) return hour
  const isEvening = evening.test(half.trim())
  if (isEvening) return hour < 12 && !(half === "밤" && hour < 6) ? hour + 12 : hour
  return hour === 12 ? 0 : hour
}

const ZONE = new RegExp(
  "^[\\s,]*\\(?\\s*(" +
    "(?:UTC|GMT)\\s*[+\\-−]\\s*\\d{1,2}(?::?\\d{2})?" +
    "|[+\\-−]\\d{2}:?\\d{2}(?!\\d)" +
    "|[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?[+-]?\\d*" +
    "|한국시[간각]|日本時間|北京时间|北京時間|МСК|мск" +
    "|[A-Z]{1,5}(?![A-Za-z])|[a-z]{3,4}(?![A-Za-z]))",
  "u"
)

/** A sign that promises an offset and does not keep it: the whole date is doubtful. */
const BROKEN_ZONE = /^\s?[+-](?:\w\w:|\d{4})/
/** Milliseconds of a fraction of any length. */
const fraction = (digits: string | undefined): number => Math.floor(Number(`0.${digits ?? 0}`) * 1000)

const readZone = (rest: string, country: string | undefined): Zone | null | "broken" => {
  const glued = /^[+-]\d{2}(?![\d:\p{L}])/u.exec(rest)?.[0]
  const text = ZONE.exec(rest)?.[1] ?? glued
  const zone = text === undefined ? null : zoneOf(text, country)
  return zone === null && BROKEN_ZONE.test(rest) ? "broken" : zone
}

const readClock = (match: RegExpExecArray): Clock | null => {
  const half = match[1] ?? match[8]
  const hour = hourOf(Number(match[2]), half)
  const minute = Number(match[3] ?? match[6] ?? 0)
  const second = Number(match[4] ?? match[7] ?? 0)
  const isRight = (hour < 24 || (hour === 24 && minute === 0 && second === 0)) && minute < 60 && second < 60
  return isRight ? { hour, minute, second, ms: fraction(match[5]) } : null
}

const readTime = (text: string, country: string | undefined): TimeFound | null | "broken" => {
  const ahead = /^[^\dA-Z:]{0,12}((?:GMT|UTC)\s?[+-]\d{1,2}(?::\d{2})?)\s+(?=\d)/.exec(text)
  if (ahead !== null) {
    const inner = readTime(text.slice(ahead[0].length), country)
    return inner === null || inner === "broken" ? inner : { ...inner, zone: zoneOf(ahead[1] ?? "", country) }
  }
  const match = TIME.exec(text)
  const gap = match === null ? "" : text.slice(0, match.index)
  if (match === null || gap.length > GAP_MAX || /\d/.test(gap)) return null
  const rest = text.slice(match.index + match[0].length)
  const clock = readClock(match)
  if (clock === null || /^:\d/.test(rest)) return "broken"
  const zone = readZone(rest, country)
  return zone === "broken" ? "broken" : { clock, zone }
}

const COMPACT = /^T?(\d{2}):?(\d{2}):?(\d{2})?(?:\.(\d+))?(Z|[+-]\d{2}:?\d{2})?(?!\d)/

const readCompact = (text: string, country: string | undefined): TimeFound | null | "broken" => {
  const match = COMPACT.exec(text)
  if (match === null) return null
  const [hour = 0, minute = 0, second = 0] = match.slice(1, 4).map((it) => Number(it ?? 0))
  if (hour > 23 || minute > 59 || second > 59) return "broken"
  return {
    clock: { hour, minute, second, ms: fraction(match[4]) },
    zone: match[5] === undefined ? null : zoneOf(match[5], country)
  }
}

/** A zone may stand after a date without a time (`Thu, 01 Jan 2004 GMT`): it would not move the day, so it is not read. */
const before = (text: string, found: DayFound, country: string | undefined): TimeFound | null => {
  const head = text.slice(Math.max(0, found.start - GAP_MAX), found.start)
  const match =
    /(?:^|[^\d.:])(\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?(?:\s*\(?[A-Z]{2,4}(?:[+-]\d{1,2})?\)?)?)[^\d]*$/i.exec(
      head
    )?.[1]
  const time = match === undefined ? null : readTime(match, country)
  return time === "broken" ? null : time
}

/** The time that belongs to a date: right after it, inside it, or just before. `broken`: there is one, and it is wrong. */
export const findTime = (text: string, found: DayFound, country: string | undefined): TimeFound | null | "broken" => {
  if (found.inner !== undefined) return readTime(found.inner, country) ?? "broken"
  const rest = text.slice(found.end)
  const compact = /^T?\d{2}/.test(rest) ? readCompact(rest, country) : null
  if (compact !== null) return compact
  const time = readTime(rest.replace(/^[T:]/, " "), country)
  if (time !== null) return time
  return /^[\sT]\d{1,2}:\d/.test(rest) ? "broken" : before(text, found, country)
}

/** A bare time of day anywhere in a text ("어제 14:20"), for relative days. */
export const bareTime = (text: string): Clock | null => {
  const time = readTime(text.replace(/^\D{0,40}/, " "), undefined)
  return time === null || time === "broken" || plain(text) === "" ? null : time.clock
}
