/**
 * Proof languages: on at least 60 Korean pages of 18 layouts text F1 is at least 0.97 without rules and 0.99 with them; saved pages
 * are shown by language.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ownDay } from "../../src/domain/article.ts"
import { read } from "../../src/domain/read.ts"
import type { ParsingRule } from "../../src/domain/rule.ts"
import { encodeEucKr } from "../../test/support/web/euckr.ts"
import { type KoreanPage, koreanPages, type Outlet } from "../../test/support/web/korean.ts"
import { korea } from "../../test/support/web/press.ts"
import { bytesOf, savedPages, setFolder } from "./pages.ts"
import { prove, shared } from "./proof.ts"

const bars = { generic: 0.97, ruled: 0.99 }
const perOutlet = Number(process.env.PAGES ?? 5)
const now = Date.UTC(2026, 6, 15)

const ruleOf = (outlet: Outlet): ParsingRule => {
  const { author, content, date, title } = outlet.rule
  const [css, attribute] = date
  const published_at = attribute === undefined ? { css } : { css, attribute }
  return {
    id: outlet.name,
    source_name: outlet.name,
    host_pattern: "*",
    path_pattern: "",
    target_type: "article",
    version: 1,
    enabled: true,
    selectors: { title: { css: title }, main_content: { css: content }, author: { css: author }, published_at }
  }
}

/** Runs of four words, as the article benchmark of Scrapinghub counts them. */
const runs = (text: string): ReadonlyMap<string, number> => {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  const counts = new Map<string, number>()
  for (let at = 0; at + 4 <= words.length; at++) {
    const run = words.slice(at, at + 4).join(" ")
    counts.set(run, (counts.get(run) ?? 0) + 1)
  }
  return counts
}
const size = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, it) => sum + it, 0)
const textF1 = (found: string, stated: string): number => {
  const [a, b] = [runs(found), runs(stated)]
  const shared = [...a].reduce((sum, [run, count]) => sum + Math.min(count, b.get(run) ?? 0), 0)
  return (2 * shared) / Math.max(1, size(a) + size(b))
}

const hints = (url: string, fetched_at: number) =>
  ({ url, expected: "article", status: 200, content_type: null, truncated: false, fetched_at, html: false }) as const

const judge = ({ html, outlet, truth, url }: KoreanPage, rule: ParsingRule | null) => {
  const bytes = outlet.charset === "euc-kr" ? encodeEucKr(html) : new TextEncoder().encode(html)
  const { content, verdict } = read(bytes, hints(url, now), rule)
  return {
    text: textF1(content?.text ?? "", truth.text),
    title: Number(content?.title === truth.title),
    author: Number(content?.authors.join() === truth.author),
    day: Number(
      content?.published !== null &&
        content !== null &&
        ownDay(content.published) === korea(truth.published).slice(0, 10)
    ),
    instant: Number(Date.parse(content?.published?.at ?? "") === truth.published.getTime()),
    ok: Number(verdict === "ok")
  }
}

type Score = ReturnType<typeof judge>
const mean = (scores: ReadonlyArray<Score>, key: keyof Score): number =>
  scores.reduce((sum, it) => sum + it[key], 0) / Math.max(1, scores.length)

const rowOf = (name: string, scores: ReadonlyArray<Score>, ruled: ReadonlyArray<Score>) => ({
  pages: name,
  n: scores.length,
  text: mean(scores, "text").toFixed(3),
  "with rule": ruled.length === 0 ? "–" : mean(ruled, "text").toFixed(3),
  title: mean(scores, "title").toFixed(2),
  author: mean(scores, "author").toFixed(2),
  day: mean(scores, "day").toFixed(2),
  instant: mean(scores, "instant").toFixed(2),
  ok: mean(scores, "ok").toFixed(2)
})

interface Stated {
  readonly text?: string
  readonly title?: string
  readonly date?: string
  readonly lang?: string
  readonly crawl_date?: string
}

/** Saved pages in the languages of the data: a report, for few languages have pages enough for a bar. */
const saved = (): ReadonlyArray<readonly [string, ReadonlyArray<Score>]> => {
  if (!existsSync(join(shared, "data", "fundus"))) return []
  const truth = JSON.parse(readFileSync(join(setFolder("fundus"), "truth.json"), "utf8")) as Record<string, Stated>
  const byLanguage = new Map<string, Array<Score>>()
  for (const page of savedPages("fundus")) {
    const stated = truth[page.id.slice("fundus/".length)] ?? {}
    const { content, verdict } = read(
      bytesOf(page),
      hints(page.url, Date.parse(stated.crawl_date ?? "") || Date.now()),
      null
    )
    const day = content?.published ? ownDay(content.published) : null
    const score = {
      text: textF1(content?.text ?? "", stated.text ?? ""),
      title: Number(content?.title === stated.title),
      author: Number.NaN,
      day: Number(day === stated.date),
      instant: Number.NaN,
      ok: Number(verdict === "ok")
    }
    const language = stated.lang ?? "?"
    byLanguage.set(language, [...(byLanguage.get(language) ?? []), score])
  }
  return [...byLanguage].sort(([, a], [, b]) => b.length - a.length)
}

await prove(async () => {
  const pages = koreanPages(7, perOutlet, now)
  const byOutlet = Map.groupBy(pages, (it) => it.outlet)
  const judged = [...byOutlet].map(([outlet, own]) => ({
    name: outlet.name,
    generic: own.map((it) => judge(it, null)),
    ruled: own.map((it) => judge(it, ruleOf(outlet)))
  }))
  const generic = judged.flatMap((it) => it.generic)
  const ruled = judged.flatMap((it) => it.ruled)
  const [plain, withRule] = [mean(generic, "text"), mean(ruled, "text")]
  return {
    rows: [
      ...judged.map((it) => rowOf(it.name, it.generic, it.ruled)),
      rowOf("all Korean layouts", generic, ruled),
      ...saved().map(([language, scores]) => rowOf(`saved pages: ${language}`, scores, []))
    ],
    figure: `languages: ${pages.length} Korean pages of ${byOutlet.size} layouts, text F1 ${plain.toFixed(3)} generic, ${withRule.toFixed(3)} with rules`,
    holds: pages.length >= 60 && byOutlet.size >= 15 && plain >= bars.generic && withRule >= bars.ruled
  }
})
