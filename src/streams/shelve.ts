import { Clock, Effect, Option, Schema } from "effect"
import { dayOver } from "../domain/research/day.ts"
import { instant, paths, type Shelf } from "../domain/research/path.ts"
import { type Entry, Manifest } from "../domain/research/record.ts"
import { Batches, Datasets } from "../domain/research.ts"
import { gate } from "./gate.ts"
import { steadfast } from "./stage.ts"

/** The value of a JSON text; null when it has another form. */
export const parsed = <A, I>(schema: Schema.Codec<A, I>, text: string): A | null =>
  Option.getOrNull(Schema.decodeUnknownOption(Schema.fromJsonString(schema))(text))

/** One shelf's files are written by one fiber at a time; between processes the last look decides (see `shelve`). */
const turn = gate(1)

const byPath = (a: Entry, b: Entry): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

/** Datasets of the store, and those of an earlier store that only the manifest still knows. */
const merged = (rows: ReadonlyArray<Entry>, known: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const own = new Set(rows.map((it) => it.path))
  return [...rows, ...known.filter((it) => !own.has(it.path))].toSorted(byPath)
}

const manifest = Effect.fnUntraced(function* (shelf: Shelf, rows: ReadonlyArray<Entry>) {
  const datasets = yield* Datasets
  const path = paths.manifest(shelf)
  const text = yield* steadfast(datasets.read(path))
  const entries = merged(rows, text === null ? [] : (parsed(Manifest, text)?.datasets ?? []))
  const whole: Manifest = { version: 1, country: shelf.country, category: shelf.category, datasets: entries }
  yield* steadfast(datasets.replace(path, `${JSON.stringify(whole)}\n`))
  return entries
})

const summary = Effect.fnUntraced(function* (shelf: Shelf, day: string, entries: ReadonlyArray<Entry>) {
  const domains = yield* steadfast((yield* Batches).domains(shelf, day))
  const { country, category } = shelf
  const whole = {
    country,
    category,
    date: day,
    ...dayOver(
      entries.filter((it) => it.date === day),
      domains
    )
  }
  yield* steadfast((yield* Datasets).replace(paths.summary(shelf, day), `${JSON.stringify(whole)}\n`))
})

/** Which chunks need not be done again (S5.2): for people and other programs; this one asks its store. */
const checkpoint = Effect.fnUntraced(function* (shelf: Shelf) {
  const open = yield* steadfast((yield* Batches).checkpoint(shelf))
  const { country, category } = shelf
  const whole = {
    country,
    category,
    updated_at: instant(yield* Clock.currentTimeMillis),
    batches: open.map((it) => ({
      batch_id: it.batch_id,
      status: it.status,
      total_chunks: it.total_chunks,
      completed_chunks: it.chunks.flatMap(({ chunk_index, state }) => (state === "done" ? [chunk_index] : []))
    }))
  }
  yield* steadfast((yield* Datasets).replace(paths.checkpoint(shelf), `${JSON.stringify(whole)}\n`))
})

/**
 * Rewrites what tells of a shelf: manifest, the day's summary, checkpoint; each atomically, each from the store, until what was written
 * is what the store says: another process may have published meanwhile.
 */
export const shelve = (shelf: Shelf, day: string) =>
  turn(`${shelf.country}/${shelf.category}`)(
    Effect.gen(function* () {
      const batches = yield* Batches
      let rows = yield* steadfast(batches.entries(shelf))
      while (true) {
        const entries = yield* manifest(shelf, rows)
        yield* summary(shelf, day, entries)
        yield* checkpoint(shelf)
        const again = yield* steadfast(batches.entries(shelf))
        if (again.length === rows.length) return
        rows = again
      }
    })
  )
