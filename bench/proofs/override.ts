/**
 * Proof override: an override set by SQL decides within 5 s in a running process, and within 5 s of its end decides nothing more;
 * on the embedded store by the life of a cache entry, on a PostgreSQL server by notification.
 *
 * A crawler runs; a fixture host publishes an article four times a second and its feed is polled as often. Each stored
 * article carries the priority it was given and who decided, and its URL when that was: so decisions are read where they matter.
 */
import postgres from "postgres"
import { portsOf } from "../services/places.ts"
import * as server from "../services/postgres.ts"
import { runningAs } from "../services/processes.ts"
import { type Ask, overApi } from "./asking.ts"
import { crawlerIn } from "./crawler.ts"
import { type Bench, binary, prove, run, web } from "./proof.ts"

const BAR_SECONDS = 5
/** Articles before the override, how long it holds, and how long it is watched after its end. */
const BEFORE_MS = 3000
const HOLDS_MS = 9000
const AFTER_MS = 7000
const EVERY_MS = 250
const PORTS = { embedded: 18_451, server: 18_452 }
const TOKEN = "a-token-of-this-proof"

interface Decided {
  readonly value: string
  readonly by: string
  /** When its link was given its priority. */
  readonly at: number
}
const story = async (ask: Ask, publish: () => Promise<unknown>, host: string) => {
  const until = async (end: number) => {
    while (Date.now() < end) {
      await publish()
      await ask("update sources set next_poll_at = now()")
      await Bun.sleep(EVERY_MS)
    }
  }
  await until(Date.now() + BEFORE_MS)
  const ends = Date.now() + HOLDS_MS
  await ask(`insert into fetcher_rules (host_pattern, fetcher, priority_config) values ('${host}', 'auto',
    jsonb_build_object('base_priority', 'low', 'override_until', '${new Date(ends).toISOString()}'))`)
  const set = Date.now()
  await until(ends + AFTER_MS)
  // What was decided last is still being fetched.
  await Bun.sleep(3000)
  const rows = await ask(`select rest->'priority'->>'value' as value, rest->'priority'->>'by' as by,
    (extract(epoch from u.first_seen_at) * 1000)::float8 as at
    from articles a join urls u on u.url_key = a.url_key order by u.first_seen_at`)
  const decided = rows.map((it): Decided => ({ value: String(it.value), by: String(it.by), at: Number(it.at) }))
  const [swept] = await ask(
    "select (select count(*)::int from audit_log where action = 'override_expired') as audit, (select count(*)::int from fetcher_rules where priority_config is null) as cleared"
  )
  return { set, ends, decided, swept }
}

const seconds = (ms: number) => (ms / 1000).toFixed(2)

const judge = (where: string, how: string, { decided, ends, set, swept }: Awaited<ReturnType<typeof story>>) => {
  const overridden = decided.filter((it) => it.by === "override")
  const others = decided.filter((it) => it.by !== "override")
  const first = Math.min(...overridden.map((it) => it.at)) - set
  // The last decision that still went the old way, and the last that still obeyed.
  const late = Math.max(first, ...others.filter((it) => it.at < ends).map((it) => it.at - set))
  const long = Math.max(0, ...overridden.map((it) => it.at - ends))
  const after = others.filter((it) => it.at > ends).length
  const right = overridden.every((it) => it.value === "low") && others.every((it) => it.value === "normal")
  const holds =
    overridden.length >= 3 && after >= 3 && right && late <= BAR_SECONDS * 1000 && long <= BAR_SECONDS * 1000
  return {
    holds,
    late,
    long,
    row: {
      where,
      by: how,
      articles: decided.length,
      overridden: overridden.length,
      "first s": seconds(first),
      "acts within s": seconds(late),
      "lapses within s": seconds(long),
      "cleared, audited": `${swept?.cleared}, ${swept?.audit}`
    }
  }
}

const scene = async (
  bench: Bench,
  executable: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  ask: Ask
) => {
  const site = await web(bench, ["--hosts", "1", "--articles", "3"])
  const front = site.fronts[0] ?? ""
  const crawler = crawlerIn(
    bench,
    executable,
    {
      FETCH_DELAY: "0ms",
      SCHEDULER_TICK: "50ms",
      SOURCE_BACKLOG: "3650d",
      ARTICLE_REVISITS: "off",
      ADMIN_TOKEN: TOKEN,
      ...settings
    },
    port
  )
  if (settings.DATABASE_URL !== undefined) {
    const migrated = await run([executable, "migrate"], { env: { ...settings } })
    if (migrated.code !== 0) throw new Error(migrated.stderr)
  }
  const added = await crawler.ask(
    "sources",
    "add",
    `${front}rss.xml`,
    "--kind",
    "feed",
    "--every",
    "30d",
    "--category",
    "sports"
  )
  if (added.code !== 0) throw new Error(added.stderr)
  const life = await crawler.start()
  const told = await story(ask, () => site.ask("/__publish?count=1"), new URL(front).hostname)
  await life.stop()
  return told
}

await prove(async (bench) => {
  const executable = await binary()
  const folder = (name: string) => ({ CRAWLER_DATA_DIR: `${bench.folder}/${name}` })
  const local = judge(
    "embedded",
    "life of an entry",
    await scene(bench, executable, PORTS.embedded, folder("embedded"), overApi(PORTS.embedded, TOKEN))
  )
  const results = [local]
  if (server.installed() !== null) {
    const ports = await portsOf()
    if (runningAs("postgres") === null) {
      await server.start(ports)
      bench.later(() => server.stop())
    }
    const url = server.fresh(ports, `proof_override_${process.pid}`)
    const sql = postgres(url, { max: 1, onnotice: () => undefined })
    bench.later(() => sql.end({ timeout: 1 }))
    const told = await scene(bench, executable, PORTS.server, { ...folder("server"), DATABASE_URL: url }, (text) =>
      sql.unsafe(text)
    )
    results.push(judge("PostgreSQL", "notification", told))
  }
  const worst = (pick: (it: (typeof results)[number]) => number) => seconds(Math.max(...results.map(pick)))
  return {
    rows: results.map((it) => it.row),
    figure: `override: acts within ${worst((it) => it.late)} s and lapses within ${worst((it) => it.long)} s of its time (${results.map((it) => `${it.row.where}: ${it.row["acts within s"]} s, by ${it.row.by}`).join("; ")})`,
    holds: results.every((it) => it.holds)
  }
})
