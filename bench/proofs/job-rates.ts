/**
 * Proof job-rates: on Postgres at full durability, bulk add ≥ 20,000 jobs/s; 50 workers process ≥ 3,000/s or 1.5 × BullMQ
 * in the same run; a single job is picked up in p50 ≤ 10 ms, p99 ≤ 25 ms; work is back ≤ 15 s after a SIGKILL (lease 10 s).
 *
 * Runs the job benchmark beside the checkout on scratch servers: the peers by Node, this queue by Bun.
 */
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Missing, prove, root, run, shared } from "./proof.ts"

const JOBS = process.env.JOBS ?? "20000"
const REPS = process.env.REPS ?? "3"
const PEERS = process.env.PEERS ?? "bullmq,pgboss-loop,graphile-local"
const PG_PORT = "5561"
const REDIS_PORT = "6401"
const bar = { bulk: 20_000, process: 3000, ratio: 1.5, p50: 10, p99: 25, back: 15 }

interface Measured {
  readonly tp10: ReadonlyArray<Rates>
  readonly tp50: ReadonlyArray<Rates>
  readonly latency: { readonly p50_ms: number; readonly p99_ms: number }
  readonly crash: { readonly stuck: number; readonly recovered: number; readonly last_s: number | null }
}
interface Rates {
  readonly add_s: number
  readonly bulk_s: number
  readonly process_s: number
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

await prove(async (bench) => {
  const source = join(shared, "bench", "jobs")
  const work = join(root, ".bench", "job-rates")
  if (!existsSync(source)) throw new Missing("the job benchmark is not beside the checkout")
  if (!existsSync(join(root, ".bench", "node_modules", "bullmq")))
    throw new Missing("the peers are not installed: npm install in .bench")
  cpSync(source, work, { recursive: true })
  const adapters = readFileSync(join(source, "queues.mjs"), "utf8")
  const own = `async function crawler() { return (await import(${JSON.stringify(join(root, "bench/jobs/queue.ts"))})).queue(PG); }`
  writeFileSync(
    join(work, "queues.mjs"),
    `${adapters.replace("export const queues = {", "export const queues = { crawler,")}\n${own}\n`
  )
  const env = { PG_PORT, REDIS_PORT, NODE_PATH: join(root, ".bench", "node_modules") }
  const services = join(work, "services.sh")
  // The server runs as another user, who must be able to reach its folder.
  chmodSync(bench.folder, 0o755)
  const started = await run(["sh", services, "start", bench.folder], { env })
  bench.later(() => run(["sh", services, "stop", bench.folder], { env }))
  if (started.code !== 0) throw new Missing(`Postgres and Redis do not start: ${started.stderr.slice(-500)}`)

  const measure = async (program: string, queues: string): Promise<Readonly<Record<string, Measured>>> => {
    const out = join(bench.folder, `${queues.split(",")[0]}.json`)
    const args = ["--queue", queues, "--jobs", JOBS, "--reps", REPS, "--crash-wait", "30", "--json", out]
    const done = await run([program, join(work, "run-jobs.mjs"), ...args], { env, cwd: work, seconds: 1800 })
    if (done.code !== 0) throw new Error(`${queues}: ${done.stderr.slice(-2000)}`)
    console.error(done.stderr.trim())
    return JSON.parse(readFileSync(out, "utf8"))
  }
  const all = { ...(await measure(process.execPath, "crawler")), ...(PEERS === "" ? {} : await measure("node", PEERS)) }
  const of = (name: string) => {
    const it = all[name]
    if (it === undefined) throw new Error(`${name} was not measured`)
    const rate = (pick: (rates: Rates) => number) => median(it.tp50.map(pick))
    return {
      queue: name,
      "bulk add/s": rate((x) => x.bulk_s),
      "add/s": rate((x) => x.add_s),
      "process/s c50": rate((x) => x.process_s),
      "p50 ms": it.latency.p50_ms,
      "p99 ms": it.latency.p99_ms,
      stuck: it.crash.stuck,
      recovered: it.crash.recovered,
      "back s": it.crash.last_s ?? Number.POSITIVE_INFINITY
    }
  }
  const rows = Object.keys(all).map(of)
  const mine = of("crawler")
  const bull = rows.find((it) => it.queue === "bullmq")
  const fast = mine["process/s c50"] >= bar.process
  const holds =
    mine["bulk add/s"] >= bar.bulk &&
    (fast || (bull !== undefined && mine["process/s c50"] >= bar.ratio * bull["process/s c50"])) &&
    mine["p50 ms"] <= bar.p50 &&
    mine["p99 ms"] <= bar.p99 &&
    mine["back s"] <= bar.back &&
    mine.recovered === mine.stuck
  const whole = (value: number) => Math.round(value).toLocaleString("en")
  return {
    rows: rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, it]) => [
          key,
          typeof it === "number" ? (it < 100 ? it.toFixed(1) : whole(it)) : it
        ])
      )
    ),
    figure: `job-rates: bulk add ${whole(mine["bulk add/s"])}/s, process ${whole(mine["process/s c50"])}/s with 50 workers${
      bull === undefined ? "" : ` (BullMQ ${whole(bull["process/s c50"])}/s)`
    }, pickup p50 ${mine["p50 ms"].toFixed(1)} ms, p99 ${mine["p99 ms"].toFixed(1)} ms, back ${mine["back s"].toFixed(1)} s after a SIGKILL`,
    holds
  }
})
