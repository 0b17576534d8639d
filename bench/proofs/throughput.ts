/**
 * Proof throughput: with durable storage on, CPU a page is at most half of Scrapy's, embedded and distributed; the bus adds at most
 * 0.5 ms a page when stages are chained.
 *
 * One news site of 50 hosts, each competitor in turn, the others both before ours and after, as a machine's speed drifts. CPU by the
 * kernel's account of its processes (for the distributed rows also of the servers, shown apart). The bus is measured by itself on the
 * embedded store: publish, claim, begin, settle.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { Bus } from "../../src/domain/ports.ts"
import type { Outgoing } from "../../src/domain/topics.ts"
import * as table from "../../src/infra/bus.table.ts"
import * as postgres from "../../src/infra/database.postgres.ts"
import { settingsOf } from "../../test/support/store.ts"
import { runningAs } from "../services/processes.ts"
import { finished, four, seed } from "./distributed.ts"
import { type Fleet, fleetOf, frozenBinary, servers } from "./fleet.ts"
import { type Bench, prove, type RemoteWeb, run } from "./proof.ts"
import { rig } from "./rig.ts"

const HOSTS = Number(process.env.HOSTS ?? 50)
const ARTICLES = Number(process.env.ARTICLES ?? 40)
const SITE_PORT = 8741
const MEMBER_PORT = 18_610
const SECONDS_MAX = Number(process.env.SECONDS ?? 300)
const SHARE_MAX = 0.5
const BUS_MS_MAX = 0.5
const MESSAGES = 10_000
const KEYS = 100
/** Messages that a chain of stages has in hand at once. */
const GROUP = 50

interface Row {
  readonly what: string
  readonly pages: number
  readonly seconds: number
  readonly cpuMs: number
  readonly serversMs: number
}

/** Seconds of CPU of a process and all that descend from it. */
const cpuOf = (root: number): number => {
  const parents = new Map<number, number>()
  const used = new Map<number, number>()
  for (const name of readdirSync("/proc").filter((it) => /^\d+$/.test(it))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      parents.set(Number(name), Number(fields[1]))
      // 100 ticks a second; a parent's account includes the children it has waited for.
      used.set(Number(name), [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / 100)
    } catch {
      // Ended between the look at the folder and this one.
    }
  }
  const isOurs = (id: number): boolean => id === root || (parents.has(id) && isOurs(parents.get(id) ?? 0))
  return [...used].reduce((sum, [id, seconds]) => (isOurs(id) ? sum + seconds : sum), 0)
}

/** The servers that a distributed crawler leans on. */
const serversCpu = (): number =>
  (["postgres", "redis", "kafka"] as const).reduce((sum, name) => sum + cpuOf(runningAs(name) ?? -1), 0)

const siteOf = async (bench: Bench, folder: string): Promise<RemoteWeb> => {
  const words = ["site.ts", "--port", String(SITE_PORT), "--hosts", String(HOSTS), "--articles", String(ARTICLES)]
  const child = Bun.spawn([process.execPath, ...words], { cwd: folder, stdout: "pipe", stderr: "inherit" })
  bench.later(() => {
    child.kill()
    return child.exited
  })
  await child.stdout.getReader().read()
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${SITE_PORT}${path}`)).text()
  return {
    fronts: (await ask("/__hosts")).trim().split("\n"),
    truth: async () => [],
    stats: async () => JSON.parse(await ask("/__stats")),
    reset: async () => void (await ask("/__reset")),
    ask
  }
}

interface Seen {
  readonly html: number
  readonly seconds: number
}
const seen = async (site: RemoteWeb): Promise<Seen> => JSON.parse(await site.ask("/__stats")) as Seen

/** Processes of ours until every article is stored; `counts` are asked of the database, or of the process by its API. */
const worked = async (
  bench: Bench,
  what: string,
  site: RemoteWeb,
  fleet: Fleet,
  done: () => Promise<boolean>
): Promise<Row> => {
  await site.reset()
  await seed(bench, fleet, site)
  const before = serversCpu()
  await Promise.all(fleet.members.map((it) => it.start()))
  if (!(await done())) throw new Error(`${what}: not done in ${SECONDS_MAX} s`)
  const { html, seconds } = await seen(site)
  const after = serversCpu()
  await Promise.all(fleet.members.map((it) => it.stop()))
  const own = fleet.members.reduce((sum, it) => sum + it.cpuSeconds(), 0)
  const row = { what, pages: html, seconds, cpuMs: (own * 1000) / html, serversMs: ((after - before) * 1000) / html }
  console.error(JSON.stringify(row))
  return row
}

const quick = { FETCH_DELAY: "0ms", SOURCE_BACKLOG: "3650d", ARTICLE_REVISITS: "off", BUS_POLL: "200ms" }

/** An embedded store has no other reader than its process: its API says how many articles there are. */
const embeddedDone = async (articles: number): Promise<boolean> => {
  const end = performance.now() + SECONDS_MAX * 1000
  while (performance.now() < end) {
    const text = await fetch(`http://127.0.0.1:${MEMBER_PORT}/metrics`).then((it) => it.text())
    const saved = /^crawler_articles_total\{[^}]*result="new"[^}]*\} (\d+)/m.exec(text)?.[1]
    if (Number(saved ?? 0) >= articles) return true
    await Bun.sleep(1000)
  }
  return false
}

const messageOf = (n: number): Outgoing => ({
  id: `m${n}`,
  topic: "crawl.normal",
  key: `h${n % KEYS}.example`,
  occurred_at: 1,
  attempt: 0,
  trace_id: `m${n}`,
  headers: { schema: "1" },
  payload: { id: `m${n}`, target: { url: `https://h${n % KEYS}.example/${n}`, type: "article" } },
  not_before: 1
})
const subscription = {
  topics: [{ topic: "crawl.normal", weight: 1 }],
  limit: 200,
  perKey: 3,
  untilDrained: false
} as const

/** What one page costs on the bus when its stages are chained: one message, from its publication to its end. */
const busMs = (folder: string): Promise<number> => {
  const settings = settingsOf({ CRAWLER_DATA_DIR: join(folder, "bus") })
  const store = table.layer.pipe(Layer.provideMerge(postgres.layer), Layer.provideMerge(settings))
  const chained = (from: number, count: number) =>
    Effect.gen(function* () {
      const bus = yield* Bus
      const all = Array.from({ length: count }, (_, n) => messageOf(from + n))
      for (let at = 0; at < count; at += GROUP) yield* bus.publish(all.slice(at, at + GROUP))
      yield* bus.consume(subscription, Effect.never).pipe(
        Stream.take(count),
        Stream.rechunk(GROUP),
        Stream.chunks,
        Stream.mapEffect((group) => {
          const receipts = group.map((it) => it.receipt)
          const ends = receipts.map((receipt) => ({ receipt, publish: [], dead: [] }))
          return Effect.andThen(bus.begin(receipts), bus.settle(ends))
        }),
        Stream.runDrain
      )
    })
  const measured = Effect.gen(function* () {
    yield* chained(0, MESSAGES / 5)
    const before = process.cpuUsage()
    yield* chained(MESSAGES, MESSAGES)
    const { system, user } = process.cpuUsage(before)
    return (system + user) / 1000 / MESSAGES
  })
  return Effect.runPromise(Effect.scoped(Effect.provide(measured, store)))
}

interface Peer {
  readonly peer: string
  readonly pages: number
  readonly seconds: number
  readonly cpu_ms_per_page: number
}

/** The peers by the rig itself, on a site of its own with the same pages. */
const peersOf = async (bench: Bench, folder: string): Promise<ReadonlyArray<Row>> => {
  const json = join(bench.folder, "peers.json")
  const words = ["run.ts", "--scenario", "many-hosts", "--reps", "1", "--peer", "scrapy-parsel,crawlee-cheerio-mem"]
  const ran = await run([process.execPath, ...words, "--json", json], { cwd: folder, seconds: SECONDS_MAX })
  if (ran.code !== 0) throw new Error(`the rig: ${ran.stderr.slice(-1000)}`)
  const found = JSON.parse(readFileSync(json, "utf8")) as ReadonlyArray<Peer>
  return found.map((it) => ({
    what: it.peer,
    pages: it.pages,
    seconds: it.seconds,
    cpuMs: it.cpu_ms_per_page,
    serversMs: 0
  }))
}

/** The mean of a peer's two runs. */
const meanOf = (first: ReadonlyArray<Row>, last: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  first.flatMap((one) => {
    const other = last.find((it) => it.what === one.what)
    if (other === undefined) return []
    const mean = (pick: (it: Row) => number) => (pick(one) + pick(other)) / 2
    return [{ ...one, pages: mean((it) => it.pages), seconds: mean((it) => it.seconds), cpuMs: mean((it) => it.cpuMs) }]
  })

await prove(async (bench) => {
  const folder = await rig()
  const executable = await frozenBinary(bench)
  const before = await peersOf(bench, folder)
  const site = await siteOf(bench, folder)
  const whole = HOSTS * ARTICLES
  // Its commands are given to the same data dir, before it starts.
  const own = { ...quick, CRAWLER_DATA_DIR: join(bench.folder, "embedded") }
  const alone = fleetOf(bench, executable, own, [null], MEMBER_PORT)
  const embedded = await worked(bench, "crawler, embedded, one process", site, alone, () => embeddedDone(whole))
  const distributed: Array<Row> = []
  for (const [what, stages, port] of [
    ["crawler, distributed, one process", [null], MEMBER_PORT + 10],
    ["crawler, distributed, four processes", four, MEMBER_PORT + 20]
  ] as const) {
    const { database, env } = await servers(bench, `throughput${stages.length}`)
    const fleet = fleetOf(bench, executable, { ...env, ...quick }, stages, port)
    distributed.push(await worked(bench, what, site, fleet, () => finished(database, whole, SECONDS_MAX, false)))
  }
  const bus = await busMs(bench.folder)
  const peers = meanOf(before, await peersOf(bench, folder))
  const scrapy = peers.find((it) => it.what === "scrapy-parsel")
  const share = (it: Row | undefined) => (it?.cpuMs ?? Number.NaN) / (scrapy?.cpuMs ?? Number.NaN)
  const worst = Math.max(...[embedded, ...distributed].map(share))
  return {
    rows: [...peers, embedded, ...distributed].map((it) => ({
      what: it.what,
      pages: it.pages,
      "pages/s": (it.pages / it.seconds).toFixed(1),
      "CPU ms/page": it.cpuMs.toFixed(2),
      "servers' CPU ms/page": it.serversMs.toFixed(2),
      "× Scrapy": share(it).toFixed(2)
    })),
    figure: `throughput: CPU a page × Scrapy's: embedded ${share(embedded).toFixed(2)}, distributed ${share(distributed[0]).toFixed(2)} in one process and ${share(distributed[1]).toFixed(2)} in four; the bus ${bus.toFixed(2)} ms a page`,
    holds: worst <= SHARE_MAX && bus <= BUS_MS_MAX
  }
})
