/**
 * Proof research-kill: 100 SIGKILLs (KILLS=500 in a soak) at random moments over repeated batches: 0 partial files, 0 changed
 * datasets, 0 repeated finished chunks, every batch completes; a re-run on the same answers is byte-identical.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Dataset } from "../../src/domain/research/record.ts"
import { discoveryServer } from "../../test/support/discovery/server.ts"
import { seedUrls } from "../../test/support/discovery/world.ts"
import { rerun } from "../research/rerun.ts"
import { command, type Researcher, researcher } from "../research/researcher.ts"
import { prove } from "./proof.ts"

const KILLS = Number(process.env.KILLS ?? 100)
/** On a busy machine a run may end early, and then says how far it came: below the bar. */
const MINUTES_MAX = Number(process.env.MINUTES ?? 120)
const URLS = 300
const CHUNKS = 3
/** One answer of a source, ms. */
const ANSWER_MS = 1
/** A life ends at random within this time after it was ready: some finish no chunk, some several. */
const LIFE_MS = Number(process.env.LIFE_MS ?? 4000)
const END_SECONDS = 180
/** The same port again and again: the one before is dead. */
const PORT = 18_451

interface Batch {
  readonly id: string
  readonly urls: ReadonlyArray<string>
}

await prove(async (bench) => {
  const run = await command()
  const server = discoveryServer({ delayMs: ANSWER_MS })
  bench.later(server.stop)
  const settings = { ...server.settings, LOG_LEVEL: "error" }
  const folder = join(bench.folder, "data", "research", "datasets", "country=sg", "category=news")
  /** Bytes of every dataset as first seen, and when its chunk was first seen finished. */
  const seen = new Map<string, { readonly text: string; readonly at: number }>()
  const faults = { partial: 0, changed: 0 }
  const batches: Array<Batch> = []

  /** Looks at the tree while nobody writes. */
  const scan = (at: number) => {
    const files = existsSync(folder) ? readdirSync(folder) : []
    for (const name of files) {
      const text = readFileSync(join(folder, name), "utf8")
      const before = seen.get(name)
      try {
        JSON.parse(text)
      } catch {
        faults.partial += 1
      }
      if (!/^\d{4}-\d{2}-\d{2}_(?:\d{4,}|summary)\.json$|^_manifest\.json$/.test(name)) faults.partial += 1
      if (!/_\d{4,}\.json$/.test(name)) continue
      if (before === undefined) seen.set(name, { text, at })
      else if (before.text !== text) faults.changed += 1
    }
    for (const name of seen.keys()) if (!files.includes(name)) faults.changed += 1
  }

  const open = async (crawler: Researcher): Promise<number> => {
    const answer = await crawler.call("/queues/batches?limit=1000")
    const all = answer.body.data.batches as unknown as ReadonlyArray<{ readonly status: string }>
    return all.filter((it) => it.status === "queued" || it.status === "processing").length
  }
  const begin = async (crawler: Researcher) => {
    const from = batches.length * URLS
    const urls = seedUrls(from + URLS).slice(from)
    const body = {
      country: "SG",
      category: "news",
      urls,
      chunk_size: 100,
      research_methods: ["crtsh", "wayback_machine"]
    }
    const answer = await crawler.call("/queues/research", body)
    batches.push({ id: String(answer.body.data.batch_id), urls })
  }

  let kills = 0
  /** Kills that the next life found a batch unfinished after. */
  let amid = 0
  const enough = Date.now() + MINUTES_MAX * 60_000
  for (; kills < KILLS && Date.now() < enough; kills++) {
    const crawler = await researcher(bench, run, PORT, settings)
    if ((await open(crawler)) === 0) await begin(crawler)
    else amid += 1
    await Bun.sleep(Math.random() * LIFE_MS)
    await crawler.kill()
    scan(Date.now())
    if (kills % 10 === 9) console.error(`${kills + 1} kills, ${batches.length} batches, ${seen.size} datasets`)
  }
  const last = await researcher(bench, run, PORT, settings)
  const until = Date.now() + END_SECONDS * 1000
  while ((await open(last)) > 0 && Date.now() < until) await Bun.sleep(200)
  const left = await open(last)
  await last.stop()
  scan(Date.now())
  const verified = Bun.spawnSync([...run, "research", "verify"], {
    env: { ...process.env, CRAWLER_DATA_DIR: join(bench.folder, "data") }
  })

  const given = new Map<string, string>()
  for (const [name, { text }] of seen) {
    for (const it of (JSON.parse(text) as Dataset).records) {
      if (it.discovery_method === "given") given.set(it.registrable_domain, name)
    }
  }
  const repeated = server.asked.filter(({ subject, at }) => {
    const name = given.get(subject)
    const finished = name === undefined ? undefined : seen.get(name)
    return finished !== undefined && at > finished.at
  }).length
  const missing = batches
    .flatMap((it) => it.urls)
    .filter((url) => !given.has(new URL(url).hostname.replace(/^www\./, ""))).length
  const recorded = discoveryServer()
  bench.later(recorded.stop)
  const first = await rerun(join(bench.folder, "first"), recorded.settings, seedUrls(250))
  const second = await rerun(join(bench.folder, "second"), recorded.settings, seedUrls(250))
  const identical = first.hash === second.hash && first.files === 3
  const all = batches.length * CHUNKS
  const asked = server.asked.length
  return {
    rows: [
      {
        kills,
        "amid a batch": amid,
        batches: batches.length,
        datasets: `${seen.size} of ${all}`,
        partial: faults.partial,
        changed: faults.changed,
        "questions about finished chunks": repeated,
        "URLs missing": missing,
        "questions again": `${asked - batches.length * URLS * 2} of ${asked}`,
        verify: verified.exitCode,
        "re-run": identical ? "identical" : "DIFFERS"
      }
    ],
    figure: `research-kill: ${kills} SIGKILLs (${amid} amid a batch), ${batches.length} batches, ${seen.size} datasets: ${faults.partial} partial files, ${faults.changed} changed, ${repeated} questions about finished chunks; re-run ${identical ? "byte-identical" : "differs"}`,
    holds:
      faults.partial + faults.changed + repeated + missing + left === 0 &&
      seen.size === all &&
      verified.exitCode === 0 &&
      identical &&
      kills >= 100
  }
})
