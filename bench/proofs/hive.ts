/**
 * Proof hive: DuckDB reads published datasets as Hive partitions: per country and category it counts exactly the records that were
 * published, and a filter on the partition columns reads the matching files only.
 */
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect, Layer } from "effect"
import { assemble, type Found, written } from "../../src/domain/research/assemble.ts"
import { paths } from "../../src/domain/research/path.ts"
import { Datasets } from "../../src/domain/research.ts"
import * as files from "../../src/infra/datasets.files.ts"
import { seedUrls } from "../../test/support/discovery/world.ts"
import { settingsOf } from "../../test/support/store.ts"
import { prove } from "./proof.ts"

const shelves = ["SG", "KR", "JP"].flatMap((country) =>
  ["news", "health"].map((category, at) => ({ country, category, count: country.charCodeAt(0) * 3 + at * 50 }))
)
const DAY = "2026-01-25"
const CREATED = Date.parse(`${DAY}T03:12:00Z`)

/** Publishes each shelf as chunks of 100, by the functions and the adapter of the researcher; with its summary and manifest. */
const publish = Effect.gen(function* () {
  const datasets = yield* Datasets
  for (const { country, category, count } of shelves) {
    const urls = seedUrls(count)
    const total_chunks = Math.ceil(count / 100)
    for (let index = 1; index <= total_chunks; index++) {
      const found: Found = { urls: urls.slice((index - 1) * 100, index * 100), answers: [] }
      const chunk = {
        country,
        category,
        batch_id: "batch",
        day: DAY,
        created_at: CREATED,
        methods: [],
        chunk_index: index,
        total_chunks,
        chunk_size: 100,
        number: index
      }
      const { text, entry } = written(chunk, assemble(chunk, [found]), CREATED)
      yield* datasets.publish(entry.path, text)
    }
    yield* datasets.replace(paths.manifest({ country, category }), '{"not": "a dataset"}\n')
    yield* datasets.replace(paths.summary({ country, category }, DAY), '{"not": "a dataset either"}\n')
  }
})

await prove(async (bench) => {
  await Effect.runPromise(
    publish.pipe(Effect.provide(files.layer.pipe(Layer.provide(settingsOf({ CRAWLER_DATA_DIR: bench.folder })))))
  )
  const database = await (await DuckDBInstance.create(":memory:")).connect()
  const tree = join(bench.folder, "research", "datasets", "*", "*", "????-??-??_[0-9]*.json")
  const records = `(select country, category, unnest(records) as r, filename from
    read_json('${tree}', hive_partitioning = true, filename = true))`
  const rowsOf = async (sql: string) => (await database.runAndReadAll(sql)).getRowObjectsJson()
  const counted =
    await rowsOf(`select country, category, count(*)::int as records, count(distinct r.registrable_domain)::int as domains,
    count(distinct filename)::int as files from ${records} group by all order by all`)
  const one = await rowsOf(
    `select count(*)::int as n, count(distinct filename)::int as files from ${records} where country = 'sg' and category = 'news'`
  )
  const wanted = shelves
    .map(({ country, category, count }) => ({
      country: country.toLowerCase(),
      category,
      records: count,
      domains: count,
      files: Math.ceil(count / 100)
    }))
    .toSorted((a, b) => (a.country + a.category < b.country + b.category ? -1 : 1))
  const equal = JSON.stringify(counted) === JSON.stringify(wanted)
  const sg = shelves.find((it) => it.country === "SG" && it.category === "news")?.count ?? 0
  const filtered = Number(one[0]?.n) === sg && Number(one[0]?.files) === Math.ceil(sg / 100)
  return {
    rows: counted.map((it) => Object.fromEntries(Object.entries(it).map(([key, value]) => [key, String(value)]))),
    figure: `hive: DuckDB counts ${counted.length} of ${shelves.length} partitions right, ${shelves.reduce((sum, it) => sum + it.count, 0)} records; filter on country and category: ${one[0]?.n} of ${sg}`,
    holds: equal && filtered
  }
})
