#!/usr/bin/env bun
/**
 * How well pages that nobody here wrote are read: runs `read` over the development part of each set, in this process,
 * and scores it with the sets' own scorer. Needs the shared data folder beside the repository.
 *
 *   bun bench/quality/quality.ts [set,set] [--by KEY] [--worst N]
 *
 * `--worst` names the pages that were read worst: by their text, else by the passages missed and taken wrongly, else by their day.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { ownDay } from "../../src/domain/article.ts"
import { read } from "../../src/domain/read.ts"

interface Truth {
  readonly url: string
  readonly html_in?: string
  readonly crawl_date?: string
  readonly with?: ReadonlyArray<string>
  readonly without?: ReadonlyArray<string>
  readonly date?: string | null
  readonly text?: string
}
interface Predicted {
  readonly text: string
  readonly title: string
  readonly date: string | null
  readonly authors: ReadonlyArray<string>
  readonly verdict: string
  readonly source: string | undefined
  readonly ms: number
}
interface Aim {
  readonly part: string
  readonly metric: string
  readonly peer: number
  readonly aim: number
}

const data = resolve(import.meta.dir, "../../../shared/data")
/** The figures to beat: the best JavaScript peer on the same pages, and the aim. */
const aims: Readonly<Record<string, ReadonlyArray<Aim>>> = {
  "trafilatura-eval": [{ part: "seg", metric: "f1", peer: 0.885, aim: 0.924 }],
  wcxb: [{ part: "word", metric: "f1", peer: 0.804, aim: 0.893 }],
  naeb: [
    { part: "shingle", metric: "f1", peer: 0.898, aim: 0.906 },
    { part: "author", metric: "f1", peer: 0.85, aim: 0.85 },
    { part: "title", metric: "exact", peer: 0.81, aim: 0.9 }
  ],
  fundus: [
    { part: "shingle", metric: "f1", peer: 0.907, aim: 0.94 },
    { part: "date", metric: "acc", peer: 0.954, aim: 0.98 },
    { part: "author", metric: "f1", peer: 0.815, aim: 0.9 },
    { part: "title", metric: "exact", peer: 0.777, aim: 0.9 }
  ],
  htmldate: [{ part: "date", metric: "f1", peer: 0.743, aim: 0.949 }]
}

const gunzip = (path: string): Uint8Array => Bun.gunzipSync(readFileSync(path))

const predict = (set: string, truth: Readonly<Record<string, Truth>>) => {
  const out: Record<string, Predicted> = {}
  for (const [id, { crawl_date, html_in, url }] of Object.entries(truth)) {
    const bytes = gunzip(html_in === undefined ? join(data, set, "dev/html", `${id}.html.gz`) : join(data, html_in))
    const fetched = crawl_date === undefined ? Date.now() : Date.parse(crawl_date)
    const began = performance.now()
    const reading = read(
      bytes,
      {
        url,
        expected: "article",
        status: 200,
        content_type: null,
        truncated: false,
        fetched_at: Number.isNaN(fetched) ? Date.now() : fetched,
        html: false
      },
      null
    )
    const ms = performance.now() - began
    const { content } = reading
    out[id] = {
      text: content?.text ?? "",
      title: content?.title ?? "",
      date: content === null || content.published === null ? null : ownDay(content.published),
      authors: content?.authors ?? [],
      verdict: reading.verdict,
      source: content?.published?.source,
      ms
    }
  }
  return out
}

const blank = /\s+/gu
const plain = (text: string): string => text.replace(blank, " ").trim()

/** What is wrong with a page of a set whose truth is passages or a day: the scorer lists the others. */
const faultsOf = (truth: Truth, { date, source, text }: Predicted): ReadonlyArray<string> => {
  if (truth.with !== undefined) {
    const own = plain(text)
    const missed = truth.with.filter((it) => !own.includes(plain(it))).map((it) => `- ${plain(it)}`)
    return [...missed, ...(truth.without ?? []).filter((it) => own.includes(plain(it))).map((it) => `+ ${plain(it)}`)]
  }
  const isWrong = Boolean(truth.date) && truth.date !== date
  return isWrong ? [`${truth.date} read as ${date} by ${source ?? "nothing"}`] : []
}

const worst = (
  table: Readonly<Record<string, Truth>>,
  read: Readonly<Record<string, Predicted>>,
  count: number
): void => {
  const rows = Object.entries(table).flatMap(([id, truth]) => {
    const found = read[id]
    return found === undefined ? [] : [{ id, url: truth.url, faults: faultsOf(truth, found) }]
  })
  const wrong = rows.filter((it) => it.faults.length > 0).sort((a, b) => b.faults.length - a.faults.length)
  for (const { faults, id, url } of wrong.slice(0, count)) console.log([`${id} ${url}`, ...faults].join("\n    "))
}

const run = (set: string, folder: string, rest: ReadonlyArray<string>): void => {
  const truth = join(data, set, "dev/truth.json")
  const predictions = join(folder, `${set}.json`)
  const table: Record<string, Truth> = JSON.parse(readFileSync(truth, "utf8"))
  const read = predict(set, table)
  writeFileSync(predictions, JSON.stringify(read))
  const scorer = join(data, "score/score.mjs")
  const scored = Bun.spawnSync([process.execPath, scorer, truth, predictions, "--json"])
    .stdout.toString()
    .split("\n")[0]
  const figures: Record<string, Record<string, number>> = JSON.parse(scored ?? "{}")
  const parts = (aims[set] ?? []).map(({ aim, metric, part, peer }) => {
    const figure = figures[part]?.[metric] ?? Number.NaN
    const mark = figure >= aim ? "aim met" : figure >= peer ? "peer met" : "BEHIND"
    return `${part} ${metric} ${figure.toFixed(3)} (peer ${peer}, aim ${aim}: ${mark})`
  })
  const { mean = 0, p50 = 0, p95 = 0 } = figures.ms ?? {}
  console.log(`${set}: ${parts.join(" · ")} · ms mean ${mean.toFixed(1)} p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)}`)
  if (rest.length > 0)
    console.log(Bun.spawnSync([process.execPath, scorer, truth, predictions, ...rest]).stdout.toString())
  const count = Number(rest[rest.indexOf("--worst") + 1])
  if (rest.includes("--worst") && Object.values(table).every((it) => it.text === undefined)) worst(table, read, count)
}

if (!existsSync(data)) {
  console.error(`no data: ${data} is absent, nothing to measure`)
  process.exit(66)
}
const [first, ...others] = process.argv.slice(2)
const named = first === undefined || first.startsWith("--") ? Object.keys(aims) : first.split(",")
const folder = process.env.QUALITY_OUT ?? mkdtempSync(join(tmpdir(), "quality-"))
for (const set of named) run(set, folder, first?.startsWith("--") === true ? [first, ...others] : others)
if (process.env.QUALITY_OUT === undefined) rmSync(folder, { recursive: true })
