import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Deferred, Effect, Exit, Layer, Scope, Stream } from "effect"
import * as health from "../../src/infra/api/health.ts"
import { Listening, layer as server } from "../../src/infra/api/server.ts"
import * as bus from "../../src/infra/bus.table.ts"
import * as local from "../../src/infra/control.local.ts"
import { Database } from "../../src/infra/database.ts"
import * as datasets from "../../src/infra/datasets.files.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import * as batches from "../../src/infra/research.sql.ts"
import * as memory from "../../src/infra/store.memory.ts"
import { policy } from "../../src/program/policy.ts"
import { researchAlone } from "../../src/program/research.ts"
import { Run } from "../../src/streams/chain.ts"
import { discovering } from "../../src/streams/topology.ts"
import { faultsOf } from "../support/discovery/schema.ts"
import { discoveryServer } from "../support/discovery/server.ts"
import { seedUrls } from "../support/discovery/world.ts"
import { embeddedStore, settingsOf, temporaryDir } from "../support/store.ts"

const TOKEN = "an-admin-token-of-this-test"
const sources = discoveryServer()
const dir = temporaryDir()
const scope = Scope.makeUnsafe()
let base = ""
let rows: (sql: string) => Promise<ReadonlyArray<Record<string, unknown>>>

const settings = settingsOf({
  ...sources.settings,
  CRAWLER_DATA_DIR: dir,
  ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
  FETCH_DELAY: "0ms",
  FETCH_PER_HOST: "8",
  BUS_POLL: "20ms"
})
const options = {
  host: "127.0.0.1",
  port: 0,
  version: "0.1.0",
  bodyBytesMax: 1_048_576,
  tokens: { admin: [TOKEN], read: [] },
  api: true
}
const stored = Layer.mergeAll(batches.layer, datasets.layer).pipe(
  Layer.provideMerge(bus.layer),
  Layer.provideMerge(embeddedStore)
)
const live = server(options).pipe(
  Layer.provideMerge(Layer.mergeAll(health.layer, local.layer("0.1.0"))),
  Layer.provideMerge(researchAlone(hosts.layer())),
  Layer.provideMerge(
    Layer.mergeAll(policy({ readers: 1, html: false, oneShot: false }), Run.layer(new Set(["researcher"])))
  ),
  Layer.provideMerge(stored),
  Layer.provideMerge(memory.layer()),
  Layer.provideMerge(settings)
)

beforeAll(async () => {
  const context = await Effect.runPromise(Layer.buildWithScope(live, scope))
  base = (await Effect.runPromise(Effect.provideContext(Listening, context))).address
  const database = await Effect.runPromise(Effect.provideContext(Database, context))
  rows = (sql) => Effect.runPromise(database.query(sql))
  Effect.runForkWith(context)(Stream.runDrain(discovering))
  const { stop } = await Effect.runPromise(Effect.provideContext(Run, context))
  await Effect.runPromise(Scope.addFinalizer(scope, Effect.asVoid(Deferred.succeed(stop, undefined))))
}, 60_000)
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  sources.stop()
})

const call = async (path: string, body?: unknown, token: string | null = TOKEN) => {
  const response = await fetch(`${base}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })
  return { status: response.status, body: await response.json() }
}
const good = {
  country: "SG",
  category: "news",
  urls: ["https://www.gov.sg", "https://www.moh.gov.sg"],
  research_methods: ["crtsh"]
}
const count = async () =>
  Number((await rows("select (select count(*) from research_batches) + (select count(*) from messages) as n"))[0]?.n)

describe("bad research requests are 4xx that name the field, and store nothing", () => {
  const many = (n: number) => Array.from({ length: n }, (_, at) => `https://a${at}.sg`)
  const table: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a country that ISO 3166 does not know", { country: "XX" }, "country"],
    ["a country in three letters", { country: "SGP" }, "country"],
    ["a category with ../", { category: "../news" }, "category"],
    ["an empty category", { category: "" }, "category"],
    ["no urls", { urls: [] }, "urls"],
    ["10,001 urls (B095)", { urls: many(10_001) }, "urls"],
    ["an url that is none", { urls: ["https://a.sg", "javascript:alert(1)"] }, "urls.1"],
    ["a private address", { urls: ["http://10.0.0.1/"] }, "urls.0"],
    ["chunk_size 0 (B096)", { chunk_size: 0 }, "chunk_size"],
    ["chunk_size -1", { chunk_size: -1 }, "chunk_size"],
    ["chunk_size 1.5", { chunk_size: 1.5 }, "chunk_size"],
    ["chunk_size 1e9", { chunk_size: 1e9 }, "chunk_size"],
    ["chunk_size '100'", { chunk_size: "100" }, "chunk_size"],
    ["an unknown method", { research_methods: ["crtsh", "whois"] }, "research_methods.1"],
    ["no method", { research_methods: [] }, "research_methods"],
    ["an unknown field", { priority: "high" }, "priority"],
    ["a number for a country", { country: 65 }, "country"]
  ]
  test.each(table.map((it) => [...it] as const))("%s", async (_, over, field) => {
    const before = await count()
    const answer = await call("/queues/research", { ...good, ...(over as object) })
    expect([answer.status, answer.body.success, answer.body.error.field]).toEqual([422, false, field])
    expect(answer.body.error.message).toContain(field.split(".")[0] ?? "")
    expect(await count()).toBe(before)
  })

  test("101 urls are too many for POST /research; 10,001 domains for liveness; a domain is no URL", async () => {
    expect((await call("/research", { country: "SG", category: "news", urls: many(101) })).status).toBe(422)
    expect((await call("/queues/liveness", { country: "SG", domains: many(10_001) })).status).toBe(422)
    const answer = await call("/queues/liveness", { country: "SG", domains: ["a.sg", "https://b.sg/x"] })
    expect([answer.status, answer.body.error.field]).toEqual([422, "domains.1"])
  })

  test("a body of 2 MiB without a length is 413; no token is 401; GET of a queue is 405 or 404", async () => {
    const chunk = new TextEncoder().encode("x".repeat(65_536))
    let left = 32
    const body = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close())
    })
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" }
    const large = await fetch(`${base}/api/v1/queues/research`, { method: "POST", headers, body })
    expect(large.status).toBe(413)
    expect((await call("/queues/research", good, null)).status).toBe(401)
    expect((await call("/research", undefined, null)).status).toBe(401)
    expect((await call("/queues/research")).status).toBe(405)
  })

  const queries: ReadonlyArray<readonly [string, number, string | undefined]> = [
    ["/research?limit=-1", 422, "limit"],
    ["/research?limit=1e9", 422, "limit"],
    ["/research?limit=abc", 422, "limit"],
    ["/research?offset=1e18", 422, "offset"],
    ["/research?country=XX", 422, "country"],
    ["/research?nothing=1", 422, "nothing"],
    ["/research/SG/news/2026-02-30", 422, "date"],
    ["/research/SG/news/yesterday", 422, "date"],
    ["/research/XX/news/2026-01-25", 422, "country"],
    ["/research/SG/%2e%2e%2fx/2026-01-25", 422, "category"],
    ["/queues/batch/%2e%2e%2fetc", 404, undefined],
    ["/queues/batch/batch_2020-01-01_sg-news_001", 404, "batch_id"],
    ["/research/datasets/sg-news-2020-01-01-0001", 404, "dataset_id"]
  ]
  test.each(queries.map((it) => [...it] as const))("GET %s is %p (B098–B101)", async (path, status, field) => {
    const answer = await call(path)
    expect([answer.status, answer.body.error.field]).toEqual([status, field])
  })
})

const ended = async (id: string) => {
  for (let turn = 0; turn < 600; turn++) {
    const { data } = (await call(`/queues/batch/${id}`)).body
    if (data.status !== "queued" && data.status !== "processing") return data
    await Bun.sleep(50)
  }
  throw new Error(`batch ${id} did not end`)
}

describe("a batch from request to dataset", () => {
  test("POST /research answers 201 with a dataset that fits its schema; its day, list and index know it", async () => {
    const made = await call("/research", { ...good, category: "first" })
    expect(made.status).toBe(201)
    expect(faultsOf("dataset", JSON.stringify(made.body.data))).toEqual([])
    const { meta, records } = made.body.data
    expect(meta.dataset_id).toMatch(/^sg-first-\d{4}-\d{2}-\d{2}-0001$/)
    const today = await call("/research/sg/first/today")
    expect(today.body.data.summary).toMatchObject({ total_records: records.length, discovery_methods: ["crtsh"] })
    expect(today.body.data.datasets[0]).toMatchObject({ dataset_id: meta.dataset_id, record_count: records.length })
    expect((await call("/research?country=sg&category=first")).body.data).toMatchObject({ total: 1 })
    expect((await call(`/research/datasets/${meta.dataset_id}`)).body.data).toEqual(made.body.data)
    expect((await call("/research/index")).body.data.partitions).toContainEqual(
      expect.objectContaining({ country: "SG", category: "first", datasets: 1, records: records.length })
    )
  }, 40_000)

  test("a used-up quota suspends the search alone: the other chunks are published, and the state says why", async () => {
    sources.mood("google", "quota")
    const body = { country: "SG", category: "quota", urls: seedUrls(120), research_methods: ["google_search", "crtsh"] }
    const { batch_id, total_chunks } = (await call("/queues/research", body)).body.data
    expect(total_chunks).toBe(2)
    const batch = await ended(batch_id)
    expect(batch.status).toBe("suspended")
    expect(batch.chunks.map((it: { state: string }) => it.state)).toEqual(["suspended", "done"])
    expect(batch.chunks[0].reason).toContain("Quota")
    sources.mood("google", "well")
    // The message is parked a moment after the state says so.
    let resumed = await call(`/queues/batch/${batch_id}/resume`, "")
    while (resumed.status === 409) resumed = await call(`/queues/batch/${batch_id}/resume`, "")
    expect([resumed.status, resumed.body.data]).toEqual([200, { batch_id, parts: 1 }])
    expect((await ended(batch_id)).status).toBe("completed")
    const again = await call(`/queues/batch/${batch_id}/resume`, "")
    expect([again.status, again.body.error.code]).toEqual([409, "conflict"])
    expect((await call(`/queues/batch/${batch_id}/resume`, "", null)).status).toBe(401)
    expect((await call("/queues/batch/nope/resume", "")).status).toBe(404)
    const files = readdirSync(join(dir, "research", "datasets", "country=sg", "category=quota"))
    expect(files.filter((it) => /_\d{4}\.json$/.test(it)).length).toBe(2)
  }, 40_000)

  test("file numbers of the day go on where earlier files end, even where the store forgot them (settled 14)", async () => {
    await call("/research", { ...good, category: "numbers" })
    // The message of the first is settled a moment after its dataset is there.
    const left = () => rows("select 1 from messages where payload->>'batch_id' like '%numbers%'")
    while ((await left()).length > 0) await Bun.sleep(20)
    await rows("delete from research_days where category = 'numbers'")
    await rows("delete from research_batches where category = 'numbers'")
    await rows("delete from research_chunks where batch_id like '%numbers%'")
    await rows("delete from research_parts where batch_id like '%numbers%'")
    const again = await call("/research", { ...good, category: "numbers" })
    expect(again.body.data.meta.dataset_id).toEndWith("-0002")
  }, 40_000)

  test("liveness writes the day's three files, and keeps a row per check", async () => {
    const domains = ["no-such-name-one.invalid", "no-such-name-two.invalid"]
    const { batch_id } = (await call("/queues/liveness", { country: "SG", domains })).body.data
    expect((await ended(batch_id)).status).toBe("completed")
    const { data } = (await call(`/queues/batch/${batch_id}`)).body
    expect(data).toMatchObject({ kind: "liveness", total_urls: 2, completed_chunks: 1 })
    for (const tree of ["liveness", "blocked", "dead"]) {
      const [name = ""] = readdirSync(join(dir, "research", tree, "country=sg"))
      expect(faultsOf("liveness", await Bun.file(join(dir, "research", tree, "country=sg", name)).text())).toEqual([])
    }
    expect((await rows("select distinct domain from liveness_results order by 1")).map((it) => it.domain)).toEqual(
      domains
    )
  }, 40_000)
})
