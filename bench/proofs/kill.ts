/**
 * Proof kill: 2,000 articles survive 40 SIGKILLs, 2 to 5 s after each /readyz: 0 lost, 0 doubled; SIGTERM in mid-run drains
 * within 25 s with exit 0.
 */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Crawler, crawlerIn, rowsOf } from "./crawler.ts"
import { binary, prove, web } from "./proof.ts"

const HOSTS = 50
const ARTICLES = 40
const KILLS = Number(process.env.KILLS ?? 40)
const DRAIN_SECONDS_MAX = 25
/** The crawl must last longer than the kills: at this pace a host gives about one page a life. */
const DELAY = "1300ms"
const ROUNDS_MAX = 200

interface Counted {
  readonly articles: number
  readonly urls: number
  readonly left: number
}
const counted = async (crawler: Crawler): Promise<Counted> => {
  const [row] = await rowsOf<Counted>(
    crawler,
    `select (select count(*)::int from articles) as articles, (select count(distinct url)::int from articles) as urls,
      (select count(*)::int from messages) as left`
  )
  if (row === undefined) throw new Error("no count")
  return row
}

await prove(async (bench) => {
  const executable = await binary()
  const site = await web(bench, ["--hosts", String(HOSTS), "--articles", String(ARTICLES)])
  const settings = { FETCH_DELAY: DELAY, SOURCE_BACKLOG: "3650d", ARTICLE_REVISITS: "off" }
  const crawler = crawlerIn(bench, executable, settings, 18_431)
  const list = join(bench.folder, "sources.jsonl")
  const sources = site.fronts.map((front) =>
    JSON.stringify({ url: `${front}sitemap.xml`, kind: "sitemap", every: "1d" })
  )
  writeFileSync(list, `${sources.join("\n")}\n`)
  const added = await crawler.ask("sources", "import", list)
  if (added.code !== 0) throw new Error(`sources import: ${added.stderr}${added.stdout}`)

  const ready: Array<number> = []
  let kills = 0
  let drain = { code: -1, seconds: 0, left: 0 }
  let state: Counted = { articles: 0, urls: 0, left: 1 }
  for (let round = 0; round < ROUNDS_MAX && (kills < KILLS || state.left > 0 || state.articles === 0); round += 1) {
    const life = await crawler.start()
    ready.push(life.readyMs)
    await Bun.sleep(2000 + Math.random() * 3000)
    state = await counted(crawler)
    const middle = drain.code === -1 && (kills >= KILLS / 2 || state.articles > (HOSTS * ARTICLES) / 2)
    if (middle) drain = { ...(await life.stop()), left: state.left }
    else {
      await life.kill()
      kills += 1
    }
    console.error(
      `life ${round + 1}: ready after ${life.readyMs.toFixed(0)} ms, ${state.articles} articles, ${state.left} messages`
    )
  }

  const truth = await site.truth()
  const stored = await rowsOf<{ url: string; title: string }>(
    crawler,
    "select url, title from articles order by url limit 100000"
  )
  const letters = await rowsOf<{ code: string; n: number }>(
    crawler,
    "select code, count(*)::int n from dead_letters group by 1"
  )
  const byUrl = new Map<string, number>()
  for (const { url } of stored) byUrl.set(url, (byUrl.get(url) ?? 0) + 1)
  const lost = truth.filter((it) => !byUrl.has(it.url)).length
  const doubled = [...byUrl.values()].reduce((sum, count) => sum + count - 1, 0)
  const foreign = [...byUrl.keys()].filter((url) => !truth.some((it) => it.url === url)).length
  const stats = await site.stats()
  const slowest = Math.max(...ready)
  const holds =
    lost === 0 &&
    doubled === 0 &&
    foreign === 0 &&
    kills >= KILLS &&
    drain.code === 0 &&
    drain.left > 0 &&
    drain.seconds <= DRAIN_SECONDS_MAX
  return {
    rows: [
      {
        kills,
        articles: stored.length,
        lost,
        doubled,
        foreign,
        "dead letters": letters.map((it) => `${it.n} ${it.code}`).join(", ") || "0",
        refetches: stats.repeats,
        "drain s": drain.seconds.toFixed(2),
        "drain exit": drain.code,
        "slowest ready ms": slowest.toFixed(0)
      }
    ],
    figure: `kill: ${kills} SIGKILLs, ${truth.length} articles: ${lost} lost, ${doubled} doubled, ${stats.repeats} refetches; SIGTERM with ${drain.left} messages left drained in ${drain.seconds.toFixed(1)} s, exit ${drain.code}`,
    holds
  }
})
