/**
 * Proof metadata: dates, authors and titles of saved pages are read better than by the best JavaScript peer on each set (fundus date
 * 0.954, author 0.815, title 0.777; htmldate 0.743; naeb author 0.850).
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setFolder } from "./pages.ts"
import { Missing, prove, root, run, shared } from "./proof.ts"

const bars = [
  { set: "fundus", part: "date", metric: "acc", peer: 0.954, aim: 0.98 },
  { set: "fundus", part: "author", metric: "f1", peer: 0.815, aim: 0.9 },
  { set: "fundus", part: "title", metric: "exact", peer: 0.777, aim: 0.9 },
  { set: "htmldate", part: "date", metric: "f1", peer: 0.743, aim: 0.949 },
  { set: "naeb", part: "author", metric: "f1", peer: 0.85, aim: 0.85 }
] as const

type Scores = Readonly<Record<string, Readonly<Record<string, number>> | undefined>>

await prove(async ({ folder }) => {
  const scorer = join(shared, "data", "score", "score.mjs")
  if (!existsSync(scorer)) throw new Missing(`the scorer (${scorer}) is not on this machine`)
  const sets = [...new Set(bars.map(({ set }) => set))]
  const read = await run([process.execPath, join(root, "bench/quality/quality.ts"), sets.join(",")], {
    env: { QUALITY_OUT: folder }
  })
  if (read.code !== 0) throw new Error(read.stderr)
  const scores = new Map<string, Scores>()
  for (const set of sets) {
    const truth = join(setFolder(set), "truth.json")
    const scored = await run([process.execPath, scorer, truth, join(folder, `${set}.json`), "--json"])
    scores.set(set, JSON.parse(scored.stdout.split("\n")[0] ?? "{}") as Scores)
  }
  const rows = bars.map(({ aim, metric, part, peer, set }) => {
    const figure = scores.get(set)?.[part]?.[metric] ?? Number.NaN
    const mark = figure >= aim ? "aim" : figure > peer ? "peer" : "BEHIND"
    return { set, part, metric, figure: figure.toFixed(3), peer, aim, reached: mark }
  })
  return {
    rows,
    figure: `metadata: ${rows.map((it) => `${it.set} ${it.part} ${it.figure} (aim ${it.aim})`).join(", ")}`,
    holds: rows.every((it) => it.reached !== "BEHIND")
  }
})
