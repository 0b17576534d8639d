/**
 * Proof chaos: four processes on Kafka, Postgres and Redis crawl 10,000 articles on 200 hosts while a random one is SIGKILLed every
 * 15 s (30 kills and more), and Kafka restarts, Postgres restarts and Redis forgets everything in the middle: 0 lost, 0
 * doubled, 0 gaps of a host undercut.
 */
import { RedisClient } from "bun"
import * as kafka from "../services/kafka.ts"
import * as postgres from "../services/postgres.ts"
import { finished, four, judge, promptWeb, seed, standing } from "./distributed.ts"
import { fleetOf, frozenBinary, servers } from "./fleet.ts"
import { prove } from "./proof.ts"

const HOSTS = Number(process.env.HOSTS ?? 200)
const ARTICLES = Number(process.env.ARTICLES ?? 50)
const KILLS = Number(process.env.KILLS ?? 30)
const KILL_EVERY_MS = Number(process.env.KILL_EVERY ?? 15) * 1000
/** The crawl must outlast the kills: a host gives a page in so many milliseconds. */
const DELAY_MS = Number(process.env.DELAY ?? 9000)
/** After the last kill all that is left must be done within this. */
const END_SECONDS_MAX = 900

await prove(async (bench) => {
  const executable = await frozenBinary(bench)
  const { env, database, ports } = await servers(bench, "chaos")
  const site = await promptWeb(bench, ["--hosts", String(HOSTS), "--articles", String(ARTICLES)])
  const pace = {
    FETCH_DELAY: `${DELAY_MS}ms`,
    FETCH_TIMEOUT: "10s",
    BUS_LEASE: "15s",
    BUS_POLL: "200ms",
    KAFKA_RESEND: "1m"
  }
  const settings = { ...env, ...pace, SOURCE_BACKLOG: "3650d", ARTICLE_REVISITS: "off" }
  const fleet = fleetOf(bench, executable, settings, four, 18_510)
  await seed(bench, fleet, site)
  await Promise.all(fleet.members.map((it) => it.start()))

  const disasters: ReadonlyArray<readonly [at: number, what: string, work: () => Promise<unknown>]> = [
    [Math.floor(KILLS * 0.3), "kafka restarts", () => kafka.stop("SIGKILL").then(() => kafka.start(ports))],
    [Math.floor(KILLS * 0.5), "postgres restarts", () => postgres.stop().then(() => postgres.start(ports))],
    [Math.floor(KILLS * 0.7), "redis forgets", () => new RedisClient(env.REDIS_URL ?? "").send("FLUSHALL", [])]
  ]
  let kills = 0
  for (let round = 0; kills < KILLS; round += 1) {
    await Bun.sleep(KILL_EVERY_MS)
    for (const [at, what, work] of disasters) {
      if (at !== round) continue
      console.error(what)
      await work()
    }
    const victim = fleet.members[Math.floor(Math.random() * fleet.members.length)]
    if (victim === undefined) continue
    const fallen = fleet.members.filter((it) => it.ended() !== null).map((it) => `${it.stages}: ${it.ended()}`)
    if (fallen.length > 0) throw new Error(`ended by themselves: ${fallen.join("; ")}`)
    await victim.kill()
    kills += 1
    await victim.start()
    console.error(`kill ${kills}: ${victim.stages}: ${JSON.stringify(await standing(database))}`)
  }
  const whole = (await site.truth()).length
  const done = await finished(database, whole, END_SECONDS_MAX)
  const verdict = await judge(database, site, DELAY_MS)
  const exits = await Promise.all(fleet.members.map((it) => it.stop()))
  const { lost, doubled, foreign, gapViolations } = verdict
  return {
    rows: [{ kills, of: whole, ...verdict, "exit codes": exits.map((it) => it.code).join(" ") }],
    figure: `chaos: ${kills} SIGKILLs and three servers restarted or emptied, ${whole} articles: ${lost} lost, ${doubled} doubled, ${gapViolations} gaps undercut (least ${verdict.leastGapMs} ms of ${DELAY_MS})`,
    holds: done && lost === 0 && doubled === 0 && foreign === 0 && gapViolations === 0 && kills >= KILLS
  }
})
