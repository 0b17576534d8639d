import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { paths } from "../../src/domain/research/path.ts"
import type { Entry } from "../../src/domain/research/record.ts"
import { Batches, Datasets, Discovery } from "../../src/domain/research.ts"
import { shelve } from "../../src/streams/shelve.ts"
import { asking, engine } from "../support/discovery/engine.ts"
import { live } from "../support/effect.ts"
import { temporaryDir } from "../support/store.ts"

const shelf = { country: "SG", category: "news" }
const day = "2026-01-25"
const entry = (number: number): Entry => ({
  dataset_id: `sg-news-${day}-000${number}`,
  path: paths.dataset(shelf, day, number),
  sha256: "0".repeat(64),
  record_count: 8,
  size_bytes: 4512,
  created_at: `${day}T03:12:00Z`,
  date: day,
  batch_id: `batch_${day}_sg-news_001`,
  chunk_index: number,
  partial: false,
  unique_domains: 1,
  research_methods: ["crtsh"]
})
const nobody = asking(() => Effect.succeed([]))

describe("what tells of a shelf", () => {
  for (const name of ["_manifest.json", "_summary.json", "checkpoint.json"]) {
    live(`knows a dataset that another process published while ${name} was being written`, () =>
      Effect.gen(function* () {
        const batches = yield* Batches
        const datasets = yield* Datasets
        const publish = (number: number) => batches.published(entry(number), [`a${number}.sg`], shelf)
        yield* publish(1)
        let meanwhile = false
        const replace: typeof datasets.replace = (path, text) =>
          Effect.gen(function* () {
            if (path.endsWith(name) && !meanwhile) {
              meanwhile = true
              yield* Effect.orDie(publish(2))
            }
            yield* datasets.replace(path, text)
          })
        yield* Effect.provideService(shelve(shelf, day), Datasets, Datasets.of({ ...datasets, replace }))
        const read = (path: string) => Effect.map(datasets.read(path), (text) => JSON.parse(text ?? "null"))
        const both = [entry(1).dataset_id, entry(2).dataset_id]
        const idsOf = (it: { datasets: ReadonlyArray<Entry> }) => it.datasets.map(({ dataset_id }) => dataset_id)
        expect(idsOf(yield* read(paths.manifest(shelf)))).toEqual(both)
        const summary = yield* read(paths.summary(shelf, day))
        expect(idsOf(summary)).toEqual(both)
        expect(summary.summary).toEqual({ total_records: 16, unique_domains: 2, discovery_methods: ["crtsh"] })
      }).pipe(Effect.provideService(Discovery, nobody), Effect.provide(engine(temporaryDir())))
    )
  }

  live("keeps datasets of an earlier store, and makes a broken manifest anew", () =>
    Effect.gen(function* () {
      const batches = yield* Batches
      const datasets = yield* Datasets
      const line = (...of: ReadonlyArray<number>) =>
        JSON.stringify({ version: 1, country: "SG", category: "news", datasets: of.map(entry) })
      const known = Effect.map(
        datasets.read(paths.manifest(shelf)),
        (text) => JSON.parse(text ?? "null").datasets.length
      )
      yield* datasets.replace(paths.manifest(shelf), line(1))
      yield* batches.published(entry(2), ["a2.sg"], shelf)
      yield* shelve(shelf, day)
      expect(yield* known).toBe(2)
      yield* datasets.replace(paths.manifest(shelf), '{"version": 1, "data')
      yield* shelve(shelf, day)
      expect(yield* known).toBe(1)
    }).pipe(Effect.provideService(Discovery, nobody), Effect.provide(engine(temporaryDir())))
  )
})
