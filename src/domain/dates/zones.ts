import { Result } from "effect"

/** The zone of a country's dates; of several, the one where its national press sits. By ISO 3166 code. */
const BY_COUNTRY: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "kr:Asia/Seoul kp:Asia/Pyongyang jp:Asia/Tokyo cn:Asia/Shanghai tw:Asia/Taipei hk:Asia/Hong_Kong mo:Asia/Macau sg:Asia/Singapore " +
    "my:Asia/Kuala_Lumpur id:Asia/Jakarta th:Asia/Bangkok vn:Asia/Ho_Chi_Minh ph:Asia/Manila kh:Asia/Phnom_Penh la:Asia/Vientiane mm:Asia/Yangon " +
    "in:Asia/Kolkata pk:Asia/Karachi bd:Asia/Dhaka lk:Asia/Colombo np:Asia/Kathmandu af:Asia/Kabul mn:Asia/Ulaanbaatar kz:Asia/Almaty uz:Asia/Tashkent " +
    "ae:Asia/Dubai sa:Asia/Riyadh qa:Asia/Qatar kw:Asia/Kuwait bh:Asia/Bahrain om:Asia/Muscat iq:Asia/Baghdad ir:Asia/Tehran il:Asia/Jerusalem " +
    "jo:Asia/Amman lb:Asia/Beirut sy:Asia/Damascus ye:Asia/Aden ge:Asia/Tbilisi am:Asia/Yerevan az:Asia/Baku tr:Europe/Istanbul cy:Asia/Nicosia " +
    "gb:Europe/London uk:Europe/London ie:Europe/Dublin pt:Europe/Lisbon es:Europe/Madrid fr:Europe/Paris de:Europe/Berlin at:Europe/Vienna ch:Europe/Zurich " +
    "li:Europe/Vaduz it:Europe/Rome va:Europe/Rome mt:Europe/Malta be:Europe/Brussels nl:Europe/Amsterdam lu:Europe/Luxembourg dk:Europe/Copenhagen " +
    "no:Europe/Oslo se:Europe/Stockholm fi:Europe/Helsinki is:Atlantic/Reykjavik ee:Europe/Tallinn lv:Europe/Riga lt:Europe/Vilnius pl:Europe/Warsaw " +
    "cz:Europe/Prague sk:Europe/Bratislava hu:Europe/Budapest ro:Europe/Bucharest md:Europe/Chisinau bg:Europe/Sofia gr:Europe/Athens al:Europe/Tirane " +
    "rs:Europe/Belgrade hr:Europe/Zagreb si:Europe/Ljubljana ba:Europe/Sarajevo mk:Europe/Skopje me:Europe/Podgorica xk:Europe/Belgrade " +
    "ua:Europe/Kyiv by:Europe/Minsk ru:Europe/Moscow us:America/New_York ca:America/Toronto mx:America/Mexico_City gt:America/Guatemala " +
    "cu:America/Havana do:America/Santo_Domingo pr:America/Puerto_Rico jm:America/Jamaica cr:America/Costa_Rica pa:America/Panama hn:America/Tegucigalpa " +
    "sv:America/El_Salvador ni:America/Managua co:America/Bogota ve:America/Caracas ec:America/Guayaquil pe:America/Lima bo:America/La_Paz " +
    "cl:America/Santiago ar:America/Argentina/Buenos_Aires uy:America/Montevideo py:America/Asuncion br:America/Sao_Paulo za:Africa/Johannesburg " +
    "ng:Africa/Lagos ke:Africa/Nairobi gh:Africa/Accra eg:Africa/Cairo ma:Africa/Casablanca dz:Africa/Algiers tn:Africa/Tunis ly:Africa/Tripoli " +
    "et:Africa/Addis_Ababa tz:Africa/Dar_es_Salaam ug:Africa/Kampala zw:Africa/Harare zm:Africa/Lusaka sn:Africa/Dakar ci:Africa/Abidjan cm:Africa/Douala " +
    "na:Africa/Windhoek mz:Africa/Maputo ao:Africa/Luanda rw:Africa/Kigali sd:Africa/Khartoum au:Australia/Sydney nz:Pacific/Auckland fj:Pacific/Fiji"
  )
    .split(" ")
    .map((it) => [it.slice(0, 2), it.slice(3)] as const)
)

/** Offsets in minutes of zone names that mean one thing everywhere. */
const OFFSETS: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  gmt: 0,
  ut: 0,
  wet: 0,
  west: 60,
  cet: 60,
  cest: 120,
  met: 60,
  mest: 120,
  mez: 60,
  mesz: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  msd: 240,
  trt: 180,
  kst: 540,
  jst: 540,
  hkt: 480,
  sgt: 480,
  myt: 480,
  pht: 480,
  wib: 420,
  wita: 480,
  wit: 540,
  ict: 420,
  pkt: 300,
  npt: 345,
  gst: 240,
  sast: 120,
  cat: 120,
  eat: 180,
  wat: 60,
  est: -300,
  edt: -240,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  akst: -540,
  akdt: -480,
  hst: -600,
  nst: -210,
  ndt: -150,
  adt: -180,
  brt: -180,
  art: -180,
  clt: -240,
  clst: -180,
  pet: -300,
  cot: -300,
  aest: 600,
  aedt: 660,
  acst: 570,
  acdt: 630,
  awst: 480,
  nzst: 720,
  nzdt: 780,
  bst: 60,
  cst: -360,
  ist: 330,
  ast: -240
}

/** Names that mean another thing in some countries. */
const OFFSETS_OF: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  cst: { cn: 480, tw: 480, hk: 480, cu: -300 },
  ist: { ie: 60, il: 120 },
  bst: { bd: 360 },
  ast: { sa: 180, kw: 180, iq: 180 },
  gst: { gs: -120 },
  sst: { sg: 480 }
}

/** Names of a region without saying whether summer time holds: the calendar says it. Then names in other languages. */
const REGIONS: Readonly<Record<string, string>> = {
  et: "America/New_York",
  ct: "America/Chicago",
  mt: "America/Denver",
  pt: "America/Los_Angeles",
  at: "America/Halifax",
  eastern: "America/New_York",
  central: "America/Chicago",
  pacific: "America/Los_Angeles",
  한국시간: "Asia/Seoul",
  한국시각: "Asia/Seoul",
  日本時間: "Asia/Tokyo",
  北京时间: "Asia/Shanghai",
  北京時間: "Asia/Shanghai",
  мск: "Europe/Moscow"
}

/** Formatters are costly to make and never change; the set is bounded by the zones there are. */
const formatters = new Map<string, Intl.DateTimeFormat>()

const formatterOf = (zone: string): Intl.DateTimeFormat | null => {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  const made = Result.getOrNull(
    Result.try(
      () =>
        new Intl.DateTimeFormat("en-US", {
          timeZone: zone,
          hourCycle: "h23",
          era: "short",
          year: "numeric",
          month: "numeric",
          day: "numeric",
          hour: "numeric",
          minute: "numeric",
          second: "numeric"
        })
    )
  )
  if (made !== null) formatters.set(zone, made)
  return made
}

/** What the clocks of a zone show at an instant, as if it were UTC, in ms. */
const wallAt = (format: Intl.DateTimeFormat, instant: number): number => {
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
  const part = (name: string) => Number(parts[name] ?? 0)
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}

const DAY_MS = 86_400_000
/** Offsets remembered, by zone and day: articles of a run share a few days. Forgotten all at once when full. */
const OFFSETS_MAX = 5_000
const offsets = new Map<string, number>()

/** Offset of a zone at the start of a UTC day, in ms. */
const offsetOnDay = (format: Intl.DateTimeFormat, zone: string, day: number): number => {
  const key = `${zone} ${day}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const offset = wallAt(format, day * DAY_MS) - day * DAY_MS
  if (offsets.size >= OFFSETS_MAX) offsets.clear()
  offsets.set(key, offset)
  return offset
}

/**
 * The instant at which a zone's clocks show a wall time (ms as if UTC). In the hour that does not exist the clock is
 * read as before the change, in the hour that comes twice as the first. `null` for an unknown zone.
 */
export const instantIn = (zone: string, wall: number): number | null => {
  const format = formatterOf(zone)
  if (format === null) return null
  const day = Math.floor(wall / DAY_MS)
  const before = offsetOnDay(format, zone, day - 1)
  const after = offsetOnDay(format, zone, day + 2)
  if (before === after) return wall - before
  const whole = Math.floor(wall / 1000) * 1000
  const fits = [before, after].map((it) => whole - it).filter((it) => wallAt(format, it) === whole)
  return (fits.length > 0 ? Math.min(...fits) : whole - before) + (wall - whole)
}

/** What the clocks of a zone show at an instant, as ms as if it were UTC; `null` for an unknown zone. */
export const wallIn = (zone: string, instant: number): number | null => {
  const format = formatterOf(zone)
  return format === null ? null : wallAt(format, instant)
}

export const isZone = (zone: string): boolean => formatterOf(zone) !== null

export const countryZone = (country: string | undefined): string | undefined => BY_COUNTRY[country?.toLowerCase() ?? ""]

/** What a zone text means: minutes east of UTC, or an IANA zone. */
export type Zone = { readonly minutes: number } | { readonly region: string }

const MINUTES_MAX = 14 * 60

const numeric = (text: string): Zone | null => {
  const match = /^(?:utc|gmt)?\s*([+\-−])\s*(\d{1,2})(?::?(\d{2}))?$/i.exec(text)
  if (match === null) return null
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
  if (minutes > MINUTES_MAX || Number(match[3] ?? 0) > 59) return null
  return { minutes: match[1] === "+" ? minutes : -minutes }
}

/** Reads `+09:00`, `GMT+9`, `KST`, `(CEST)`, `Asia/Seoul`, `ET`; `null` for what is no zone. */
export const zoneOf = (text: string, country: string | undefined): Zone | null => {
  const bare = text
    .trim()
    .replace(/^\(|\)$/g, "")
    .replace(/\.$/, "")
  const offset = numeric(bare)
  if (offset !== null) return offset
  const name = bare.toLowerCase()
  const minutes = OFFSETS_OF[name]?.[country?.toLowerCase() ?? ""] ?? OFFSETS[name]
  if (minutes !== undefined) return { minutes }
  const region = REGIONS[name] ?? (/^[a-z]+\/[a-z_/+-]+\d*$/i.test(bare) ? bare : undefined)
  return region !== undefined && isZone(region) ? { region } : null
}
