/** Date strings as the press writes them, made from wall times: each form with the country whose page it stands on. */
export interface Stamp {
  readonly text: string
  readonly country: string
  readonly zone: string
  /** The wall time as if it were UTC, ms; a form without seconds or time of day drops them. */
  readonly wall: number
  readonly precision: "day" | "time"
}

interface Parts {
  readonly y: number
  readonly m: number
  readonly d: number
  readonly H: number
  readonly M: number
}

const two = (value: number): string => String(value).padStart(2, "0")
const half = (hour: number): number => (hour % 12 === 0 ? 12 : hour % 12)
const named = (locale: string, { d, m, y }: Parts): string =>
  new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" }).format(Date.UTC(y, m - 1, d))

type Form = readonly [country: string, zone: string, precision: "day" | "time", write: (it: Parts) => string]

const time = ({ H, M }: Parts): string => `${two(H)}:${two(M)}`
const dashed = ({ d, m, y }: Parts): string => `${y}-${two(m)}-${two(d)}`
const dotted = ({ d, m, y }: Parts): string => `${y}.${two(m)}.${two(d)}`
const korean = ({ H, M }: Parts): string => `${H < 12 ? "오전" : "오후"} ${half(H)}:${two(M)}`
const kr = (precision: "day" | "time", write: (it: Parts) => string): Form => ["KR", "Asia/Seoul", precision, write]
const of = (country: string, zone: string, write: (it: Parts) => string): Form => [country, zone, "time", write]

const forms: ReadonlyArray<Form> = [
  kr("time", (it) => `${it.y}년 ${it.m}월 ${it.d}일 ${korean(it).replace(":", "시 ")}분`),
  kr("time", (it) => `${it.y}년 ${two(it.m)}월 ${two(it.d)}일 ${two(it.H)}시 ${two(it.M)}분`),
  kr("time", (it) => `${dotted(it)} ${two(it.H)}시 ${two(it.M)}분`),
  kr("time", (it) => `${it.y}. ${it.m}. ${it.d}. ${korean(it)}`),
  kr("time", (it) => `입력 ${dashed(it)} ${time(it)}`),
  kr("time", (it) => `입력 : ${dotted(it)} ${time(it)}`),
  kr("time", (it) => `기사입력 ${dotted(it)}. ${korean(it)}`),
  kr("time", (it) => `등록 ${dashed(it)} ${time(it)}:00`),
  kr("time", (it) => `승인 ${dotted(it)} ${time(it)}`),
  kr("time", (it) => `송고시간 ${dashed(it)} ${time(it)}`),
  kr("time", (it) => `[${dotted(it)} ${time(it)}]`),
  kr("time", (it) => `${dotted(it)} (화) ${time(it)}`),
  kr("time", (it) => `${it.y}/${two(it.m)}/${two(it.d)} ${time(it)}`),
  kr("time", (it) => `${dashed(it)} ${time(it)} KST`),
  kr("time", (it) => `${dashed(it)}T${time(it)}:00+09:00`),
  kr("day", (it) => `${it.y}년 ${it.m}월 ${it.d}일`),
  kr("day", (it) => `${dotted(it)}.`),
  kr("day", dashed),
  of("JP", "Asia/Tokyo", (it) => `${it.y}年${it.m}月${it.d}日 ${it.H}時${two(it.M)}分`),
  of("JP", "Asia/Tokyo", (it) => `${it.y}/${two(it.m)}/${two(it.d)} ${time(it)}`),
  of(
    "JP",
    "Asia/Tokyo",
    (it) => `令和${it.y - 2018}年${it.m}月${it.d}日 ${it.H < 12 ? "午前" : "午後"}${it.H % 12}時${it.M}分`
  ),
  of("CN", "Asia/Shanghai", (it) => `${it.y}年${two(it.m)}月${two(it.d)}日 ${time(it)}`),
  of(
    "TW",
    "Asia/Taipei",
    (it) => `${it.y}年${it.m}月${it.d}日 ${it.H < 12 ? "上午" : "下午"}${half(it.H)}:${two(it.M)}`
  ),
  of("DE", "Europe/Berlin", (it) => `${it.d}. ${named("de", it)} ${it.y}, ${time(it)} Uhr`),
  of("DE", "Europe/Berlin", (it) => `${two(it.d)}.${two(it.m)}.${it.y} ${two(it.H)}.${two(it.M)} Uhr`),
  of("FR", "Europe/Paris", (it) => `Publié le ${it.d} ${named("fr", it)} ${it.y} à ${two(it.H)}h${two(it.M)}`),
  of("ES", "Europe/Madrid", (it) => `${it.d} de ${named("es", it)} de ${it.y} a las ${time(it)}`),
  of("IT", "Europe/Rome", (it) => `${it.d} ${named("it", it)} ${it.y} ore ${time(it)}`),
  of("BR", "America/Sao_Paulo", (it) => `${two(it.d)}/${two(it.m)}/${it.y} às ${two(it.H)}h${two(it.M)}`),
  of("NL", "Europe/Amsterdam", (it) => `${it.d} ${named("nl", it)} ${it.y} ${time(it)}`),
  of("PL", "Europe/Warsaw", (it) => `${two(it.d)}.${two(it.m)}.${it.y}, godz. ${time(it)}`),
  of("SE", "Europe/Stockholm", (it) => `${it.d} ${named("sv", it)} ${it.y} kl ${two(it.H)}.${two(it.M)}`),
  of("RU", "Europe/Moscow", (it) => `${two(it.d)}.${two(it.m)}.${it.y} ${time(it)} МСК`),
  of(
    "US",
    "America/New_York",
    (it) => `${named("en", it)} ${it.d}, ${it.y}, ${half(it.H)}:${two(it.M)} ${it.H < 12 ? "a.m." : "p.m."} ET`
  ),
  of(
    "US",
    "America/New_York",
    (it) => `${two(it.m)}/${two(it.d)}/${it.y} ${half(it.H)}:${two(it.M)} ${it.H < 12 ? "AM" : "PM"}`
  ),
  of(
    "GB",
    "Europe/London",
    (it) => `${it.d} ${named("en", it)} ${it.y} ${half(it.H)}.${two(it.M)}${it.H < 12 ? "am" : "pm"}`
  )
]

/** Days around the ends of months and years, hours around noon and midnight. */
const moments: ReadonlyArray<Parts> = [
  { y: 2026, m: 2, d: 10, H: 3, M: 30 },
  { y: 2026, m: 1, d: 1, H: 0, M: 5 },
  { y: 2025, m: 12, d: 31, H: 23, M: 54 },
  { y: 2025, m: 11, d: 12, H: 12, M: 10 },
  { y: 2024, m: 2, d: 29, H: 14, M: 5 },
  { y: 2025, m: 7, d: 8, H: 9, M: 0 },
  { y: 2025, m: 5, d: 30, H: 18, M: 45 },
  { y: 2026, m: 4, d: 4, H: 11, M: 59 },
  { y: 2025, m: 10, d: 3, H: 6, M: 20 }
]

export const stamps: ReadonlyArray<Stamp> = forms.flatMap(([country, zone, precision, write]) =>
  moments.map((it) => ({
    text: write(it),
    country,
    zone,
    precision,
    wall: Date.UTC(it.y, it.m - 1, it.d, precision === "day" ? 0 : it.H, precision === "day" ? 0 : it.M)
  }))
)
