import { Clock, Duration, Effect, Option, Result } from "effect"
import { sha256 } from "../domain/research/assemble.ts"
import { dayOver } from "../domain/research/day.ts"
import { dayOf, instant, manifestName, parseDatasetId, paths, type Shelf } from "../domain/research/path.ts"
import { Dataset, type Entry, Manifest } from "../domain/research/record.ts"
import { Batches, Datasets, type Progress } from "../domain/research.ts"
import { dayFault } from "./api/research.ts"
import type { Settings } from "./config.ts"
import { stored } from "./control.sources.ts"
import { type Control, type ControlError, controlError } from "./control.ts"
import { DeadLetters } from "./deadletters.ts"
import { decodeJson, newBatch, newChecks, shelfOf } from "./research.batches.ts"

export type ResearchOperations = Pick<
  Control["Service"],
  | "queues.research"
  | "queues.liveness"
  | "queues.batch"
  | "queues.batches"
  | "queues.resume"
  | "research.list"
  | "research.index"
  | "research.dataset"
  | "research.today"
  | "research.day"
  | "research.create"
>
type Needs = Batches | Datasets | Settings
type Letters = DeadLetters["Service"]

/** Rows when no limit is given. */
const LIMIT = 50
/** How long `POST /research` waits for its dataset, and how often it looks. */
const CREATE_TIMEOUT = "100 seconds"
const CREATE_EVERY = Duration.millis(200)

const manifestOf = Effect.fnUntraced(function* (path: string) {
  const text = yield* stored((yield* Datasets).read(path))
  if (text === null) return null
  const manifest = decodeJson(Manifest, text)
  return manifest ?? (yield* controlError("internal", `${path} is no manifest: crawler research verify tells more`))
})

/** Manifests of the shelves asked for: readers trust these, and no other file. */
const manifests = Effect.fnUntraced(function* (country: string | undefined, category: string | undefined) {
  const found = yield* stored((yield* Datasets).list(paths.datasets))
  const parts = [
    ...(country === undefined ? [] : [`/country=${country.toLowerCase()}/`]),
    ...(category === undefined ? [] : [`/category=${category}/`])
  ]
  const wanted = found.filter((it) => it.endsWith(`/${manifestName}`) && parts.every((part) => it.includes(part)))
  return (yield* Effect.forEach(wanted, manifestOf)).flatMap((it) => it ?? [])
})

const dayOfShelf = Effect.fnUntraced(function* (shelf: Shelf, day: string) {
  const manifest = yield* manifestOf(paths.manifest(shelf))
  const entries = (manifest?.datasets ?? []).filter((it) => it.date === day)
  const known = yield* stored((yield* Batches).domains(shelf, day))
  // A store that lost its rows still knows each dataset's own number.
  return dayOver(entries, Math.max(known, ...entries.map((it) => it.unique_domains), 0))
})

/** One dataset by its line in the manifest; bytes that do not match it are never answered. */
const readDataset = Effect.fnUntraced(function* (entry: Entry) {
  const text = yield* stored((yield* Datasets).read(entry.path))
  const dataset = text !== null && sha256(text) === entry.sha256 ? decodeJson(Dataset, text) : null
  return (
    dataset ?? (yield* controlError("internal", `${entry.path} does not match its manifest: crawler research verify`))
  )
})

const datasetBy = Effect.fnUntraced(function* (id: string) {
  const parsed = parseDatasetId(id)
  const manifest = parsed === null ? null : yield* manifestOf(paths.manifest(parsed.shelf))
  const entry = manifest?.datasets.find((it) => it.dataset_id === id)
  if (entry === undefined) return yield* controlError("not_found", `there is no dataset ${id}`, "dataset_id")
  return yield* readDataset(entry)
})

const shown = (it: Progress) => ({
  batch_id: it.batch_id,
  kind: it.kind,
  country: it.country,
  category: it.category,
  research_methods: it.methods,
  total_urls: it.total_urls,
  chunk_size: it.chunk_size,
  total_chunks: it.total_chunks,
  completed_chunks: it.chunks.filter(({ state }) => state === "done").length,
  failed_chunks: it.chunks.filter(({ state }) => state === "failed").length,
  status: it.status,
  created_at: instant(it.created_at),
  finished_at: it.finished_at === null ? null : instant(it.finished_at),
  chunks: it.chunks.map(({ chunk_index, state, reason, path, partial }) => ({
    chunk_index,
    state,
    reason,
    path,
    partial
  }))
})

const batchBy = Effect.fnUntraced(function* (id: string) {
  const progress = yield* stored((yield* Batches).progress(id))
  return progress ?? (yield* controlError("not_found", `there is no batch ${id}`, "batch_id"))
})

/** Suspended parts are due again, failed ones start anew from their dead letters. */
const resume = Effect.fnUntraced(function* (id: string, letters: Letters | null) {
  const { status } = yield* batchBy(id)
  const { woken, letters: dead } = yield* stored((yield* Batches).resume(id))
  const replayed = letters === null || dead.length === 0 ? [] : (yield* stored(letters.replay(dead))).replayed
  const parts = woken + replayed.length
  if (parts === 0) return yield* controlError("conflict", `batch ${id} is ${status}: nothing of it waits to be resumed`)
  return { batch_id: id, parts }
})

/** Waits until the batch's only chunk is published and in its manifest; the stage works on it, here or in another process. */
const awaited = Effect.fnUntraced(function* (id: string) {
  while (true) {
    const batch = yield* batchBy(id)
    const [chunk] = batch.chunks
    if (chunk?.state === "done") {
      const manifest = yield* manifestOf(paths.manifest(batch))
      const entry = manifest?.datasets.find((it) => it.path === chunk.path)
      if (entry !== undefined) return entry
    }
    if (chunk?.state === "failed" || chunk?.state === "suspended") {
      return yield* controlError("conflict", `batch ${id} is ${chunk.state}: ${chunk.reason ?? "no reason"}`)
    }
    yield* Effect.sleep(CREATE_EVERY)
  }
})

const create = Effect.fnUntraced(function* (input: Parameters<ResearchOperations["research.create"]>[0]) {
  const { batch_id } = yield* newBatch({ ...input, chunk_size: undefined })
  const late = `batch ${batch_id} is still being worked on: GET /api/v1/queues/batch/${batch_id}`
  const entry = yield* awaited(batch_id).pipe(
    Effect.timeoutOrElse({
      duration: CREATE_TIMEOUT,
      orElse: () => Effect.fail(controlError("unavailable", late))
    })
  )
  return yield* readDataset(entry)
})

const list = Effect.fnUntraced(function* (input: Parameters<ResearchOperations["research.list"]>[0]) {
  const all = (yield* manifests(input.country, input.category)).flatMap((it) => it.datasets)
  const newest = all.toSorted((a, b) =>
    a.created_at === b.created_at ? (a.path < b.path ? 1 : -1) : a.created_at < b.created_at ? 1 : -1
  )
  const from = input.offset ?? 0
  return { datasets: newest.slice(from, from + (input.limit ?? LIMIT)), total: all.length }
})

const index = Effect.map(manifests(undefined, undefined), (all) => ({
  partitions: all.map(({ country, category, datasets }) => {
    const dates = datasets.map((it) => it.date).toSorted()
    const records = datasets.reduce((sum, it) => sum + it.record_count, 0)
    return {
      country,
      category,
      datasets: datasets.length,
      records,
      first_date: dates[0] ?? null,
      last_date: dates.at(-1) ?? null
    }
  })
}))

const day = Effect.fnUntraced(function* (country: string, category: string, date: string) {
  const shelf = shelfOf(country, category)
  if (Result.isFailure(shelf)) return yield* shelf.failure
  const fault = dayFault(date)
  if (fault !== null) return yield* controlError("invalid", fault, "date")
  return yield* dayOfShelf(shelf.success, date)
})

/** The research engine as operations (S5.13, S5.17–S5.19), over the batch state and the manifests. */
const researchOperations = (letters: Letters | null): Effect.Effect<ResearchOperations, never, Needs> =>
  Effect.map(Effect.context<Needs>(), (context) => {
    const within = <A>(work: Effect.Effect<A, ControlError, Needs>) => Effect.provideContext(work, context)
    return {
      "queues.research": (input) => within(newBatch(input)),
      "queues.liveness": (input) => within(newChecks(input)),
      "queues.resume": ({ batch_id }) => within(resume(batch_id, letters)),
      "queues.batch": ({ batch_id }) => within(Effect.map(batchBy(batch_id), shown)),
      "queues.batches": ({ limit, offset }) =>
        within(
          Effect.flatMap(Batches, (it) =>
            Effect.map(stored(it.recent(limit ?? LIMIT, offset ?? 0)), (all) => ({ batches: all.map(shown) }))
          )
        ),
      "research.list": (input) => within(list(input)),
      "research.index": () => within(index),
      "research.dataset": ({ dataset_id }) => within(datasetBy(dataset_id)),
      "research.today": ({ country, category }) =>
        within(Effect.flatMap(Clock.currentTimeMillis, (now) => day(country, category, dayOf(now)))),
      "research.day": ({ country, category, date }) => within(day(country, category, date)),
      "research.create": (input) => within(create(input))
    }
  })

const absent = () =>
  Effect.fail(controlError("unsupported", "this process keeps everything in memory: it has no datasets"))
const noResearch: ResearchOperations = {
  "queues.research": absent,
  "queues.liveness": absent,
  "queues.batch": absent,
  "queues.batches": absent,
  "queues.resume": absent,
  "research.list": absent,
  "research.index": absent,
  "research.dataset": absent,
  "research.today": absent,
  "research.day": absent,
  "research.create": absent
}

/** The operations where there are batches and datasets, else their refusals. */
export const optionalResearch: Effect.Effect<ResearchOperations, never, Settings> = Effect.gen(function* () {
  const batches = yield* Effect.serviceOption(Batches)
  const datasets = yield* Effect.serviceOption(Datasets)
  if (batches._tag === "None" || datasets._tag === "None") return noResearch
  const letters = Option.getOrNull(yield* Effect.serviceOption(DeadLetters))
  return yield* researchOperations(letters).pipe(
    Effect.provideService(Batches, batches.value),
    Effect.provideService(Datasets, datasets.value)
  )
})
