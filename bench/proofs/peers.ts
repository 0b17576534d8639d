/** Proof peers: every article right (1.000) on one host, on many hosts and through faults; rates beside other crawlers. */
import { cpSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { binary, Missing, prove, root, run, shared } from "./proof.ts"

const SCENARIOS = ["one-host", "many-hosts", "errors"] as const
const REPEATS = process.env.REPS ?? "1"
const SECONDS_MAX = 3600
const DEBIAN = [
  "python3-scrapy",
  "python3-readability",
  "golang-github-puerkitobio-goquery-dev",
  "golang-golang-x-text-dev"
]

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

/** Installs what can be installed; a peer that stays missing shows as a row without figures, and the rest still run. */
const prepare = async (bench: string): Promise<void> => {
  const source = join(shared, "bench")
  if (!existsSync(source)) throw new Missing(`the rig (${source}) is not on this machine`)
  if (!existsSync(bench)) cpSync(source, bench, { recursive: true })
  await run(["chmod", "-R", "u+w", bench])
  const attempts: ReadonlyArray<readonly [boolean, readonly string[]]> = [
    [!existsSync(join(bench, "node_modules", "crawlee")), ["npm", "install", "--no-audit", "--no-fund"]],
    [
      (await run(["/usr/bin/python3", "-c", "import scrapy, readability"])).code !== 0 ||
        !existsSync("/usr/share/gocode/src/github.com/PuerkitoBio/goquery"),
      ["apt-get", "install", "-y", "-q", ...DEBIAN, ...(Bun.which("go") === null ? ["golang-go"] : [])]
    ],
    [
      !existsSync(join(bench, "peers", "goquery")),
      ["sh", "-c", "cd peers && GO111MODULE=off GOPATH=/usr/share/gocode go build -o goquery goquery.go"]
    ]
  ]
  for (const [needed, command] of attempts) {
    if (!needed) continue
    const done = await run(command, { cwd: bench, seconds: 900 })
    if (done.code !== 0) console.error(`${command.slice(0, 3).join(" ")} failed: ${done.stderr.slice(-500)}`)
  }
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

await prove(async ({ folder }) => {
  const bench = join(root, ".bench")
  const crawler = await binary()
  await prepare(bench)
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
