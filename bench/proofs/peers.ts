/** Proof peers: every article right (1.000) on one host, on many hosts and through faults; rates beside other crawlers. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { binary, prove, run } from "./proof.ts"
import { rig } from "./rig.ts"

const SCENARIOS = ["one-host", "many-hosts", "errors"] as const
const REPEATS = process.env.REPS ?? "1"
const SECONDS_MAX = 3600
interface Result {
  readonly scenario: string
  readonly peer: string
  readonly pages_per_s: number
  readonly cpu_ms_per_page: number
  readonly peak_rss_mb: number
  readonly correct: number
  readonly repeats: number
  readonly disallowed: number
  readonly error?: string
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

await prove(async ({ folder }) => {
  const crawler = await binary()
  const bench = await rig()
  const json = join(folder, "results.json")
  const ours = `${crawler} crawl --seeds {seeds} --limit {limit} --out {out} --concurrency {concurrency} --per-host {per_host} --delay {delay}`
  const command = [process.execPath, "run.ts", "--ours", ours, "--scenario", SCENARIOS.join(","), "--reps", REPEATS]
  const measured = await run([...command, "--json", json, ...process.argv.slice(2)], {
    cwd: bench,
    env: { ALLOW_PRIVATE_CIDRS: "127.0.0.0/8" },
    seconds: SECONDS_MAX
  })
  console.log(measured.stdout)
  if (!existsSync(json)) throw new Error(measured.stderr.slice(-2000))
  const results = JSON.parse(readFileSync(json, "utf8")) as ReadonlyArray<Result>
  const rows = SCENARIOS.flatMap((scenario) =>
    [...new Set(results.map(({ peer }) => peer))].flatMap((peer) => {
      const runs = results.filter((it) => it.scenario === scenario && it.peer === peer)
      const of = (pick: (it: Result) => number) => median(runs.map(pick))
      return runs.length === 0
        ? []
        : [
            {
              scenario,
              peer,
              "pages/s": of((it) => it.pages_per_s).toFixed(1),
              "cpu ms/page": of((it) => it.cpu_ms_per_page).toFixed(2),
              "RSS MB": of((it) => it.peak_rss_mb).toFixed(0),
              correct: Math.min(...runs.map((it) => it.correct)).toFixed(3),
              repeats: of((it) => it.repeats),
              disallowed: of((it) => it.disallowed),
              error: runs.find((it) => it.error !== undefined)?.error?.slice(0, 60) ?? ""
            }
          ]
    })
  )
  const mine = rows.filter(({ peer }) => peer === "crawler")
  return {
    rows,
    figure: `peers: ${mine.map((it) => `${it.scenario} correct ${it.correct}, ${it["pages/s"]} pages/s, ${it["cpu ms/page"]} ms CPU a page`).join("; ")}`,
    holds: mine.length === SCENARIOS.length && mine.every((it) => it.correct === "1.000" && it.error === "")
  }
})
