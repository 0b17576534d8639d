/** What the proofs on real servers share: seeding a fleet, watching it, and judging it by the web's own log and truth. */
import { writeFileSync } from "node:fs"
import { getPriority, setPriority } from "node:os"
import { join } from "node:path"
import type { SQL } from "bun"
import type { Entry } from "../../test/support/web/log.ts"
import type { Fleet } from "./fleet.ts"
import { type Bench, jsonLines, type RemoteWeb, web } from "./proof.ts"

/** Gaps count from an answer, so none can look shorter than it was, but for the rounding of three clocks (ms). */
const WIRE_MS = 20

/** Less is more urgent; only an administrator may ask for it. */
const URGENT = -15
/** The web, ahead of everyone else on this machine: its log is the judge, so it must not be late itself. */
export const promptWeb = async (bench: Bench, options: ReadonlyArray<string>): Promise<RemoteWeb> => {
  const usual = getPriority()
  try {
    setPriority(URGENT)
  } catch {
    console.error("not allowed to put the web first: gaps are measured with its delays")
  }
  try {
    return await web(bench, options)
  } finally {
    setPriority(usual)
  }
}

/** Brings schema and topics up, and every host's sitemap as a source that is polled once. */
export const seed = async (bench: Bench, fleet: Fleet, site: RemoteWeb): Promise<void> => {
  const migrated = await fleet.ask("migrate")
  if (migrated.code !== 0) throw new Error(`migrate: ${migrated.stderr}`)
  const list = join(bench.folder, "sources.jsonl")
  const lines = site.fronts.map((it) => JSON.stringify({ url: `${it}sitemap.xml`, kind: "sitemap", every: "1d" }))
  writeFileSync(list, `${lines.join("\n")}\n`)
  const added = await fleet.ask("sources", "import", list)
  if (added.code !== 0) throw new Error(`sources import: ${added.stderr}${added.stdout}`)
}

export interface Standing {
  readonly articles: number
  readonly left: number
  readonly dead: number
}
/** null while the database does not answer. */
export const standing = async (database: SQL): Promise<Standing | null> => {
  try {
    const [row] = await database`select (select count(*)::int from articles) as articles,
      (select count(*)::int from messages) as left, (select count(*)::int from dead_letters) as dead`
    return row as Standing
  } catch {
    return null
  }
}

/** Waits until nothing is left, or for so many seconds. */
export const finished = async (database: SQL, articles: number, seconds: number, say = true): Promise<boolean> => {
  const end = performance.now() + seconds * 1000
  for (let look = 0; performance.now() < end; look += 1) {
    const now = await standing(database)
    if (now !== null && now.articles >= articles && now.left === 0) return true
    if (say && look % 10 === 0) console.error(JSON.stringify(now))
    await Bun.sleep(1000)
  }
  return false
}

export interface Judgement {
  readonly articles: number
  readonly lost: number
  readonly doubled: number
  readonly foreign: number
  readonly gapViolations: number
  readonly leastGapMs: number
  readonly inFlightMax: number
  readonly refetches: number
  readonly deadLetters: number
}

export const judge = async (database: SQL, site: RemoteWeb, delayMs: number): Promise<Judgement> => {
  const truth = new Set((await site.truth()).map((it) => it.url))
  const stored = (await database`select url from articles`) as ReadonlyArray<{ url: string }>
  const times = new Map<string, number>()
  for (const { url } of stored) times.set(url, (times.get(url) ?? 0) + 1)
  const entries = jsonLines<Entry>(await site.ask("/__log"))
  const gaps = [...Map.groupBy(entries, (it) => it.host).values()].flatMap((all) => {
    const starts = all.map((it) => it.start).toSorted((a, b) => a - b)
    return starts.slice(1).map((it, at) => it - (starts[at] ?? 0))
  })
  const [letters] = await database`select count(*)::int as n from dead_letters`
  const stats = await site.stats()
  // A process learns each host's robots.txt for itself, so a new one asks again: that is no page.
  const pages = entries.filter((it) => it.status === 200 && it.path !== "/robots.txt").map((it) => it.host + it.path)
  return {
    articles: stored.length,
    lost: [...truth].filter((url) => !times.has(url)).length,
    doubled: [...times.values()].reduce((sum, it) => sum + it - 1, 0),
    foreign: [...times.keys()].filter((url) => !truth.has(url)).length,
    gapViolations: gaps.filter((it) => it < delayMs - WIRE_MS).length,
    leastGapMs: Math.round(Math.min(...gaps)),
    inFlightMax: stats.maxInFlight,
    refetches: pages.length - new Set(pages).size,
    deadLetters: letters.n
  }
}

/** The deployment that the proofs run: four processes share the stages. */
export const four = ["fetcher", "validator,parser:2", "scorer,router", "scheduler,api"] as const
