/**
 * Proof extract-speed: decoding, parsing and extracting a saved page costs less than with @mozilla/readability or defuddle on linkedom,
 * at most 12 ms of CPU in the mean and at most 5 ms on the 61 kB page of the fixture web; two threads read faster than one.
 *
 * Every extractor reads the whole set once before the clock starts, as in a process that runs for days; what the first round
 * costs, with the runtime's own compiler at work, is shown beside it.
 */
import { Readability } from "@mozilla/readability"
import { Defuddle } from "defuddle/node"
import { parseHTML } from "linkedom"
import { decode } from "../../src/domain/charset.ts"
import { read } from "../../src/domain/read.ts"
import { framer } from "../../test/support/web/markup.ts"
import { articlePage, type Site } from "../../test/support/web/page.ts"
import { article, host } from "../../test/support/web/press.ts"
import { bytesOf, savedPages } from "./pages.ts"
import { prove } from "./proof.ts"

const bars = { savedMs: 12, fixtureMs: 5 }
const count = Number(process.env.PAGES ?? 120)
const FIXTURE_BYTES = 61_000
const FIXTURE_RUNS = 60
/** Times that threads read all pages: in one round of half a second the compilers have a say in who is faster. */
const ROUNDS = 6

interface Given {
  readonly url: string
  readonly bytes: Uint8Array
}

type Extractor = (page: Given) => unknown
const textOf = ({ bytes, url }: Given): string => decode(bytes, { content_type: null, url }).text

const extractors: Readonly<Record<string, Extractor>> = {
  crawler: ({ bytes, url }) => {
    const hints = {
      url,
      expected: "article",
      status: 200,
      content_type: null,
      truncated: false,
      fetched_at: Date.now(),
      html: false
    } as const
    return read(bytes, hints, null)
  },
  "@mozilla/readability + linkedom": (page) => new Readability(parseHTML(textOf(page)).document).parse(),
  "defuddle + linkedom": (page) => Defuddle(parseHTML(textOf(page)).document, page.url, { useAsync: false })
}

interface Timed {
  readonly times: ReadonlyArray<number>
  /** CPU of the whole process a page, ms: what neighbours on the machine do does not count. */
  readonly cpu: number
}

const timed = async (work: Extractor, pages: ReadonlyArray<Given>): Promise<Timed> => {
  const times: Array<number> = []
  const before = process.cpuUsage()
  for (const page of pages) {
    const began = performance.now()
    try {
      await work(page)
    } catch {
      // A peer that fails on a page has spent its time all the same.
    }
    times.push(performance.now() - began)
  }
  const { system, user } = process.cpuUsage(before)
  return { times, cpu: (system + user) / 1000 / pages.length }
}
const mean = (times: ReadonlyArray<number>): number => times.reduce((sum, it) => sum + it, 0) / times.length
const high = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN

/** An article page of the fixture web, filled up with its own menus to the size of the published measurements. */
const fixture = (): Given => {
  const paper = host(1, 0, 80, 0, "semantic")
  const articles = Array.from({ length: 20 }, (_, at) =>
    article(1, paper, 20 - at, new Date(Date.UTC(2026, 5, 20 - at)), 0)
  )
  const frame = framer(1, paper, 4)
  const site: Site = { seed: 1, host: paper, frame, articles, lists: 4, hrefs: (it) => [it.path], traps: [] }
  const [first] = articles
  const html = first === undefined ? "" : articlePage(site, first)
  const item = `<li class="menu-item"><a href="/list/1">Section of the paper</a></li>`
  const fill = item.repeat(
    Math.max(0, Math.ceil((FIXTURE_BYTES - new TextEncoder().encode(html).length) / item.length))
  )
  const bytes = new TextEncoder().encode(html.replace("</footer>", `<ul class="menu">${fill}</ul></footer>`))
  return { url: first?.url ?? "", bytes }
}

/** Seconds that `threads` workers need for a round of all pages between them; each has read all of them twice before. */
const inThreads = async (threads: number, paths: ReadonlyArray<{ readonly url: string; readonly path: string }>) => {
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL("../quality/reading.worker.ts", import.meta.url))
  )
  const answer = (worker: Worker, message: unknown) =>
    new Promise<void>((resolve) => {
      worker.addEventListener("message", () => resolve(), { once: true })
      worker.postMessage(message)
    })
  await Promise.all(workers.map((it) => answer(it, [...paths, ...paths])))
  const whole = Array.from({ length: ROUNDS }, () => paths).flat()
  const began = performance.now()
  await Promise.all(
    workers.map((it, at) =>
      answer(
        it,
        whole.filter((_, index) => index % threads === at)
      )
    )
  )
  const seconds = (performance.now() - began) / 1000 / ROUNDS
  for (const it of workers) it.terminate()
  return seconds
}

await prove(async () => {
  const saved = ["naeb", "fundus"].flatMap((set) => savedPages(set))
  const chosen = saved.filter((_, at) => at % Math.max(1, Math.floor(saved.length / count)) === 0).slice(0, count)
  const pages = chosen.map((it) => ({ url: it.url, bytes: bytesOf(it) }))
  const one = fixture()
  const rows: Array<Record<string, string | number>> = []
  const means = new Map<string, { saved: number; fixture: number }>()
  for (const [name, work] of Object.entries(extractors)) {
    const cold = await timed(work, pages)
    const { cpu, times } = await timed(work, pages)
    await timed(
      work,
      Array.from({ length: FIXTURE_RUNS }, () => one)
    )
    const small = await timed(
      work,
      Array.from({ length: FIXTURE_RUNS }, () => one)
    )
    means.set(name, { saved: cpu, fixture: small.cpu })
    rows.push({
      extractor: name,
      pages: pages.length,
      "mean ms": mean(times).toFixed(1),
      "p95 ms": high(times).toFixed(1),
      "mean CPU ms": cpu.toFixed(1),
      "first round CPU ms": cold.cpu.toFixed(1),
      "fixture mean ms": mean(small.times).toFixed(2),
      "fixture p95 ms": high(small.times).toFixed(2),
      "fixture CPU ms": small.cpu.toFixed(2)
    })
  }
  const [alone, together] = [await inThreads(1, chosen), await inThreads(2, chosen)]
  const ours = means.get("crawler") ?? { saved: Number.NaN, fixture: Number.NaN }
  const peers = [...means].filter(([name]) => name !== "crawler").map(([, it]) => it)
  const size = mean(pages.map((it) => it.bytes.length)) / 1000
  return {
    rows,
    figure: `extract-speed: ${ours.saved.toFixed(1)} ms CPU a page of ${size.toFixed(0)} kB, ${ours.fixture.toFixed(2)} ms on the ${(one.bytes.length / 1000).toFixed(0)} kB fixture page; peers ${peers.map((it) => `${it.saved.toFixed(1)}/${it.fixture.toFixed(2)}`).join(" and ")} ms; ${pages.length} pages in ${alone.toFixed(2)} s by one thread, ${together.toFixed(2)} s by two`,
    holds:
      ours.saved <= bars.savedMs &&
      ours.fixture <= bars.fixtureMs &&
      peers.every((it) => it.saved > ours.saved && it.fixture > ours.fixture) &&
      together < alone
  }
})
