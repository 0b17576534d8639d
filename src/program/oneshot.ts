import { writeFileSync } from "node:fs"
import { Duration, Effect, Layer } from "effect"
import { chainStages } from "../domain/stages.ts"
import type { Command } from "../infra/cli/commands.ts"
import { doneIf } from "../infra/cli/print.ts"
import { progress, screen, tally } from "../infra/cli/progress.ts"
import { readSeeds, refusedText } from "../infra/cli/seeds.ts"
import { Settings } from "../infra/config.ts"
import * as database from "../infra/database.postgres.ts"
import { Refusal } from "../infra/exit.ts"
import * as hosts from "../infra/hosts.memory.ts"
import * as jsonl from "../infra/outputs.jsonl.ts"
import * as pages from "../infra/pages.sql.ts"
import * as memory from "../infra/store.memory.ts"
import { Run } from "../streams/chain.ts"
import { crawl, limited, Quota } from "./crawl.ts"
import { network } from "./network.ts"
import { stopOnSignal } from "./pipeline.ts"
import { policy } from "./policy.ts"

type Crawl = Extract<Command, { name: "crawl" }>

/** Lines are written from the start of the file: one run, one result. */
const emptied = (path: string) =>
  Effect.try({
    try: () => writeFileSync(path, ""),
    catch: (cause) => new Refusal({ exit: "disk", message: `--out ${path}: ${String(cause)}` })
  })

/** `crawler crawl`: a temporary store in memory, real fetching, one JSON article a line. */
export const oneshot = Effect.fn("crawl")(function* ({ words, flags }: Crawl) {
  const { ALLOW_PRIVATE_CIDRS } = yield* Settings
  const seeds = yield* readSeeds({ words, file: flags.seeds, strict: flags.strict, cidrs: ALLOW_PRIVATE_CIDRS })
  for (const it of seeds.refused) process.stderr.write(`crawler: ${refusedText(it)}\n`)
  if (seeds.repeated > 0) process.stderr.write(`crawler: ${seeds.repeated} URLs name a page named before\n`)
  if (seeds.urls.length === 0) return doneIf(0)
  if (flags.out !== null && flags.out !== "-") yield* emptied(flags.out)

  // The queue is this run's own; what it finds is kept where --store says.
  const temporary = memory.layer({ keepArticles: false })
  const store = flags.store ? pages.layer.pipe(Layer.provide(database.layer), Layer.provideMerge(temporary)) : temporary
  const outputs = jsonl.layer(flags.out ?? "-")
  const quota = Quota.layer(flags.limit ?? Number.POSITIVE_INFINITY)
  const numbers = policy({ readers: 1, html: flags.html, oneShot: true })
  const base = Layer.mergeAll(store, outputs, quota, Run.layer(new Set(chainStages)), numbers)
  const services = Layer.mergeAll(limited, network(hosts.layer({ quiet: Duration.zero }))).pipe(
    Layer.provideMerge(base)
  )
  const program = Effect.gen(function* () {
    yield* stopOnSignal
    yield* progress(screen, tally)
    return yield* crawl(seeds.urls)
  })
  const articles = yield* program.pipe(
    Effect.scoped,
    Effect.provide(services),
    Effect.catchTag(["Unavailable", "BadData"], (it) => new Refusal({ exit: "disk", message: it.message }))
  )
  return doneIf(articles)
})
