import { plain } from "./months.ts"
import { bareTime } from "./time.ts"
import { countryZone, instantIn, wallIn } from "./zones.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY
/** "A month ago" is a round figure everywhere. */
const MONTH = 30 * DAY
const YEAR = 365 * DAY

/** Beginnings of unit words; the longest that fits wins, so `mo` is not `m`. */
const UNITS: ReadonlyArray<readonly [ms: number, stems: string]> = [
  [SECOND, "초 秒 s sec second seconde sekund segundo secondi saniye giay detik сек δευτερολ ثانية"],
  [MINUTE, "분 分 m min minute minut minuto minuti dakika dk phut menit мин хвилин minuutti λεπτ دقيق"],
  [
    HOUR,
    "시간 時間 小时 小時 h hr hour stunde std heure hora ore ora uur godzin saat tim time gio jam час годин tunti tuntia hodin ωρ ساع שעות"
  ],
  [DAY, "일 日 天 d day tag jour dia giorn dag dni dzien gun ngay hari дн ден день paiva den dny ημερ يوم ايام"],
  [WEEK, "주 週 周 w week woche semaine semana settiman vecka uke uge tydz tygodn hafta tuan minggu недел тижн"],
  [
    MONTH,
    "개월 달 か月 ヶ月 个月 個月 mo month monat mois mes mese mesi maand miesi ay thang bulan месяц місяц maned manad"
  ],
  [YEAR, "년 年 y yr year jahr an ans ano anni anno jaar rok lat yil nam tahun год лет рок ar"]
]

const stems: ReadonlyArray<readonly [stem: string, ms: number]> = UNITS.flatMap(([ms, words]) =>
  words.split(" ").map((it) => [plain(it), ms] as const)
).sort(([a], [b]) => b.length - a.length)

const AGO =
  /전|前|\bago\b|\bvor\b|\bil y a\b|\bhace\b|\bha\b|\batras\b|\bfa\b|\bgeleden\b|\btemu\b|назад|тому|\bonce\b|\bsedan\b|\bsiden\b|\btruoc\b|\blalu\b|\bsitten\b|\bpred\b|\bacum\b|πριν|منذ|قبل|לפני/u
const ONE = /(?<!\p{L})(?:an?|one|ein(?:e[mr]?)?|une?|una?|uno|um|uma|een|en|et)\s+/u

const NOW = /방금|지금 막|\bjust now\b|たった今|刚刚|剛剛|\bgerade eben\b|\ba l'instant\b|\badesso\b|только что/u
const TODAY =
  /^(?:오늘|today|heute|aujourd'hui|hoy|oggi|hoje|vandaag|dzisiaj|dzis|сегодня|bugun|i dag|idag|今日|今天|hom nay|dnes|tanaan)(?!\p{L})/u
const YESTERDAY =
  /^(?:어제|yesterday|gestern|hier|ayer|ieri|ontem|gisteren|wczoraj|вчера|dun|i gar|igar|昨日|昨天|hom qua|vcera|eilen)(?!\p{L})/u

export interface RelativeOptions {
  readonly fetched_at: number
  readonly zone?: string
  readonly country?: string
}

const spanOf = (text: string): number | null => {
  for (const [, amount, word] of text.replace(ONE, "1 ").matchAll(/(\d{1,4})\s*(\p{L}+)/gu)) {
    const unit = stems.find(([stem]) =>
      stem.length === 1 && /[a-z]/.test(stem) ? word === stem : word?.startsWith(stem)
    )
    if (unit !== undefined) return Number(amount) * unit[1]
  }
  return null
}

/** A list shows the articles of the running day by their time alone. */
const BARE_TIME = /^\d{1,2}:\d{2}$/

const dayOf = (text: string): number | null =>
  TODAY.test(text) || BARE_TIME.test(text) ? 0 : YESTERDAY.test(text) ? 1 : null

/** A day named by its distance is dated by its time of day, else by its noon, in the place's zone. */
const onDay = (text: string, back: number, options: RelativeOptions): number | null => {
  const zone =
    options.zone ?? countryZone(options.country ?? (/[\uac00-\ud7a3]/.test(text) ? "kr" : undefined)) ?? "UTC"
  const wall = wallIn(zone, options.fetched_at)
  if (wall === null) return null
  const clock = bareTime(text) ?? { hour: 12, minute: 0, second: 0, ms: 0 }
  const start = Math.floor(wall / DAY) * DAY - back * DAY
  const instant = instantIn(zone, start + clock.hour * HOUR + clock.minute * MINUTE + clock.second * SECOND)
  return instant === null ? null : Math.min(instant, options.fetched_at)
}

/**
 * "3시간 전", "8 hours ago", "vor 2 Stunden", "어제 14:20": an instant in ms, anchored at the fetch; `null` for anything
 * else. The caller answers for the text being a byline and not a comment (field case B55).
 */
export const readRelative = (input: string, options: RelativeOptions): number | null => {
  const text = plain(input)
  if (NOW.test(text)) return options.fetched_at
  const back = dayOf(text)
  if (back !== null) return onDay(text, back, options)
  const span = AGO.test(text) ? spanOf(text) : null
  return span === null ? null : options.fetched_at - span
}
