import { writeFileSync } from "node:fs"
import { Deferred, Duration, Effect, Layer } from "effect"
import { chainStages } from "../domain/stages.ts"
import type { HttpUrl } from "../domain/url.ts"
import { MemoryBus } from "../infra/bus.memory.ts"
import type { Command } from "../infra/cli/commands.ts"
import { doneIf } from "../infra/cli/print.ts"
import { progress, screen, tally } from "../infra/cli/progress.ts"
import { readSeeds, refusedText } from "../infra/cli/seeds.ts"
import { whyNone } from "../infra/cli/why.ts"
import { Settings } from "../infra/config.ts"
import * as database from "../infra/database.postgres.ts"
import { letterAddress } from "../infra/deadletters.ts"
import { saidOf } from "../infra/descriptor.ts"
import { Refusal } from "../infra/exit.ts"
import * as hosts from "../infra/hosts.memory.ts"
import { visible } from "../infra/logging.ts"
import * as jsonl from "../infra/outputs.jsonl.ts"
import { MemoryPages } from "../infra/pages.memory.ts"
import * as pages from "../infra/pages.sql.ts"
import { bodiesReady } from "../infra/raws.sql.ts"
import * as memory from "../infra/store.memory.ts"
import { Run } from "../streams/chain.ts"
import { crawl, limited, Quota } from "./crawl.ts"
import { browserFits, network } from "./network.ts"
import { stopOnSignal } from "./pipeline.ts"
import { policy } from "./policy.ts"

type Crawl = Extract<Command, { name: "crawl" }>

/** Lines are written from the start of the file: one run, one result. */
const emptied = (path: string) =>
  Effect.try({
    try: () => writeFileSync(path, ""),
    catch: (cause) => new Refusal({ exit: "disk", message: `--out ${visible(path)}: ${saidOf(cause)}` })
  })

/** Somebody waits for this run: robots.txt that could not be read is asked for again soon. */
const robotsAgain = Duration.seconds(5)
const impatient = Layer.effect(
  Settings,
  Effect.map(Settings, (it) => ({ ...it, ROBOTS_ERROR_TTL: Duration.min(it.ROBOTS_ERROR_TTL, robotsAgain) }))
)

/** Failures named one by one; the rest are counted. */
const namedMax = 50

/** What did not become an article, and why: a run that ends in silence has nothing left to say. */
const report = Effect.fnUntraced(function* (asked: ReadonlyArray<HttpUrl>, articles: number, stopped: boolean) {
  if (stopped) {
    const left = (yield* MemoryBus.use((it) => it.messages)).length + (yield* Quota).waiting.length
    process.stderr.write(`crawler: told to stop: ${articles} articles came, ${left} pages are left unvisited\n`)
  }
  const letters = yield* MemoryBus.use((it) => it.deadLetters)
  const outcomes = yield* MemoryPages.use((it) => it.outcomes)
  const failed = letters.map(({ bytes, code, message }) => ({ url: letterAddress(bytes), why: `${code} (${message})` }))
  const ended = outcomes.map((it) => ({ url: it.url, why: whyNone(it) }))
  // What was asked for by name comes first.
  const isAsked = new Set<string | null>(asked.map((it) => it.href))
  const all = [...failed, ...ended].toSorted((a, b) => Number(isAsked.has(b.url)) - Number(isAsked.has(a.url)))
  for (const { url, why } of all.slice(0, namedMax))
    process.stderr.write(`crawler: ${visible(`${url ?? "a page"}: no article: ${why}`)}\n`)
  if (all.length > namedMax)
    process.stderr.write(`crawler: and ${all.length - namedMax} more pages without an article\n`)
  const { repeated } = yield* Quota
  if (repeated > 0) process.stderr.write(`crawler: pages with the same article as another page: ${repeated}\n`)
  // A page that need not be an article is no failure when it is none; alone it still has to be accounted for.
  if (articles + all.length === 0 && !stopped)
    process.stderr.write("crawler: no article: what was fetched is none, and no link of it leads to one\n")
})

/** `crawler crawl`: a temporary store in memory, real fetching, one JSON article a line. */
export const oneshot = Effect.fn("crawl")(function* ({ words, flags }: Crawl) {
  const { ALLOW_PRIVATE_CIDRS, CHROMIUM_PATH } = yield* Settings
  // A browser that merely happens to be here may be left out; one that was asked for may not.
  if (CHROMIUM_PATH !== null) yield* browserFits
  const seeds = yield* readSeeds({ words, file: flags.seeds, strict: flags.strict, cidrs: ALLOW_PRIVATE_CIDRS })
  for (const it of seeds.refused) process.stderr.write(`crawler: ${refusedText(it)}\n`)
  if (seeds.repeated > 0) process.stderr.write(`crawler: URLs that name a page named before: ${seeds.repeated}\n`)
  if (seeds.urls.length === 0) return doneIf(0)
  if (flags.out !== null && flags.out !== "-") yield* emptied(flags.out)

  // The queue is this run's own; what it finds is kept where --store says.
  const temporary = memory.layer({ keepArticles: false })
  const store = flags.store
    ? Layer.mergeAll(pages.layer, Layer.effectDiscard(bodiesReady)).pipe(
        Layer.provide(database.layer),
        Layer.provideMerge(temporary)
      )
    : temporary
  const outputs = jsonl.layer(flags.out ?? "-")
  const quota = Quota.layer(flags.limit ?? Number.POSITIVE_INFINITY)
  const numbers = policy({ readers: 1, html: flags.html, oneShot: true })
  const base = Layer.mergeAll(store, outputs, quota, Run.layer(new Set(chainStages)), numbers)
  const services = Layer.mergeAll(limited, network(hosts.layer({ quiet: Duration.zero }))).pipe(
    Layer.provideMerge(base),
    Layer.provide(impatient)
  )
  const program = Effect.gen(function* () {
    yield* stopOnSignal
    yield* progress(screen, tally)
    const articles = yield* crawl(seeds.urls)
    const stopped = Deferred.isDoneUnsafe((yield* Run).stop)
    yield* report(seeds.urls, articles, stopped)
    // Told to stop, a process that drained has done as it was told (P7).
    return stopped ? ("done" as const) : doneIf(articles)
  })
  return yield* program.pipe(
    Effect.scoped,
    Effect.provide(services),
    Effect.catchTag(["Unavailable", "BadData"], (it) => new Refusal({ exit: "disk", message: it.message }))
  )
})
