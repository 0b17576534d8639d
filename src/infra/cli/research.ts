import { Effect, Schema } from "effect"
import { parseDatasetId } from "../../domain/research/path.ts"
import { Method, methods } from "../../domain/research/record.ts"
import { Control, type ControlError, controlError } from "../control.ts"
import { Refusal } from "../exit.ts"
import type { Command } from "./commands.ts"
import { Output } from "./output.ts"
import { doneIf, print, type Work } from "./print.ts"
import { inputName, readText, seedLines } from "./seeds.ts"
import { facts, table } from "./table.ts"

type Running = Extract<Command, { name: "research run" }>
type Researching = Extract<Command, { name: `research ${string}` }>

/** Rows when no limit is given. */
const BATCHES = 20
/** Sites of one request for candidates: each costs a few requests of its own. */
const SITES = 20

const isMethod = Schema.is(Method)
const methodsOf = (text: string | null): Effect.Effect<ReadonlyArray<Method> | null, Refusal> => {
  if (text === null) return Effect.succeed(null)
  const given = text.split(",").map((it) => it.trim())
  const bad = given.find((it) => !isMethod(it))
  return bad === undefined
    ? Effect.succeed(given.filter(isMethod))
    : Effect.fail(
        new Refusal({ exit: "usage", message: `--methods ${JSON.stringify(bad)}: expected ${methods.join(", ")}` })
      )
}

/** The complaint about the nth URL as one about the line or word it stands in. */
const placed = (places: ReadonlyArray<string>) => (error: ControlError) => {
  const field = error.field ?? ""
  const place = places[Number(/^(?:urls|domains)\.(\d+)$/.exec(field)?.[1] ?? -1)]
  return place === undefined ? error : controlError(error.code, error.message.replace(field, place), field)
}

/** Starts the batch that the command asks for; answers what was accepted. */
export const startBatch = Effect.fn("research.startBatch")(function* ({ words, flags }: Running) {
  const control = yield* Control
  const listed = flags.urls === null ? [] : seedLines(inputName(flags.urls), yield* readText(flags.urls))
  const urls = [...words, ...listed.map((it) => it.text)]
  const naming = placed([...words.map((_, at) => `argument ${at + 1}`), ...listed.map((it) => it.where)])
  const country = flags.country ?? ""
  if (flags.liveness) {
    const domains = urls.map((it) => (/^https?:\/\//i.test(it) ? (URL.parse(it)?.hostname ?? it) : it))
    return yield* control["queues.liveness"]({ country, domains }).pipe(Effect.mapError(naming))
  }
  const chosen = yield* methodsOf(flags.methods)
  return yield* control["queues.research"]({
    country,
    category: flags.category ?? "",
    urls,
    ...(flags["chunk-size"] === null ? {} : { chunk_size: flags["chunk-size"] }),
    ...(chosen === null ? {} : { research_methods: chosen })
  }).pipe(Effect.mapError(naming))
})

const run = (command: Running): Work =>
  Effect.gen(function* () {
    const accepted = yield* startBatch(command)
    yield* print(command.flags.json, accepted, () => facts(accepted))
    return "done" as const
  })

const resume = ({ words: [batch_id = ""], flags }: Extract<Command, { name: "research resume" }>): Work =>
  Effect.gen(function* () {
    const answer = yield* (yield* Control)["queues.resume"]({ batch_id })
    yield* print(flags.json, answer, () => facts(answer))
    return "done" as const
  })

/** A batch as people read it. */
export const batchText = (batch: { readonly chunks: ReadonlyArray<object> }): string => {
  const { chunks, ...rest } = batch
  return `${facts(rest)}\n\n${table(chunks, ["chunk_index", "state", "partial", "path", "reason"])}`
}

const status = ({ words: [id], flags }: Extract<Command, { name: "research status" }>): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    if (id !== undefined) {
      const batch = yield* control["queues.batch"]({ batch_id: id })
      yield* print(flags.json, batch, () => batchText(batch))
      return "done" as const
    }
    const { batches } = yield* control["queues.batches"]({ limit: flags.limit ?? BATCHES })
    yield* print(flags.json, batches, () =>
      table(batches, ["batch_id", "status", "total_urls", "completed_chunks", "total_chunks", "created_at"])
    )
    return "done" as const
  })

const list = ({ words: [id], flags }: Extract<Command, { name: "research list" }>): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const output = yield* Output
    if (id !== undefined) {
      const dataset = yield* control["research.dataset"]({ dataset_id: id })
      if (flags.json) yield* output.line(JSON.stringify(dataset))
      else yield* Effect.forEach(dataset.records, (it) => output.line(JSON.stringify(it)), { discard: true })
      return doneIf(dataset.records.length)
    }
    const { datasets } = yield* control["research.list"]({
      ...(flags.country === null ? {} : { country: flags.country }),
      ...(flags.category === null ? {} : { category: flags.category }),
      ...(flags.limit === null ? {} : { limit: flags.limit })
    })
    yield* print(flags.json, datasets, () =>
      table(datasets, ["dataset_id", "record_count", "unique_domains", "partial", "created_at", "path"])
    )
    return "done" as const
  })

/** Front pages of the hosts of these URLs: by https, but where only http was ever seen on a port of its own. */
export const sitesOf = (urls: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parsed = urls.flatMap((it) => URL.parse(it) ?? [])
  return [...new Set(parsed.map(({ host, port, protocol }) => `${port === "" ? "https:" : protocol}//${host}/`))]
}

/** `crawler sources import DATASET`: its sites become candidate sources, some at a time. */
export const importDataset = (id: string, enable: boolean, asJson: boolean): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const { records, meta } = yield* control["research.dataset"]({ dataset_id: id })
    const sites = sitesOf(records.map((it) => it.raw_url))
    const total = { sites: sites.length, added: 0, known: 0, feeds: 0, sitemaps: 0, rejected: [] as Array<unknown> }
    for (let from = 0; from < sites.length; from += SITES) {
      const urls = sites.slice(from, from + SITES)
      const answer = yield* control["sources.candidates"]({ urls, country: meta.country, enable })
      total.added += answer.added
      total.known += answer.known
      total.feeds += answer.feeds
      total.sitemaps += answer.sitemaps
      total.rejected.push(...answer.rejected)
    }
    const said = `${total.added} added (${enable ? "enabled" : "disabled: crawler sources enable ID"}), ${total.known} known already`
    yield* print(
      asJson,
      total,
      () => `${sites.length} sites, ${total.feeds} feeds, ${total.sitemaps} sitemaps: ${said}`
    )
    return doneIf(total.added + total.known)
  })

/** Does a word name a dataset, and not a file? */
export const isDatasetId = (word: string): boolean => parseDatasetId(word) !== null

/** `crawler research …` */
export const askResearch = (command: Researching): Work => {
  switch (command.name) {
    case "research run":
      return run(command)
    case "research resume":
      return resume(command)
    case "research status":
      return status(command)
    case "research list":
      return list(command)
    case "research verify":
      return Effect.succeed("nothing")
  }
}
