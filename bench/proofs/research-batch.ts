/**
 * Proof research-batch: 250 URLs for SG/news against local servers in the formats of Google, crt.sh and the Wayback Machine: files,
 * ids, counts and API answers have the seed's shapes, every file fits its published JSON Schema, all checksums hold.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { searchQueries } from "../../src/domain/research/lookup.ts"
import type { Dataset, Manifest } from "../../src/domain/research/record.ts"
import { faultsOf } from "../../test/support/discovery/schema.ts"
import { discoveryServer } from "../../test/support/discovery/server.ts"
import { namesOf, pagesOf, resultsOf, seedUrls } from "../../test/support/discovery/world.ts"
import { type Called, command, researcher } from "../research/researcher.ts"
import { prove } from "./proof.ts"

const URLS = 250
const WAIT_SECONDS = 120

/** Keys and types of a value: what "equal in shape" means. Lists are the shape of their first member. */
const shape = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.slice(0, 1).map(shape)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, it]) => [key, shape(it)]))
      : typeof value

/** Does `given` have at least the keys and types of `example`? What it has beyond is its own. */
const covers = (example: unknown, given: unknown): boolean =>
  Array.isArray(example)
    ? Array.isArray(given) && (example.length === 0 || (given.length > 0 && covers(example[0], given[0])))
    : typeof example === "object" && example !== null
      ? typeof given === "object" &&
        given !== null &&
        Object.entries(example).every(([key, it]) => covers(it, new Map(Object.entries(given)).get(key)))
      : typeof example === typeof given

const examples = {
  accepted: {
    success: true,
    data: { batch_id: "batch_2026-01-25_sg-news_001", total_chunks: 1, estimated_completion: "2026-01-25T10:15:00Z" }
  },
  day: {
    success: true,
    data: {
      datasets: [{ dataset_id: "", path: "", record_count: 85, size_bytes: 45120, created_at: "" }],
      summary: { total_records: 85, unique_domains: 23, discovery_methods: [""] }
    }
  },
  dataset: {
    meta: {
      dataset_id: "",
      country: "",
      category: "",
      discovered_at: "",
      research_methods: [""],
      queries: [""],
      engine: { name: "", version: "" },
      record_count: 8,
      chunk_info: { chunk_index: 1, total_chunks: 3, chunk_size: 100 }
    },
    records: [
      {
        raw_url: "",
        normalized_domain: "",
        domain_id: "",
        registrable_domain: "",
        subdomain: "",
        source_type: "",
        discovery_method: "",
        discovery_query: "",
        confidence: 0.95,
        content_hints: [],
        discovered_at: "",
        metadata: { title: "", description: "" }
      }
    ]
  },
  liveness: {
    meta: { country: "", check_date: "", total_domains: 1, alive_count: 1, dead_count: 1, blocked_count: 1 },
    results: [{ domain_id: "", domain: "", status: "", response_time_ms: 1, last_check: "", redirect_chain: [""] }]
  }
} as const

/** Distinct pages that the fixture sources know, over the whole batch. */
const expectedUrls = (urls: ReadonlyArray<string>, year: number): number => {
  const domains = urls.map((url) => new URL(url).hostname.replace(/^www\./, ""))
  const pages = new Set<string>(urls)
  for (const query of searchQueries("SG", "news", year)) for (const it of resultsOf(query)) pages.add(it.link)
  for (const domain of domains) {
    for (const name of namesOf(domain)) pages.add(`https://${name}/`)
    for (const page of pagesOf(domain)) pages.add(page.replace(":80", ""))
  }
  return pages.size
}

await prove(async (bench) => {
  const executable = await command()
  const server = discoveryServer()
  bench.later(server.stop)
  const crawler = await researcher(bench, executable, 18_441, server.settings)
  const checks: Array<{ readonly what: string; readonly holds: boolean; readonly found: string }> = []
  const check = (what: string, holds: boolean, found: unknown) =>
    checks.push({ what, holds, found: String(typeof found === "string" ? found : JSON.stringify(found)).slice(0, 90) })

  const methods = ["google_search", "crtsh", "wayback_machine"]
  const body = { country: "SG", category: "news", urls: seedUrls(URLS), chunk_size: 100, research_methods: methods }
  const accepted = await crawler.call("/queues/research", body)
  check(
    "POST /queues/research has the seed's shape",
    covers(shape(examples.accepted), shape(accepted.body)),
    accepted.body
  )
  const id = String(accepted.body.data.batch_id)
  const day = id.slice(6, 16)
  check("batch id", id === `batch_${day}_sg-news_001`, id)
  let status: Called = await crawler.call(`/queues/batch/${id}`)
  const until = performance.now() + WAIT_SECONDS * 1000
  while (!["completed", "partial", "failed"].includes(String(status.body.data.status)) && performance.now() < until) {
    await Bun.sleep(100)
    status = await crawler.call(`/queues/batch/${id}`)
  }
  check(
    "batch completed, 3 chunks",
    status.body.data.status === "completed" && status.body.data.total_chunks === 3,
    status.body.data.status
  )

  const folder = join(bench.folder, "data", "research", "datasets", "country=sg", "category=news")
  const files = readdirSync(folder).sort()
  const wanted = ["0001", "0002", "0003"].map((it) => `${day}_${it}.json`)
  check("files", files.join() === [...wanted, `${day}_summary.json`, "_manifest.json"].sort().join(), files.join(" "))
  const read = (name: string) => readFileSync(join(folder, name), "utf8")
  const faults = [
    ...wanted.flatMap((it) => faultsOf("dataset", read(it))),
    ...faultsOf("manifest", read("_manifest.json")),
    ...faultsOf("summary", read(`${day}_summary.json`))
  ]
  check("files fit their JSON Schemas", faults.length === 0, faults.slice(0, 2).join("; ") || "0 faults")
  const datasets = wanted.map((it) => JSON.parse(read(it)) as Dataset)
  check(
    "dataset has the seed's shape",
    datasets.every((it) => covers(shape(examples.dataset), shape(it))),
    datasets[0]?.meta.dataset_id
  )
  check(
    "dataset ids",
    datasets.every((it, at) => it.meta.dataset_id === `sg-news-${day}-000${at + 1}`),
    datasets.map((it) => it.meta.dataset_id).join(" ")
  )
  const records = datasets.flatMap((it) => it.records)
  const urls = new Set(records.map((it) => it.raw_url))
  const expected = expectedUrls(body.urls, Number(day.slice(0, 4)))
  check("every page the sources know, once", urls.size === expected, `${urls.size} of ${expected}`)
  check(
    "record counts",
    datasets.every((it) => it.meta.record_count === it.records.length),
    records.length
  )
  check(
    "country queries run once",
    server.asked.filter((it) => it.source === "google").length <= 4 * 3,
    server.asked.length
  )

  const found = await crawler.call(`/research/SG/news/${day}`)
  const today = await crawler.call("/research/SG/news/today")
  check("GET by date has the seed's shape", covers(shape(examples.day), shape(found.body)), found.body.data.summary)
  check("today is the same", JSON.stringify(today.body) === JSON.stringify(found.body), today.status)
  const summary = found.body.data.summary as unknown as {
    total_records: number
    unique_domains: number
    discovery_methods: string[]
  }
  const domains = new Set(records.map((it) => it.registrable_domain)).size
  check(
    "summary counts",
    summary.total_records === records.length &&
      summary.unique_domains === domains &&
      summary.discovery_methods.join() === methods.join(),
    summary
  )
  const index = await crawler.call("/research/index")
  check("index", JSON.stringify(index.body.data).includes('"datasets":3'), index.body.data)
  const one = await crawler.call("/research", {
    country: "SG",
    category: "health",
    urls: seedUrls(2),
    research_methods: ["crtsh"]
  })
  check(
    "POST /research answers 201 with the dataset",
    one.status === 201 && covers(shape(examples.dataset), shape(one.body.data)),
    one.status
  )

  const lively = await crawler.call("/queues/liveness", {
    country: "SG",
    domains: ["no-such-name.invalid.sg", "neither.invalid.sg"]
  })
  const checked = String(lively.body.data.batch_id)
  while (performance.now() < until && (await crawler.call(`/queues/batch/${checked}`)).body.data.status !== "completed")
    await Bun.sleep(100)
  const liveness = readFileSync(join(bench.folder, "data", "research", "liveness", "country=sg", `${day}.json`), "utf8")
  check(
    "liveness file fits its schema and the seed's shape",
    faultsOf("liveness", liveness).length === 0 && covers(shape(examples.liveness), shape(JSON.parse(liveness))),
    faultsOf("liveness", liveness).join() || checked
  )

  const manifest = JSON.parse(read("_manifest.json")) as Manifest
  const sums = manifest.datasets.filter(
    (it) =>
      it.sha256 ===
      new Bun.CryptoHasher("sha256").update(readFileSync(join(bench.folder, "data", it.path))).digest("hex")
  )
  check("checksums of the manifest", sums.length === 3, `${sums.length} of 3`)
  await crawler.stop()
  const wrong = checks.filter((it) => !it.holds)
  return {
    rows: checks.map(({ what, holds, found: seen }) => ({ what, holds: holds ? "yes" : "NO", found: seen })),
    figure: `research-batch: ${checks.length - wrong.length} of ${checks.length} checks hold; ${URLS} URLs, 3 datasets, ${records.length} records`,
    holds: wrong.length === 0
  }
})
