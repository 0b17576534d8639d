/** Proof fetch-cost: fetching a 30 kB page over loopback costs at most 0.6 ms of CPU, plain or gzipped, all checks included. */
import { Effect } from "effect"
import { Fetcher } from "../../src/domain/ports.ts"
import { job, wholeFetcher } from "../../test/support/net.ts"
import { type Bench, prove } from "./proof.ts"

const BAR_MS = 0.6
const PAGES = 4000
const ROUNDS = 3
/** As many as a small crawl has in flight. */
const CONCURRENCY = 32

/** A site in a process of its own, whose time is not ours. */
const program = `
const lines = Array.from({ length: 470 }, (_, n) => '<p class="c' + (n % 7) + '">' + (n * 2654435761 % 4294967296) + " news of the day and more</p>")
const page = Buffer.from(lines.join("\\n")).subarray(0, 30000)
const coded = Bun.gzipSync(page)
const type = { "content-type": "text/html; charset=utf-8", etag: '"a"' }
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) =>
    request.url.includes("/gzip/")
      ? new Response(coded, { headers: { ...type, "content-encoding": "gzip" } })
      : new Response(page, { headers: type })
})
console.log(server.port)`

const site = async (bench: Bench): Promise<string> => {
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" })
  bench.later(() => {
    child.kill()
    return child.exited
  })
  const { value } = await child.stdout.getReader().read()
  return `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`
}

const round = (url: string) =>
  Effect.gen(function* () {
    const fetcher = yield* Fetcher
    const before = process.cpuUsage()
    const started = performance.now()
    yield* Effect.forEach(
      Array.from({ length: PAGES }, (_, n) => job(`${url}${n}`)),
      (it) => fetcher.fetch(it, null),
      { concurrency: CONCURRENCY, discard: true }
    )
    const used = process.cpuUsage(before)
    return { ms: (used.user + used.system) / 1000 / PAGES, rate: (PAGES / (performance.now() - started)) * 1000 }
  })

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

await prove(async (bench) => {
  const base = await site(bench)
  const rows: Array<{ page: string; cpu_ms: string; pages_per_second: string }> = []
  const costs: Array<number> = []
  for (const kind of ["plain", "gzip"]) {
    const rounds = await Effect.runPromise(
      Effect.replicateEffect(round(`${base}/${kind}/`), ROUNDS).pipe(Effect.provide(wholeFetcher()))
    )
    const cost = median(rounds.map(({ ms }) => ms))
    costs.push(cost)
    rows.push({
      page: `30 kB, ${kind}`,
      cpu_ms: cost.toFixed(3),
      pages_per_second: median(rounds.map(({ rate }) => rate)).toFixed(0)
    })
  }
  const most = Math.max(...costs)
  return { rows, figure: `fetch-cost: ${most.toFixed(3)} ms CPU a page (at most ${BAR_MS})`, holds: most <= BAR_MS }
})
