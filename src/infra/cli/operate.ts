import { Effect } from "effect"
import { Control, type ControlError, controlCodes } from "../control.ts"
import { type ExitName, Refusal } from "../exit.ts"
import { askArticles } from "./articles.ts"
import type { Command } from "./commands.ts"
import { explanationText } from "./explanation.ts"
import { askJobs } from "./jobs.ts"
import { Output } from "./output.ts"
import { askParsing } from "./parsing.ts"
import { doneIf, print, type Work } from "./print.ts"
import { askRecords } from "./records.ts"
import { askReparse } from "./reparse.ts"
import { askResearch } from "./research.ts"
import { askRules } from "./rules.ts"
import { readSeeds, refusedText } from "./seeds.ts"
import { askSources } from "./sources.ts"
import { askStatus } from "./status.ts"

/** Commands that ask the crawler of a data dir: over its store, or over its API while it runs. */
export type Operating = Extract<
  Command,
  {
    name:
      | "enqueue"
      | "explain"
      | `sources ${string}`
      | `research ${string}`
      | `articles ${string}`
      | `dlq ${string}`
      | `jobs ${string}`
      | `parsing-rules ${string}`
      | `hosts ${string}`
      | `fetcher-rules ${string}`
      | "rules"
      | "status"
      | "reparse"
      | "sql"
  }
>

/** URLs of one request. */
const ENQUEUE_MAX = 10_000

const refuse = (error: ControlError): Refusal =>
  new Refusal({ exit: controlCodes[error.code].exit, message: error.message })

const enqueue = Effect.fnUntraced(function* (
  { words, flags }: Extract<Command, { name: "enqueue" }>,
  cidrs: ReadonlyArray<string>
) {
  const control = yield* Control
  const output = yield* Output
  const seeds = yield* readSeeds({ words, file: flags.seeds, strict: flags.strict, cidrs })
  yield* Effect.forEach(seeds.refused, (it) => output.note(refusedText(it)), { discard: true })
  let accepted = 0
  let known = seeds.repeated
  const rejected: Array<unknown> = [...seeds.refused]
  for (let from = 0; from < seeds.urls.length; from += ENQUEUE_MAX) {
    const urls = seeds.urls.slice(from, from + ENQUEUE_MAX).map((it) => it.href)
    const answer = yield* control.enqueue({ urls, ...(flags.category === null ? {} : { category: flags.category }) })
    accepted += answer.accepted
    known += answer.known
    rejected.push(...answer.rejected)
  }
  const total = { accepted, known, rejected }
  yield* print(flags.json, total, () => `${accepted} enqueued, ${known} known already, ${rejected.length} left out`)
  return doneIf(accepted + known)
})

const explain = Effect.fnUntraced(function* ({ words: [url = ""], flags }: Extract<Command, { name: "explain" }>) {
  const said = yield* (yield* Control).explain({ url })
  yield* print(flags.json, said, () => explanationText(said))
  return "done" as const
})

const ask = (command: Operating, cidrs: ReadonlyArray<string>): Work => {
  switch (command.name) {
    case "enqueue":
      return enqueue(command, cidrs)
    case "explain":
      return explain(command)
    case "sources add":
    case "sources disable":
    case "sources enable":
    case "sources import":
    case "sources list":
    case "sources remove":
    case "sources show":
      return askSources(command)
    case "research list":
    case "research resume":
    case "research run":
    case "research status":
    case "research verify":
      return askResearch(command)
    case "articles export":
    case "articles list":
    case "articles show":
      return askArticles(command)
    case "fetcher-rules list":
    case "fetcher-rules set":
    case "fetcher-rules show":
    case "fetcher-rules unset":
    case "fetcher-rules upgrades":
    case "rules":
      return askRules(command)
    case "jobs cancel":
    case "jobs list":
    case "jobs resume":
    case "jobs show":
      return askJobs(command)
    case "status":
      return askStatus(command)
    case "reparse":
      return askReparse(command)
    case "parsing-rules disable":
    case "parsing-rules enable":
    case "parsing-rules list":
    case "parsing-rules set":
    case "parsing-rules show":
    case "parsing-rules test":
      return askParsing(command)
    default:
      return askRecords(command)
  }
}

/** Asks, prints the answer and says how the command ends. A `Control` failure becomes a refusal with its exit code. */
export const operate = (
  command: Operating,
  cidrs: ReadonlyArray<string>
): Effect.Effect<ExitName, Refusal, Control | Output> =>
  Effect.catchTag(ask(command, cidrs), "ControlError", (error) => Effect.fail(refuse(error)))
