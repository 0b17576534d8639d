#!/usr/bin/env bun
/**
 * How the edges of documents (charsets, dates, feeds, sitemaps, URLs) fare on vectors that nobody here wrote: a line per
 * set with its pass rate and the best figure of another project. Needs the shared data folder beside the repository.
 *
 *   bun bench/quality/vectors.ts [--show N]
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { decode, prescan } from "../../src/domain/charset.ts"
import { countryZone } from "../../src/domain/dates/zones.ts"
import { parseDate } from "../../src/domain/dates.ts"
import { readFeed } from "../../src/domain/feed.ts"
import { isSitemap, readSitemap, ungzip } from "../../src/domain/sitemap.ts"
import { normaliseUrl, publicDomain } from "../../src/domain/url.ts"

export const folder = resolve(import.meta.dir, "../../../shared/data/conformance")
/** Feed dates and sitemaps are read as of this instant. */
const fetched_at = Date.UTC(2026, 10, 30)

export interface Result {
  readonly set: string
  readonly best: string
  readonly cases: ReadonlyArray<readonly [name: string, right: boolean]>
}

const bytesOf = (path: string) => new Uint8Array(readFileSync(join(folder, path)))
const textOf = (path: string) => readFileSync(join(folder, path), "utf8")
const linesOf = (path: string) =>
  textOf(path)
    .split("\n")
    .filter((it) => it !== "" && !it.startsWith("#") && !it.startsWith("//"))

const suffixes = (): Result => ({
  set: "public suffix list",
  best: "tldts 73/77",
  cases: linesOf("psl/tests.txt").flatMap((line) => {
    const [host = "", domain = ""] = line.trim().split(/\s+/)
    return host === "" || host === "null" ? [] : [[host, (publicDomain(host) ?? "null") === domain] as const]
  })
})

const charsets = (): Result => ({
  set: "cp949 pairs",
  best: "bun 17,048/17,048 (label euc-kr only)",
  cases: linesOf("encoding/cp949_pairs.txt").map((line) => {
    const bytes = new Uint8Array(Buffer.from(line.slice(0, 4), "hex"))
    const { text } = decode(bytes, { content_type: "text/html; charset=cp949", url: "https://a.kr/" })
    return [line, text === line.slice(5)] as const
  })
})

const prescans = (): Result => ({
  set: "html charset prescan",
  best: "-",
  cases: ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"].flatMap((file) =>
    [
      ...Buffer.from(bytesOf(`encoding/${file}`))
        .toString("latin1")
        .matchAll(/#data\n([\s\S]*?)\n#encoding\n([^\n]+)/g)
    ].map(([, html = "", name = ""]) => {
      const found = prescan(new Uint8Array(Buffer.from(html, "latin1"))) ?? "windows-1252"
      return [html.slice(0, 60), found === name.trim().toLowerCase()] as const
    })
  )
})

const feedDates = (): Result => {
  const rows: ReadonlyArray<{ input: string; utc_tuple: ReadonlyArray<number> | null }> = JSON.parse(
    textOf("feeds/dates.json")
  )
  const cases = rows.map(({ input, utc_tuple }) => {
    const [year = 0, month = 1, ...rest] = utc_tuple ?? []
    const want = utc_tuple === null ? null : Date.UTC(year, month - 1, ...rest.slice(0, 4)) / 1000
    const found = parseDate(input, { fetched_at, source: "feed" })
    return [input, (found === null ? null : Math.floor(Date.parse(found.at) / 1000)) === want] as const
  })
  return { set: "feed dates", best: "python feedparser 72/72", cases }
}

const locales = (): Result => {
  const names = (
    "ko-KR ja-JP zh-CN zh-TW en-US en-GB en-IN de-DE fr-FR es-ES es-MX it-IT pt-BR pt-PT nl-NL sv-SE da-DK nb-NO fi-FI is-IS " +
    "et-EE lv-LV lt-LT pl-PL cs-CZ sk-SK hu-HU ro-RO bg-BG hr-HR sl-SI sr-RS mk-MK sq-AL el-GR tr-TR az-AZ ru-RU uk-UA be-BY " +
    "he-IL ar-EG hi-IN bn-BD ta-IN th-TH vi-VN id-ID ms-MY fil-PH sw-KE ca-ES gl-ES eu-ES ka-GE hy-AM mn-MN ur-PK fa-IR"
  ).split(" ")
  const styles = ["full", "long", "medium", "short"] as const
  const cases = names.flatMap((locale) =>
    styles.flatMap((dateStyle) =>
      Array.from({ length: 12 }, (_, month) => {
        const country = locale.slice(-2)
        const instant = Date.UTC(2025, month, 3 + 2 * month, 8, 5 + month)
        const timeZone = countryZone(country) ?? "UTC"
        const text = new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: "short", timeZone }).format(instant)
        const found = parseDate(text, { fetched_at, country, source: "text" })
        return [`${locale} ${text}`, found !== null && Date.parse(found.at) === instant] as const
      })
    )
  )
  return { set: "dates as 59 locales write them", best: "-", cases }
}

interface Check {
  readonly path: ReadonlyArray<string | number>
  readonly equals?: unknown
  readonly length?: number
}
interface Vector {
  readonly file: string
  readonly headers?: Readonly<Record<string, string>>
  readonly checks?: ReadonlyArray<Check>
}

const folded = (value: unknown) => (typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "")
const seconds = (value: unknown) => (typeof value === "string" ? Math.floor(Date.parse(value) / 1000) : null)

/** The vectors' names for what we call otherwise. `description` is the summary, else the content. */
const readVector = (vector: Vector) => {
  const header = (name: string) => Object.entries(vector.headers ?? {}).find(([it]) => it.toLowerCase() === name)?.[1]
  const { text } = decode(bytesOf(`feeds/files/${vector.file}`), {
    content_type: header("content-type") ?? null,
    url: "https://a.example/"
  })
  const language = header("content-language")
  const feed = readFeed(text, {
    url: header("content-location") ?? "",
    fetched_at,
    ...(language === undefined ? {} : { language })
  })
  const dates = (it: { published: string | null; updated: string | null }) => ({
    published_parsed: it.published,
    updated_parsed: it.updated
  })
  const entries = feed.entries.map((it) => ({
    ...it,
    ...dates(it),
    summary: it.summary ?? it.content,
    description: it.summary ?? it.content
  }))
  const head: Readonly<Record<string, unknown>> = { ...feed, ...dates(feed), description: feed.subtitle }
  return { head, entries, count: entries.length }
}

const fields = new Set([
  "title",
  "subtitle",
  "description",
  "link",
  "language",
  "id",
  "author",
  "summary",
  "published_parsed",
  "updated_parsed"
])

/** Is the check about a field that we keep, and does it hold? Null for the others. */
const holds = (check: Check, feed: ReturnType<typeof readVector>): boolean | null => {
  const [top, second, third, , fifth] = check.path
  if (top === "entries" && check.path.length === 1 && check.length !== undefined) return feed.count === check.length
  const entry: Readonly<Record<string, unknown>> = (typeof second === "number" ? feed.entries[second] : undefined) ?? {}
  if (top === "entries" && third === "content" && fifth === "value")
    return folded(entry.content) === folded(check.equals)
  const isHead = top === "feed" && check.path.length === 2
  const name = String(isHead ? second : third)
  if (!fields.has(name) || (!isHead && (top !== "entries" || check.path.length !== 3))) return null
  const value = isHead ? feed.head[name] : entry[name]
  if (Array.isArray(check.equals) && name.endsWith("_parsed")) {
    const [year = 0, month = 1, ...rest] = check.equals.map(Number)
    return seconds(value) === Date.UTC(year, month - 1, ...rest.slice(0, 4)) / 1000
  }
  return typeof check.equals === "string" ? folded(value) === folded(check.equals) : null
}

const feeds = (): Result => {
  const vectors: ReadonlyArray<Vector> = JSON.parse(textOf("feeds/vectors.json"))
  const kept = vectors.filter(
    ({ file }) =>
      !/\/(?:sanitize|itunes|media-rss|geo|psc|cdf|amp|base|http)\//.test(file) && !file.includes("sanitize")
  )
  const cases = kept.flatMap((vector) => {
    const feed = readVector(vector)
    const answers = (vector.checks ?? []).flatMap((it) => holds(it, feed) ?? [])
    return answers.length === 0 ? [] : [[vector.file, answers.every(Boolean)] as const]
  })
  return { set: "feeds", best: "feedsmith 381/478, python feedparser 476/478", cases }
}

const sitemaps = (): Result => {
  const all = readdirSync(join(folder, "sitemaps"), { recursive: true, encoding: "utf8" }).filter((it) =>
    /sitemap.*\.(?:xml|txt|gz)$/i.test(it)
  )
  const cases = all.flatMap((file) => {
    if (!statSync(join(folder, "sitemaps", file)).isFile()) return []
    const { bytes } = ungzip(bytesOf(`sitemaps/${file}`))
    const { text } = decode(bytes, { content_type: null, url: "https://a.example/" })
    const found = readSitemap(text, { url: "https://a.example/", fetched_at })
    return [[file, isSitemap(text) && (found.links.length > 0 || found.flags.length > 0)] as const]
  })
  return { set: "sitemap files read", best: "-", cases }
}

interface Row {
  readonly fn: string
  readonly args: ReadonlyArray<unknown>
  readonly kwargs?: Readonly<Record<string, unknown>>
  readonly expected: unknown
}

const rowsOf = (path: string, fn: string): ReadonlyArray<Row> => {
  const rows: ReadonlyArray<Row> = JSON.parse(textOf(path))
  return rows.filter((it) => it.fn === fn && it.args.length === 1 && Object.keys(it.kwargs ?? {}).length === 0)
}

const canonical = (): Result => ({
  set: "w3lib canonicalize_url",
  best: "w3lib (its own table; userinfo and relative URLs are refused here)",
  cases: rowsOf("url/w3lib_url.json", "canonicalize_url").map(
    (it) => [String(it.args[0]), normaliseUrl(String(it.args[0])) === it.expected] as const
  )
})

const weird = (): Result => ({
  set: "crawler-commons normaliser",
  best: "crawler-commons (its own table)",
  cases: linesOf("url/weirdToNormalizedUrls.csv").flatMap((line) => {
    const [url = "", want, more] = line.split(", ")
    return want === undefined || more !== undefined ? [] : [[url, normaliseUrl(url) === want] as const]
  })
})

export const sets: ReadonlyArray<() => Result> = [
  suffixes,
  charsets,
  prescans,
  feedDates,
  locales,
  feeds,
  sitemaps,
  canonical,
  weird
]

const main = () => {
  const { values } = parseArgs({ options: { show: { type: "string", default: "0" } } })
  if (!existsSync(folder)) {
    console.error(`no vectors at ${folder}`)
    process.exit(66)
  }
  for (const set of sets) {
    const { set: name, best, cases } = set()
    const right = cases.filter(([, it]) => it).length
    console.log(
      `${name.padEnd(38)} ${`${right}/${cases.length}`.padStart(13)} ${(right / cases.length).toFixed(4)}   best elsewhere: ${best}`
    )
    for (const [it] of cases.filter(([, ok]) => !ok).slice(0, Number(values.show))) console.log(`    ${it}`)
  }
}

if (import.meta.main) main()
