import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Datasets } from "../../src/domain/research.ts"
import * as files from "../../src/infra/datasets.files.ts"
import { verify } from "../../src/infra/research.verify.ts"
import { datasetsSuite } from "../support/conformance/datasets.ts"
import { live } from "../support/effect.ts"
import { settingsOf, temporaryDir } from "../support/store.ts"

const path = "research/datasets/country=sg/category=news/2026-01-25_0001.json"
const within = (dir: string, env: Record<string, string> = {}) =>
  files.layer.pipe(Layer.provide(settingsOf({ CRAWLER_DATA_DIR: dir, ...env })))
const scratch = (dir: string) => readdirSync(join(dir, "research", "processing", "writing"))

datasetsSuite(
  "datasets as files",
  Layer.suspend(() => within(temporaryDir())),
  { decides: true }
)

describe("datasets as files", () => {
  live("an environment has a tree of its own (S5.21), and nothing half written is left", () => {
    const dir = temporaryDir()
    return Effect.gen(function* () {
      const datasets = yield* Datasets
      yield* datasets.publish(path, "two")
      expect(readFileSync(join(dir, "staging", path), "utf8")).toBe("two")
      expect(scratch(join(dir, "staging"))).toEqual([])
      expect(yield* datasets.list("research/datasets")).toEqual([path])
    }).pipe(Effect.provide(within(dir, { RESEARCH_ENVIRONMENT: "staging" })))
  })

  live("what a dead process was writing is swept at the start", () => {
    const dir = temporaryDir()
    const folder = join(dir, "research", "processing", "writing")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "4194399-0123456789abcdef"), '{"half":')
    return Effect.gen(function* () {
      yield* Datasets
      expect(scratch(dir)).toEqual([])
    }).pipe(Effect.provide(within(dir)))
  })

  test.skipIf(process.getuid?.() === 0)(
    "a folder that may not be written is Unavailable, with its path (skipped for root)",
    async () => {
      const dir = temporaryDir()
      mkdirSync(join(dir, "research", "datasets"), { recursive: true })
      const program = Effect.gen(function* () {
        const datasets = yield* Datasets
        chmodSync(join(dir, "research", "datasets"), 0o500)
        return yield* Effect.flip(datasets.publish(path, "x"))
      }).pipe(Effect.provide(within(dir)))
      expect((await Effect.runPromise(program)).message).toContain(path)
    }
  )

  live("what cannot be written leaves nothing behind, however often it is tried, and is written once it can be", () => {
    const dir = temporaryDir()
    mkdirSync(join(dir, "research"), { recursive: true })
    writeFileSync(join(dir, "research", "datasets"), "a file where a folder belongs")
    return Effect.gen(function* () {
      const datasets = yield* Datasets
      for (const write of [
        datasets.publish(path, "one"),
        datasets.replace(path, "two"),
        datasets.replace(path, "two")
      ]) {
        expect((yield* Effect.flip(write)).message).toContain(path)
      }
      expect(scratch(dir)).toEqual([])
      rmSync(join(dir, "research", "datasets"))
      expect(yield* datasets.publish(path, "one")).toBe("published")
    }).pipe(Effect.provide(within(dir)))
  })

  live("verification finds a changed, a missing and an unlisted dataset", () => {
    const dir = temporaryDir()
    const shelf = "research/datasets/country=sg/category=news"
    const records: ReadonlyArray<never> = []
    const sum = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex")
    const text = JSON.stringify({
      meta: {
        dataset_id: "sg-news-2026-01-25-0001",
        country: "SG",
        category: "news",
        discovered_at: "2026-01-25T03:12:00Z",
        research_methods: [],
        queries: [],
        engine: { name: "research-engine", version: "1.0.0" },
        record_count: 0,
        chunk_info: { chunk_index: 1, total_chunks: 1, chunk_size: 100 },
        partial: false,
        sources: [],
        checksum: `sha256:${sum(JSON.stringify(records))}`,
        public_suffix_list: "x"
      },
      records
    })
    const entry = (number: number) => ({
      dataset_id: `sg-news-2026-01-25-000${number}`,
      path: `${shelf}/2026-01-25_000${number}.json`,
      sha256: sum(text),
      record_count: 0,
      size_bytes: text.length,
      created_at: "2026-01-25T03:12:00Z",
      date: "2026-01-25",
      batch_id: "b",
      chunk_index: number,
      partial: false,
      unique_domains: 0,
      research_methods: []
    })
    const manifest = { version: 1, country: "SG", category: "news", datasets: [1, 2, 3].map(entry) }
    return Effect.gen(function* () {
      const datasets = yield* Datasets
      yield* datasets.publish(entry(1).path, text)
      yield* datasets.publish(entry(2).path, text.replace("SG", "KR"))
      yield* datasets.publish(entry(4).path, text)
      yield* datasets.replace(`${shelf}/_manifest.json`, JSON.stringify(manifest))
      const { datasets: count, faults, unlisted } = yield* verify
      expect(count).toBe(3)
      expect(faults.map((it) => [it.path.slice(-9, -5), it.what.split(" ").slice(0, 2).join(" ")])).toEqual([
        ["0002", "does not"],
        ["0003", "is missing"]
      ])
      expect(unlisted).toEqual([entry(4).path])
    }).pipe(Effect.provide(within(dir)))
  })

  live("a manifest that leads out of the tree is a fault, and nothing there is read", () => {
    const dir = temporaryDir()
    const shelf = "research/datasets/country=sg/category=news"
    return Effect.gen(function* () {
      const datasets = yield* Datasets
      const line = {
        dataset_id: "sg-news-2026-01-25-0001",
        path: "research/datasets/country=sg/../../../../etc/passwd",
        sha256: "x",
        record_count: 0,
        size_bytes: 0,
        created_at: "2026-01-25T03:12:00Z",
        date: "2026-01-25",
        batch_id: "b",
        chunk_index: 1,
        partial: false,
        unique_domains: 0,
        research_methods: []
      }
      const manifest = { version: 1, country: "SG", category: "news", datasets: [line] }
      yield* datasets.replace(`${shelf}/_manifest.json`, JSON.stringify(manifest))
      const { datasets: count, faults } = yield* verify
      expect([count, faults]).toEqual([0, [{ path: `${shelf}/_manifest.json`, what: "is no manifest" }]])
    }).pipe(Effect.provide(within(dir)))
  })
})
