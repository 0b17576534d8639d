/**
 * Proof drain: 3 rolling restarts by SIGTERM of four processes under load: each drains within 25 s and exits 0, and nothing is
 * fetched, stored or revised a second time.
 */
import { finished, four, judge, promptWeb, seed, standing } from "./distributed.ts"
import { fleetOf, frozenBinary, servers } from "./fleet.ts"
import { prove } from "./proof.ts"

const HOSTS = Number(process.env.HOSTS ?? 60)
const ARTICLES = Number(process.env.ARTICLES ?? 40)
const ROUNDS = 3
const DRAIN_SECONDS_MAX = 25
/** The crawl must outlast the restarts: a host gives a page in so many milliseconds. */
const DELAY_MS = Number(process.env.DELAY ?? 3000)
const BETWEEN_MS = 3000
const END_SECONDS_MAX = 900

await prove(async (bench) => {
  const executable = await frozenBinary(bench)
  const { env, database } = await servers(bench, "drain")
  const site = await promptWeb(bench, ["--hosts", String(HOSTS), "--articles", String(ARTICLES)])
  const settings = { ...env, FETCH_DELAY: `${DELAY_MS}ms`, SOURCE_BACKLOG: "3650d", ARTICLE_REVISITS: "off" }
  const fleet = fleetOf(bench, executable, settings, four, 18_530)
  await seed(bench, fleet, site)
  await Promise.all(fleet.members.map((it) => it.start()))
  const drains: Array<{ stages: string; code: number; seconds: number; left: number }> = []
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const member of fleet.members) {
      await Bun.sleep(BETWEEN_MS)
      const left = (await standing(database))?.left ?? 0
      const ended = await member.stop()
      drains.push({ stages: member.stages, ...ended, left })
      console.error(JSON.stringify(drains.at(-1)))
      await member.start()
    }
  }
  const done = await finished(database, HOSTS * ARTICLES, END_SECONDS_MAX)
  const verdict = await judge(database, site, DELAY_MS)
  const [again] = await database`select coalesce(sum(revision), 0)::int as revisions from articles`
  await Promise.all(fleet.members.map((it) => it.stop()))
  const slowest = Math.max(...drains.map((it) => it.seconds))
  const failed = drains.filter((it) => it.code !== 0).length
  const { lost, doubled, foreign, refetches, gapViolations } = verdict
  const holds =
    done &&
    failed === 0 &&
    slowest <= DRAIN_SECONDS_MAX &&
    lost + doubled + foreign + refetches + again.revisions + gapViolations === 0 &&
    drains.every((it) => it.left > 0)
  return {
    rows: four.map((stages) => {
      const own = drains.filter((it) => it.stages === stages)
      return {
        stages,
        restarts: own.length,
        "slowest s": Math.max(...own.map((it) => it.seconds)).toFixed(2),
        exits: own.map((it) => it.code).join(" ")
      }
    }),
    figure: `drain: ${drains.length} SIGTERMs under load, slowest ${slowest.toFixed(2)} s, ${failed} exits other than 0; ${verdict.articles} of ${HOSTS * ARTICLES} articles, ${refetches} pages fetched twice, ${again.revisions} revised, ${lost} lost, ${doubled} doubled`,
    holds
  }
})
