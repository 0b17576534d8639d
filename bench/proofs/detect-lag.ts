/**
 * Proof detect-lag: while more is published than can be fetched at once, articles of High hosts are detected in at most 0.7 of
 * the time (median) that the same hosts' articles take without scores, in one run.
 *
 * A crawler with few fetches at a time follows forty hosts of one category; all publish at the same instant, six times. Three
 * times no host has a score, so all are Normal by category; three times four of them are High by a score, made by the scorer from
 * signals written for it. Turns alternate, so that both kinds meet the same machine.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { overApi } from "./asking.ts"
import { crawlerIn } from "./crawler.ts"
import { binary, prove, web } from "./proof.ts"

const HOSTS = 40
const HIGH_HOSTS = 4
const BURST = Number(process.env.BURST ?? 4)
const TURNS = Number(process.env.TURNS ?? 6)
const RATIO_MAX = 0.7
const PORT = 18_453
const TOKEN = "a-token-of-this-proof"
const WAIT_MS = 250
const TURN_SECONDS_MAX = 180

const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

const signals = (hosts: ReadonlyArray<string>) =>
  `insert into host_signals (host, bucket, samples, errors, browser, latency_ms, latencies, lag_ms, lags, passed, rejected,
     impact, impacts, trips, relearns)
   select h, date_bin('15 minutes', now(), 'epoch'), 100, 0, 0, 5000, 100, 60000, 100, 100, 0, 100, 100, 0, 0
   from unnest(array['${hosts.join("','")}']) h
   on conflict (host, bucket) do update set samples = 100, errors = 0, lag_ms = 60000, lags = 100, passed = 100`

await prove(async (bench) => {
  const executable = await binary()
  const site = await web(bench, ["--hosts", String(HOSTS), "--articles", "2", "--latency", "100"])
  const names = site.fronts.map((it) => new URL(it).hostname)
  const chosen = names.slice(0, HIGH_HOSTS)
  const settings = {
    FETCH_CONCURRENCY: "3",
    FETCH_DELAY: "0ms",
    SCHEDULER_TICK: "50ms",
    SCORING_INTERVAL: "1s",
    PRIORITY_CACHE_TTL: "0ms",
    SOURCE_BACKLOG: "3650d",
    ARTICLE_REVISITS: "off",
    ADMIN_TOKEN: TOKEN
  }
  const crawler = crawlerIn(bench, executable, settings, PORT)
  const list = join(bench.folder, "sources.jsonl")
  writeFileSync(
    list,
    site.fronts
      .map((it) => `${JSON.stringify({ url: `${it}rss.xml`, kind: "feed", every: "30d", category: "sports" })}\n`)
      .join("")
  )
  const added = await crawler.ask("sources", "import", list)
  if (added.code !== 0) throw new Error(added.stderr)
  const life = await crawler.start()
  const sql = overApi(PORT, TOKEN)
  const one = async (text: string) => (await sql<{ n: number }>(text))[0]?.n ?? Number.NaN
  const until = async (what: string, text: string, wanted: number) => {
    const end = performance.now() + TURN_SECONDS_MAX * 1000
    while ((await one(text)) !== wanted) {
      if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
      await Bun.sleep(WAIT_MS)
    }
  }
  const articles = "select count(*)::int as n from articles"
  await sql("update sources set next_poll_at = now()")
  await until("the first articles", articles, HOSTS * 2)

  const lags: Record<"with" | "without", Array<number>> = { with: [], without: [] }
  const others: Record<"with" | "without", Array<number>> = { with: [], without: [] }
  const decided = new Set<string>()
  for (let turn = 0; turn < TURNS; turn += 1) {
    const kind = turn % 2 === 0 ? "without" : "with"
    await sql("delete from host_signals")
    await sql("delete from host_scoring_state")
    if (kind === "with") {
      await sql(signals(chosen))
      await until("scores", "select count(*)::int as n from host_scoring_state where score >= 0.5", HIGH_HOSTS)
    }
    const published = Date.now()
    await site.ask(`/__publish?count=${BURST}`)
    await sql("update sources set next_poll_at = now()")
    await until("the burst", articles, HOSTS * (2 + BURST * (turn + 1)))
    const rows = await sql<{
      host: string
      at: number
      by: string
      value: string
    }>(`select host, (extract(epoch from detected_at) * 1000)::float8 as at, rest->'priority'->>'by' as by,
         rest->'priority'->>'value' as value
       from articles where detected_at >= to_timestamp(${published} / 1000.0)`)
    for (const { at, by, host, value } of rows) {
      const mine = chosen.includes(host)
      if (mine) decided.add(`${kind}: ${value} by ${by}`)
      ;(mine ? lags : others)[kind].push((at - published) / 1000)
    }
  }
  await life.stop()
  const row = (kind: "with" | "without") => ({
    scores: kind,
    "median s, four hosts": median(lags[kind]).toFixed(2),
    "last s, four hosts": Math.max(...lags[kind]).toFixed(2),
    "median s, other hosts": median(others[kind]).toFixed(2),
    articles: lags[kind].length + others[kind].length
  })
  const ratio = median(lags.with) / median(lags.without)
  const right = decided.size === 2 && decided.has("with: high by score") && decided.has("without: normal by category")
  return {
    rows: [row("without"), row("with")],
    figure: `detect-lag: median publish→detect of ${HIGH_HOSTS} hosts among ${HOSTS} is ${median(lags.without).toFixed(2)} s without scores and ${median(lags.with).toFixed(2)} s with (ratio ${ratio.toFixed(2)})`,
    holds: right && ratio <= RATIO_MAX
  }
})
