/** Proof quality: extracted text is at least as good as the best JavaScript peer's on each of four sets of saved pages. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bytesOf, savedPages, setFolder } from "./pages.ts"
import { binary, jsonLines, Missing, prove, run, shared } from "./proof.ts"

/** The metric each set is judged by and the best JavaScript peer's figure on the same pages (PEERS.json of the data). */
const bars = [
  { set: "naeb", metric: "shingle", peer: "defuddle", bar: 0.898 },
  { set: "fundus", metric: "shingle", peer: "readability", bar: 0.907 },
  { set: "trafilatura-eval", metric: "seg", peer: "readability+linkedom", bar: 0.885 },
  { set: "wcxb", metric: "word", peer: "defuddle", bar: 0.804 }
] as const

interface Read {
  readonly id: string
  readonly title?: string
  readonly text?: string
  readonly published_day?: string | null
  readonly authors?: readonly string[]
}
type Scores = Readonly<Record<string, Readonly<Record<string, number>> | undefined>>

await prove(async ({ folder }) => {
  const crawler = await binary()
  const scorer = join(shared, "data", "score", "score.mjs")
  if (!(await Bun.file(scorer).exists())) throw new Missing(`the scorer (${scorer}) is not on this machine`)
  const rows: Array<Record<string, string | number>> = []
  for (const { bar, metric, peer, set } of bars) {
    const pages = savedPages(set)
    mkdirSync(join(folder, set))
    const manifest = join(folder, `${set}.jsonl`)
    const lines = pages.map((page, at) => {
      const path = join(folder, set, `${at}.html`)
      writeFileSync(path, bytesOf(page))
      return JSON.stringify({ id: page.id.slice(set.length + 1), path, url: page.url })
    })
    writeFileSync(manifest, lines.map((it) => `${it}\n`).join(""))
    const extract = await run([crawler, "extract", "--batch", manifest], { cwd: folder })
    if (extract.code !== 0) console.error(extract.stderr.slice(-2000))
    const read = jsonLines<Read>(extract.stdout)
    const predictions = join(folder, `${set}.json`)
    const day = (it: Read) => it.published_day ?? null
    writeFileSync(predictions, JSON.stringify(Object.fromEntries(read.map((it) => [it.id, { ...it, date: day(it) }]))))
    const scored = await run([process.execPath, scorer, join(setFolder(set), "truth.json"), predictions, "--json"])
    if (scored.code !== 0) throw new Error(scored.stderr)
    const scores = JSON.parse(scored.stdout.split("\n")[0] ?? "{}") as Scores
    const figure = (name: string, field: string) => scores[name]?.[field]?.toFixed(3) ?? "–"
    rows.push({
      set,
      pages: pages.length,
      read: read.length,
      exit: extract.code,
      metric,
      f1: figure(metric, "f1"),
      bar,
      peer,
      title: figure("title", "exact"),
      date: figure("date", "f1"),
      author: figure("author", "f1"),
      "cpu ms/page": ((1000 * extract.cpuSeconds) / pages.length).toFixed(1)
    })
  }
  const above = rows.filter((it) => Number(it.f1) >= Number(it.bar)).length
  return {
    rows,
    figure: `quality: F1 ${rows.map((it) => `${it.set} ${it.f1}`).join(", ")}; ${above} of ${rows.length} at or above the best JavaScript peer`,
    holds: above === rows.length && rows.every((it) => it.exit === 0)
  }
})
