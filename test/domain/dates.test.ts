import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { ownDay } from "../../src/domain/article.ts"
import { countryZone, instantIn } from "../../src/domain/dates/zones.ts"
import { type DateOptions, dateInUrl, likelyCountry, parseDate } from "../../src/domain/dates.ts"
import { law } from "../support/law.ts"

const FETCHED = Date.UTC(2026, 6, 15, 12)
const at = (text: string, options: Partial<DateOptions> = {}) =>
  parseDate(text, { fetched_at: FETCHED, source: "text", ...options })

type Row = readonly [text: string, country: string, at: string | null]

/** Stated wall times, written as the press of each country writes them. */
const table: ReadonlyArray<Row> = [
  ["2026년 2월 10일 오전 3시 30분", "", "2026-02-09T18:30:00Z"],
  ["2026.02.10 23시 54분", "", "2026-02-10T14:54:00Z"],
  ["2026. 2. 10. 오전 10:58", "", "2026-02-10T01:58:00Z"],
  ["입력 2026-02-10 03:30", "", "2026-02-09T18:30:00Z"],
  ["기사입력 2026.02.10. 오후 3:05", "", "2026-02-10T06:05:00Z"],
  ["등록 2026-02-10 오후 12:05:11", "", "2026-02-10T03:05:11Z"],
  ["2026년02월10일 14시05분", "", "2026-02-10T05:05:00Z"],
  ["2026년 2월 10일(화) 14시", "", "2026-02-10T05:00:00Z"],
  ["승인 2026.02.10 00:00", "", "2026-02-09T15:00:00Z"],
  ["2026.02.10 (화) 14:30", "KR", "2026-02-10T05:30:00Z"],
  ["26.02.10 14:30", "KR", "2026-02-10T05:30:00Z"],
  ["26. 2. 3. 오전 9:00", "KR", "2026-02-03T00:00:00Z"],
  ["2026/02/10 14:05", "KR", "2026-02-10T05:05:00Z"],
  ["20260210143000", "KR", "2026-02-10T05:30:00Z"],
  ["2026-02-10 12:10 AM", "KR", "2026-02-09T15:10:00Z"],
  ["2026年2月10日 14時30分", "JP", "2026-02-10T05:30:00Z"],
  ["令和8年2月10日 午後3時5分", "JP", "2026-02-10T06:05:00Z"],
  ["2026/2/10(火) 5:00", "JP", "2026-02-09T20:00:00Z"],
  ["2026年02月10日 08:15", "CN", "2026-02-10T00:15:00Z"],
  ["2026年2月10日 下午3:05", "TW", "2026-02-10T07:05:00Z"],
  ["民國115年2月10日", "TW", "2026-02-10T00:00:00Z"],
  ["10. Februar 2026, 14:30 Uhr", "DE", "2026-02-10T13:30:00Z"],
  ["10.02.2026 14.30 Uhr", "DE", "2026-02-10T13:30:00Z"],
  ["Stand: 10.02.26, 9 Uhr", "DE", "2026-02-10T08:00:00Z"],
  ["Dienstag, 10. März 2026 um 14:30", "DE", "2026-03-10T13:30:00Z"],
  ["10. Jänner 2026", "AT", "2026-01-10T00:00:00Z"],
  ["1er février 2026 à 14h30", "FR", "2026-02-01T13:30:00Z"],
  ["Publié le 10 juillet 2026 à 14:30", "FR", "2026-07-10T12:30:00Z"],
  ["Mis à jour le 10/02/26 à 14h05", "FR", "2026-02-10T13:05:00Z"],
  ["10 de febrero de 2026 a las 14:30", "ES", "2026-02-10T13:30:00Z"],
  ["10 FEB 2026 - 14:30 CET", "ES", "2026-02-10T13:30:00Z"],
  ["10 Febbraio 2026 ore 14:30", "IT", "2026-02-10T13:30:00Z"],
  ["10 de fevereiro de 2026 às 14h30", "BR", "2026-02-10T17:30:00Z"],
  ["10 februari 2026 14:30", "NL", "2026-02-10T13:30:00Z"],
  ["10 lutego 2026, godz. 14:30", "PL", "2026-02-10T13:30:00Z"],
  ["10 февраля 2026 г. в 14:30", "RU", "2026-02-10T11:30:00Z"],
  ["10.02.2026 14:30 МСК", "RU", "2026-02-10T11:30:00Z"],
  ["10 Şubat 2026 14:30", "TR", "2026-02-10T11:30:00Z"],
  ["10. februar 2026 kl. 14.30", "DK", "2026-02-10T13:30:00Z"],
  ["10 februari 2026 kl 14:30", "SE", "2026-02-10T13:30:00Z"],
  ["10. helmikuuta 2026 14:30", "FI", "2026-02-10T12:30:00Z"],
  ["10.2.2026 klo 14.30", "FI", "2026-02-10T12:30:00Z"],
  ["10. února 2026 14:30", "CZ", "2026-02-10T13:30:00Z"],
  ["2026. február 10. 14:30", "HU", "2026-02-10T13:30:00Z"],
  ["10 Φεβρουαρίου 2026, 14:30", "GR", "2026-02-10T12:30:00Z"],
  ["14:30, 10 лютого 2026", "UA", "2026-02-10T12:30:00Z"],
  ["10. veljače 2026. 14:30", "HR", "2026-02-10T13:30:00Z"],
  ["12. listopada 2025.", "HR", "2025-10-12T00:00:00Z"],
  ["12 listopada 2025", "PL", "2025-11-12T00:00:00Z"],
  ["2026 m. vasario 10 d. 14:30", "LT", "2026-02-10T12:30:00Z"],
  ["2026. gada 10. februāris 14:30", "LV", "2026-02-10T12:30:00Z"],
  ["Thứ ba, 10/2/2026, 14:30 (GMT+7)", "VN", "2026-02-10T07:30:00Z"],
  ["Selasa, 10 Feb 2026 14:30 WIB", "ID", "2026-02-10T07:30:00Z"],
  ["10 กุมภาพันธ์ 2569 14:30", "TH", "2026-02-10T07:30:00Z"],
  ["١٠ فبراير ٢٠٢٦", "EG", "2026-02-10T00:00:00Z"],
  ["February 10, 2026 2:30 PM EST", "", "2026-02-10T19:30:00Z"],
  ["Feb. 10, 2026, 2:30 p.m. ET", "", "2026-02-10T19:30:00Z"],
  ["July 10, 2026, 2:30 p.m. ET", "", "2026-07-10T18:30:00Z"],
  ["Updated 1:05 AM ET, Tue February 10, 2026", "", "2026-02-10T06:05:00Z"],
  ["10th February 2026, 2.30pm", "GB", "2026-02-10T14:30:00Z"],
  ["10 July 2026 14:30", "GB", "2026-07-10T13:30:00Z"],
  ["Tue, 10 Feb 2026 14:30:00 +0900", "", "2026-02-10T05:30:00Z"],
  ["Tue, 10 Feb 26 14:30 GMT", "", "2026-02-10T14:30:00Z"],
  ["Tue Feb 10 14:30:00 KST 2026", "", "2026-02-10T05:30:00Z"],
  ["Tue Feb 10 2026 14:30:00 GMT+0900 (Korean Standard Time)", "", "2026-02-10T05:30:00Z"],
  ["10/Feb/2026:13:55:36 +0000", "", "2026-02-10T13:55:36Z"],
  ["2026-07-10 13:18:00+09:00", "", "2026-07-10T04:18:00Z"],
  ["2026-02-10T14:30:00.123456+09:00", "", "2026-02-10T05:30:00.123Z"],
  ["2026-02-10T14:30:00+09:00[Asia/Seoul]", "", "2026-02-10T05:30:00Z"],
  ["20260210T143000Z", "", "2026-02-10T14:30:00Z"],
  ["1770730200", "", "2026-02-10T13:30:00Z"],
  ["1770730200000", "", "2026-02-10T13:30:00Z"],
  ["02/10/2026", "US", "2026-02-10T05:00:00Z"],
  ["10/02/2026", "GB", "2026-02-10T00:00:00Z"],
  ["2/10/2026 2:30 PM", "", "2026-02-10T14:30:00Z"],
  ["13/02/2026", "US", "2026-02-13T05:00:00Z"],
  ["2026-02-30", "", null],
  ["30 February 2026", "", null],
  ["2026-02-10T25:00:00Z", "", null],
  ["2026-02-10T10:00:00+00:zz", "", null],
  ["2031-01-31", "", null],
  ["17 July 2026", "", null],
  ["10 Feb 1826", "", null],
  ["3시간 전", "KR", null],
  ["8 hours ago", "", null],
  ["45 Kommentare", "DE", null],
  ["Version 1.2.3", "", null],
  ["2026 ⓒ Company", "KR", null],
  ["", "", null]
]

describe("absolute dates", () => {
  test.each(table)("%p in %p", (text, country, expected) => {
    expect(at(text, country === "" ? {} : { country })?.at ?? null).toBe(expected)
  })

  /** What the runtime's own locale data writes is an oracle independent of the month tables here. */
  const locales = (
    "ko-KR ja-JP zh-CN zh-TW en-US en-GB en-IN en-AU de-DE de-AT fr-FR fr-CH es-ES es-MX it-IT pt-BR pt-PT nl-NL sv-SE " +
    "da-DK nb-NO fi-FI is-IS et-EE lv-LV lt-LT pl-PL cs-CZ sk-SK hu-HU ro-RO bg-BG hr-HR sl-SI sr-RS mk-MK sq-AL el-GR " +
    "tr-TR az-AZ ru-RU uk-UA be-BY he-IL ar-EG hi-IN bn-BD ta-IN th-TH vi-VN id-ID ms-MY fil-PH sw-KE ca-ES gl-ES ka-GE ur-PK"
  ).split(" ")
  const months = Array.from({ length: 12 }, (_, month) => Date.UTC(2025, month, 3 + 2 * month, 8, 5 + month))
  const styles = ["full", "long", "medium"] as const

  test("of twelve months in sixty locales and three styles at least 99 in 100 read back", () => {
    const cases = locales.flatMap((locale) =>
      styles.flatMap((dateStyle) => months.map((instant) => ({ locale, dateStyle, instant })))
    )
    const misread = cases.flatMap(({ locale, dateStyle, instant }) => {
      const country = locale.slice(-2)
      const timeZone = countryZone(country) ?? "UTC"
      const text = new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: "short", timeZone }).format(instant)
      const found = parseDate(text, { fetched_at: FETCHED, country, source: "text" })
      return found !== null && Date.parse(found.at) === instant ? [] : [`${locale} ${text} ${found?.at}`]
    })
    expect(cases.length).toBeGreaterThanOrEqual(300)
    expect(misread.slice(0, misread.length > cases.length / 100 ? 20 : 0)).toEqual([])
  })

  test("a time with a zone keeps its afternoon (field case B9)", () => {
    expect(at("2026-07-10 13:18:00+09:00")).toEqual({
      at: "2026-07-10T04:18:00Z",
      offset_minutes: 540,
      precision: "time",
      zone_source: "explicit",
      source: "text"
    })
  })

  test.each([
    ["2026-02-10", "KR", "2026-02-10T00:00:00Z", 540],
    ["2026년 2월 10일", "", "2026-02-10T00:00:00Z", 540],
    ["February 10, 2026", "US", "2026-02-10T05:00:00Z", -300],
    ["10.02.2026", "DE", "2026-02-10T00:00:00Z", 60],
    ["2026-02-10", "", "2026-02-10T00:00:00Z", null]
  ])(
    "a day without a time, %p in %p, is that day on the page's clocks and in UTC",
    (text, country, expected, offset) => {
      const found = at(text, country === "" ? {} : { country })
      expect(found).toMatchObject({ at: expected, precision: "day", offset_minutes: offset })
      expect(found === null ? null : ownDay(found)).toBe("2026-02-10")
    }
  )

  test("the day of an instant is the one the page's clocks show, whatever UTC's is", () => {
    const days = ["2026-02-10T03:30:00+09:00", "2026-02-10 03:30", "2026-02-10T23:30:00-05:00"].map((text) => {
      const found = at(text, { country: "KR" })
      return found === null ? null : `${found.at.slice(0, 10)} ${ownDay(found)}`
    })
    expect(days).toEqual(["2026-02-09 2026-02-10", "2026-02-09 2026-02-10", "2026-02-11 2026-02-10"])
  })

  test("who placed a zoneless date is told: the text, the rule, the country or nobody", () => {
    const zoneless = "2026-02-10 03:30"
    expect(at(`${zoneless} KST`)?.zone_source).toBe("explicit")
    expect(at(zoneless, { zone: "America/Lima", country: "KR" })).toMatchObject({
      at: "2026-02-10T08:30:00Z",
      zone_source: "rule"
    })
    expect(at(zoneless, { country: "KR" })).toMatchObject({ at: "2026-02-09T18:30:00Z", zone_source: "country" })
    expect(at(zoneless)).toMatchObject({ at: "2026-02-10T03:30:00Z", zone_source: "assumed" })
  })

  test.each([
    ["https://www.a.kr/x", null, "kr"],
    ["https://www.a.co.kr/x", "en", "kr"],
    ["https://a.example/x", "ko", "kr"],
    ["https://a.example/x", "pt-BR", "br"],
    ["https://a.io/x", "ja", "jp"],
    ["https://a.com/x", "en-US", undefined],
    ["https://a.com/x", "en", undefined]
  ])("who keeps the clocks of %p in %p is %p", (url, language, country) => {
    expect(likelyCountry(url, language)).toBe(country)
  })

  test("a day ahead is forgiven, more is not (field case B11)", () => {
    expect(at("2026-07-16T11:59:00Z")).not.toBeNull()
    expect(at("2026-07-16T12:01:00Z")).toBeNull()
  })

  test("summer time is the zone's, also in the hours around its change", () => {
    expect(at("2026-03-29 01:59", { country: "DE" })?.at).toBe("2026-03-29T00:59:00Z")
    expect(at("2026-03-29 03:00", { country: "DE" })?.at).toBe("2026-03-29T01:00:00Z")
    expect(at("2025-10-26 02:30", { country: "DE" })?.at).toBe("2025-10-26T00:30:00Z")
    expect(instantIn("No/Where", 0)).toBeNull()
  })
})

describe("relative dates", () => {
  test.each([
    ["3시간 전", "2026-07-15T09:00:00Z"],
    ["10분전", "2026-07-15T11:50:00Z"],
    ["방금 전", "2026-07-15T12:00:00Z"],
    ["8 hours ago", "2026-07-15T04:00:00Z"],
    ["an hour ago", "2026-07-15T11:00:00Z"],
    ["vor 2 Stunden", "2026-07-15T10:00:00Z"],
    ["vor einem Tag", "2026-07-14T12:00:00Z"],
    ["il y a 3 heures", "2026-07-15T09:00:00Z"],
    ["hace 5 minutos", "2026-07-15T11:55:00Z"],
    ["há 2 dias", "2026-07-13T12:00:00Z"],
    ["2 ore fa", "2026-07-15T10:00:00Z"],
    ["5 uur geleden", "2026-07-15T07:00:00Z"],
    ["3 godziny temu", "2026-07-15T09:00:00Z"],
    ["2 часа назад", "2026-07-15T10:00:00Z"],
    ["3 saat önce", "2026-07-15T09:00:00Z"],
    ["för 2 timmar sedan", "2026-07-15T10:00:00Z"],
    ["10分前", "2026-07-15T11:50:00Z"],
    ["3小时前", "2026-07-15T09:00:00Z"],
    ["5 phút trước", "2026-07-15T11:55:00Z"],
    ["어제 14:20", "2026-07-14T05:20:00Z"],
    ["2월 10일 14:30", "2026-02-10T05:30:00Z"],
    ["10 Feb, 14:30", "2026-02-10T14:30:00Z"]
  ])("%p hangs on the fetch in a byline, and says nothing elsewhere (field case B55)", (text, expected) => {
    expect(at(text, { relative: true })?.at).toBe(expected)
    expect(at(text)).toBeNull()
  })

  test("a list's bare time is of today, its day without a year the latest", () => {
    expect(at("14:30", { relative: true, country: "KR" })?.at).toBe("2026-07-15T05:30:00Z")
    expect(at("12.25 10:00", { relative: true, country: "KR" })?.at).toBe("2025-12-25T01:00:00Z")
    expect(at("25.12. 10:00", { relative: true, country: "DE" })?.at).toBe("2025-12-25T09:00:00Z")
  })
})

describe("the day in a URL", () => {
  test.each([
    ["https://a.example/2026/02/10/some-story", "2026-02-10"],
    ["https://a.example/news/20260210001", "2026-02-10"],
    ["https://a.example/view/AKR20260210001000001", "2026-02-10"],
    ["https://a.example/view/2026021", null],
    ["https://a.example/news/202602100001", "2026-02-10"],
    ["https://a.example/news/20260210/1.html", "2026-02-10"],
    ["https://a.example/2026/feb/10/story", "2026-02-10"],
    ["https://a.example/2026-02-10-story.html", "2026-02-10"],
    ["https://a.example/2026/0210/c1-1.html", "2026-02-10"],
    ["https://a.example/2026/02/30/x", null],
    ["https://a.example/news/10022026-a-day-first", "2026-02-10"],
    ["https://a.example/detail/~10-02-2026-a-day-first", "2026-02-10"],
    ["https://a.example/meldungen/29-10-2021", "2021-10-29"],
    ["https://a.example/meldungen/31-02-2021", null],
    ["https://a.example/n/10022026123", null],
    ["https://a.example/article/001/0012345678", null]
  ])("%p", (url, expected) => expect(dateInUrl(url)).toBe(expected))
})

test("the zone of this process changes nothing", () => {
  const before = process.env.TZ
  const readings = ["UTC", "Asia/Seoul", "America/Los_Angeles"].map((zone) => {
    process.env.TZ = zone
    return table.map(([text, country]) => at(text, country === "" ? {} : { country })?.at ?? null)
  })
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
  expect(readings[1]).toEqual(readings[0])
  expect(readings[2]).toEqual(readings[0])
})

law("any text is read without failing, and never into the future", Schema.String, (text) => {
  const found = at(text, { relative: true })
  return found === null || Date.parse(found.at) <= FETCHED + 24 * 3_600_000
})

const vectors = new URL("../../../shared/data/conformance/feeds/dates.json", import.meta.url).pathname
test.skipIf(!existsSync(vectors))(
  "published feed dates read as their parser reads them (skipped without the data)",
  () => {
    const cases: ReadonlyArray<{ input: string; utc_tuple: ReadonlyArray<number> | null }> = JSON.parse(
      readFileSync(vectors, "utf8")
    )
    const right = cases.filter(({ input, utc_tuple }) => {
      const [year = 0, month = 1, ...rest] = utc_tuple ?? []
      const expected = utc_tuple === null ? null : Date.UTC(year, month - 1, ...rest.slice(0, 4)) / 1000
      const found = parseDate(input, { fetched_at: FETCHED, source: "feed" })
      return (found === null ? null : Math.floor(Date.parse(found.at) / 1000)) === expected
    })
    // The rest are two-digit ISO forms without separators and a year 100.
    expect(right.length).toBeGreaterThanOrEqual(66)
  }
)
