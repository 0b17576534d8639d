import { Effect } from "effect"
import { pollEveryOf } from "../../domain/slots.ts"
import type { Source, SourceInput } from "../../domain/source.ts"
import { Control } from "../control.ts"
import { Refusal } from "../exit.ts"
import { visible } from "../logging.ts"
import type { Command } from "./commands.ts"
import { importedSources, leftOut } from "./importing.ts"
import { Output } from "./output.ts"
import { presets } from "./presets.ts"
import { dated, doneIf, print, type Work } from "./print.ts"
import { importDataset, isDatasetId } from "./research.ts"
import { inputName, readText } from "./seeds.ts"
import { facts, table } from "./table.ts"

type Adding = Extract<Command, { name: "sources add" }>
const stated = ({ words, flags }: Adding): SourceInput => {
  const given: Record<string, string | number | null> = {
    url: words[0] ?? "",
    name: flags.name,
    kind: flags.kind,
    every_ms: flags.every,
    cron: flags.cron,
    zone: flags.tz,
    category: flags.category,
    section: flags.section,
    page_url: flags["page-url"],
    max_pages: flags["max-pages"],
    country: flags.country,
    priority: flags.priority
  }
  // Flags that are not given are absent fields; each flag's form has been checked by the parser.
  return Object.fromEntries(Object.entries(given).filter(([, it]) => it !== null)) as unknown as SourceInput
}

/** What was asked for and is not so: a source that was known keeps what it had. The URL may be written in another way. */
const unlike = (wanted: SourceInput, source: Source): ReadonlyArray<string> => {
  const had = new Map<string, unknown>(Object.entries(source))
  return Object.entries(wanted).flatMap(([field, value]) =>
    // A country's letters are kept large.
    field === "url" || String(had.get(field)).toLowerCase() === String(value).toLowerCase()
      ? []
      : [`${field} ${visible(String(value))}`]
  )
}

/** What an import was asked for: where each source stands, lines that were none (named already), and whether one bad line is too many. */
interface Importing {
  readonly places?: ReadonlyArray<string>
  readonly unread?: number
  readonly strict?: boolean
}

const importing = Effect.fnUntraced(function* (
  sources: ReadonlyArray<SourceInput>,
  json: boolean,
  { places = [], strict = false, unread = 0 }: Importing = {}
) {
  const answer = yield* (yield* Control)["sources.import"]({ sources, ...(strict ? { strict } : {}) })
  const output = yield* Output
  const complaints = answer.rejected.map(({ index, input, message }) => leftOut(places[index] ?? input, message))
  const [first] = complaints
  if (strict && first !== undefined) return yield* nothingTaken(first)
  yield* Effect.forEach(complaints, output.note, { discard: true })
  yield* print(
    json,
    answer,
    () => `${answer.added} added, ${answer.known} known already, ${answer.rejected.length + unread} left out`
  )
  return doneIf(answer.added + answer.known)
})

const nothingTaken = (complaint: string) =>
  new Refusal({ exit: "data", message: `${complaint} (--strict: nothing was taken)` })

const addSource = (command: Adding): Work =>
  Effect.gen(function* () {
    const { preset, json } = command.flags
    if (preset !== null) {
      const set = presets[preset]
      if (set !== undefined) {
        yield* (yield* Control)["parsing-rules.set"]({ rules: set.rules })
        return yield* importing(set.sources, json)
      }
      const known = Object.keys(presets).join(", ")
      return yield* new Refusal({
        exit: "usage",
        message: `--preset ${JSON.stringify(preset)}: expected one of ${known}`
      })
    }
    const wanted = stated(command)
    const source = yield* (yield* Control)["sources.add"](wanted)
    const kept = unlike(wanted, source)
    if (kept.length > 0) {
      yield* (yield* Output).note(
        `this is a source already and stays as it was: ${kept.join(", ")} not taken; to change it: crawler sources remove ${source.id}, then add it`
      )
    }
    yield* print(json, source, () => facts(readable(source)))
    return "done" as const
  })

const importFile = Effect.fnUntraced(function* ({ words, flags }: Extract<Command, { name: "sources import" }>) {
  const [path = "-"] = words
  if (isDatasetId(path)) return yield* importDataset(path, flags.enable, flags.json)
  const name = inputName(path)
  const { places, problems, sources } = importedSources(name, yield* readText(path))
  const output = yield* Output
  const [first] = problems
  if (flags.strict && first !== undefined) return yield* nothingTaken(first)
  yield* Effect.forEach(problems, output.note, { discard: true })
  if (sources.length === 0) {
    if (problems.length > 0) return "nothing" as const
    return yield* new Refusal({ exit: "nothing", message: `${visible(name)}: no source in it` })
  }
  return yield* importing(sources, flags.json, { places, unread: problems.length, strict: flags.strict })
})

const switchSources = (ids: ReadonlyArray<string>, enabled: boolean, json: boolean): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const sources = yield* Effect.forEach(ids, (id) => control["sources.update"]({ id, enabled }))
    yield* print(json, { sources }, () => table(sources.map(readable), sourceColumns))
    return "done" as const
  })

const removeSources = (ids: ReadonlyArray<string>, json: boolean): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    yield* Effect.forEach(ids, (id) => control["sources.remove"]({ id }), { discard: true })
    yield* print(json, { removed: ids }, () => `${ids.length} removed`)
    return "done" as const
  })

/** With its instants, the interval that holds for it and its last result as people read them. */
const readable = ({ last, ...source }: Source) => ({
  ...source,
  every_ms: source.cron === null ? pollEveryOf(source) : null,
  created_at: dated(source.created_at),
  polled_at: dated(source.polled_at),
  asked_at: last === null ? "never" : dated(last.at),
  outcome: last?.outcome ?? null,
  said: last?.message ?? null,
  found: last === null || last.links === null ? null : `${last.links} (${last.fresh ?? 0} new)`,
  next_poll_at: source.enabled ? dated(source.next_poll_at) : "disabled"
})

const sourceColumns = [
  ...["id", "kind", "enabled", "every_ms", "cron", "category"],
  ...["asked_at", "outcome", "found", "next_poll_at", "url"]
]

/** `crawler sources …` */
export const askSources = (command: Extract<Command, { name: `sources ${string}` }>): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const [first = ""] = command.words
    switch (command.name) {
      case "sources add":
        return yield* addSource(command)
      case "sources import":
        return yield* importFile(command)
      case "sources list": {
        const { sources } = yield* control["sources.list"]({})
        yield* print(command.flags.json, sources, () => table(sources.map(readable), sourceColumns))
        return "done"
      }
      case "sources show": {
        const source = yield* control["sources.show"]({ id: first })
        yield* print(command.flags.json, source, () => facts(readable(source)))
        return "done"
      }
      case "sources enable":
      case "sources disable":
        return yield* switchSources(command.words, command.name === "sources enable", command.flags.json)
      case "sources remove":
        return yield* removeSources(command.words, command.flags.json)
    }
  })
