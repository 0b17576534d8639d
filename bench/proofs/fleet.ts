/** Several crawlers on real servers: a database, topics and keys of their own, processes that may be killed and started again. */
import { closeSync, copyFileSync, openSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import { dropTopics } from "../../src/infra/kafka/client.ts"
import * as kafka from "../services/kafka.ts"
import * as objects from "../services/objects.ts"
import { portsOf, settingsOf } from "../services/places.ts"
import * as postgres from "../services/postgres.ts"
import * as redis from "../services/redis.ts"
import { type Bench, binary, Missing, type Ran, run } from "./proof.ts"

const READY_SECONDS_MAX = 60
const LOOK_MS = 50

/** The executable as it is now: a build that comes meanwhile changes no process under test. */
export const frozenBinary = async (bench: Bench): Promise<string> => {
  const frozen = join(bench.folder, "crawler")
  copyFileSync(await binary(), frozen)
  return frozen
}

export interface Servers {
  /** Settings of a crawler on these servers. */
  readonly env: Readonly<Record<string, string>>
  readonly database: SQL
  readonly ports: Awaited<ReturnType<typeof portsOf>>
}

/** The scratch servers, started where they are not, with an empty database and names that nobody used before. */
export const servers = async (bench: Bench, name: string): Promise<Servers> => {
  if (postgres.installed() === null || redis.installed() === null || Bun.which("java") === null)
    throw new Missing("the servers are not installed: make services")
  const ports = await portsOf()
  await postgres.start(ports)
  await redis.start(ports)
  await kafka.start(ports)
  await objects.start(ports)
  const url = postgres.fresh(ports, `proof_${name}`)
  const mark = `${name}${Date.now().toString(36)}`
  const database = new SQL(url, { max: 2 })
  bench.later(() => database.close())
  // A broker that keeps the topics of every proof takes longer to start each time.
  bench.later(() => dropTopics([`127.0.0.1:${ports.kafka}`], `${mark}.`).catch(() => undefined))
  return {
    env: { ...settingsOf(ports), DATABASE_URL: url, KAFKA_PREFIX: `${mark}.`, REDIS_PREFIX: `${mark}:` },
    database,
    ports
  }
}

export interface Member {
  readonly stages: string
  readonly start: () => Promise<void>
  readonly kill: () => Promise<void>
  /** SIGTERM; answers the exit code and how long it took. */
  readonly stop: () => Promise<{ readonly code: number; readonly seconds: number }>
  /** Ended by itself: its exit code, else null. */
  readonly ended: () => number | null
  readonly cpuSeconds: () => number
}

export interface Fleet {
  readonly members: ReadonlyArray<Member>
  readonly ask: (...words: ReadonlyArray<string>) => Promise<Ran>
}

/** Processes of one crawler, one per list of stages (null: all of them in one). Each listens on a port of its own. */
export const fleetOf = (
  bench: Bench,
  executable: string,
  settings: Readonly<Record<string, string>>,
  stages: ReadonlyArray<string | null>,
  firstPort: number
): Fleet => {
  const env = (at: number) => ({
    ...process.env,
    CRAWLER_DATA_DIR: join(bench.folder, `data-${at}`),
    HTTP_PORT: String(firstPort + at),
    ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
    // No page here needs a browser, and one that comes up after every kill would take the machine's time.
    CHROMIUM_PATH: join(bench.folder, "none"),
    LOG_LEVEL: process.env.FLEET_LOG_LEVEL ?? "warn",
    ...settings
  })
  const member = (list: string | null, at: number): Member => {
    let child: Bun.Subprocess | null = null
    let used = 0
    const ready = () =>
      fetch(`http://127.0.0.1:${firstPort + at}/readyz`).then(
        (it) => it.status === 200,
        () => false
      )
    const over = async () => {
      if (child === null) return -1
      const code = await child.exited
      used += Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
      child = null
      return code
    }
    return {
      stages: list ?? "all",
      start: async () => {
        const words = list === null ? [] : ["--stages", list]
        const path = join(process.env.FLEET_LOGS ?? bench.folder, `member-${at}.log`)
        const log = Bun.file(path)
        const stderr = openSync(path, "a")
        child = Bun.spawn([executable, "run", ...words], { env: env(at), stdout: "ignore", stderr, stdin: "ignore" })
        const began = child
        bench.later(() => began.kill("SIGKILL"))
        closeSync(stderr)
        const end = performance.now() + READY_SECONDS_MAX * 1000
        while (!(await ready())) {
          if (child.exitCode !== null) throw new Error(`${list}: ended with ${child.exitCode}: ${await log.text()}`)
          if (performance.now() > end) throw new Error(`${list}: not ready in time: ${(await log.text()).slice(-2000)}`)
          await Bun.sleep(LOOK_MS)
        }
      },
      kill: async () => {
        child?.kill("SIGKILL")
        await over()
      },
      stop: async () => {
        const asked = performance.now()
        child?.kill("SIGTERM")
        return { code: await over(), seconds: (performance.now() - asked) / 1000 }
      },
      ended: () => child?.exitCode ?? null,
      cpuSeconds: () => used
    }
  }
  const members = stages.map(member)
  return { members, ask: (...words) => run([executable, ...words], { env: { ...env(90), HTTP_PORT: "0" } }) }
}
