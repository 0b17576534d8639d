/**
 * Claim: the embedded store keeps up with 200,000 waiting messages. Bar: at most 0.2 ms of processor a message for claiming and
 * settling in groups of 50 and 3 ms for storing a 30 kB page with its article, also where one host's backlog stands before all.
 */
import { join } from "node:path"
import { Effect, Layer, Result, Stream } from "effect"
import { Bus, Pages } from "../../src/domain/ports.ts"
import { type CrawlTopic, crawlTopics, crawlWeights, type Outgoing } from "../../src/domain/topics.ts"
import * as bus from "../../src/infra/bus.table.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as postgres from "../../src/infra/database.postgres.ts"
import { Database } from "../../src/infra/database.ts"
import * as pages from "../../src/infra/pages.sql.ts"
import { article, rawBody } from "../../test/support/conformance/pages.ts"
import { prove } from "./proof.ts"

const messages = 200_000
const group = 50
const taken = 20_000
const saved = 1000
const pageBytes = 30_000
const messageMsMax = 0.2
const pageMsMax = 3

const store = (dataDir: string) => {
  const values = load({ CRAWLER_DATA_DIR: dataDir })
  if (Result.isFailure(values)) throw new Error("settings")
  return Layer.mergeAll(bus.layer, pages.layer).pipe(
    Layer.provideMerge(postgres.layer),
    Layer.provideMerge(Layer.succeed(Settings, values.success))
  )
}

/** Processor time of this process, all threads, ms: a busy machine lengthens the wall clock only. */
const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const measured = <A, E, R>(count: number, work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const [cpu, wall] = [used(), performance.now()]
    return Effect.map(work, () => ({ cpu: (used() - cpu) / count, wall: (performance.now() - wall) / count }))
  })

const messageOf = (n: number, key: string, topic: CrawlTopic): Outgoing => ({
  id: `m${n}`,
  topic,
  key,
  occurred_at: 1,
  attempt: 0,
  trace_id: `m${n}`,
  headers: { schema: "1" },
  payload: { id: `m${n}`, target: { url: `https://${key}/${n}`, type: "article" }, filler: "x".repeat(400) },
  not_before: 1 + n
})
const spread = (n: number) => messageOf(n, `h${n % 5000}.example`, crawlTopics[n % 4] ?? "crawl.low")
const crowded = (n: number) =>
  n < messages * 0.75
    ? messageOf(n, "slow.example", "crawl.normal")
    : messageOf(n, `h${n % 5000}.example`, "crawl.normal")

const subscription = {
  topics: crawlTopics.map((topic) => ({ topic, weight: crawlWeights[topic] })),
  limit: 200,
  perKey: 3,
  untilDrained: false
}
const drain = (count: number) =>
  Bus.use((it) =>
    it.consume(subscription, Effect.never).pipe(
      Stream.take(count),
      Stream.rechunk(group),
      Stream.chunks,
      Stream.mapEffect((all) => it.settle(all.map(({ receipt }) => ({ receipt, publish: [], dead: [] })))),
      Stream.runDrain
    )
  )

/** Half of the warm-up is the compiler's: the module is interpreted before it is compiled. */
const queue = (make: (n: number) => Outgoing) =>
  Effect.gen(function* () {
    yield* Database.use((it) => it.script("truncate messages"))
    const rows = Array.from({ length: messages }, (_, n) => make(n))
    const publish = yield* measured(
      messages,
      Bus.use((it) => it.publish(rows))
    )
    yield* drain(2000)
    return { publish, work: yield* measured(taken, drain(taken)) }
  })

const words = ["경제", "기자", "정부", "시장", "국회", "서울", "발표", "금리", "<p>", "</p>", '<div class="article">']
const html = (seed: number): Uint8Array => {
  let text = ""
  for (let n = seed; text.length < pageBytes / 2; n = (n * 48271) % 2147483647) text += `${words[n % 11]}${n % 1000} `
  return new TextEncoder().encode(text).subarray(0, pageBytes)
}
const storePages = Effect.gen(function* () {
  const it = yield* Pages
  const at = Date.now()
  for (let from = 0; from < saved; from += group) {
    const part = Array.from({ length: group }, (_, n) => from + n)
    yield* it.saveRaws(part.map((n) => rawBody(`raw ${n}`, html(n + 1), { fetched_at: at })))
    const text = "본문입니다. 둘째 문장도 있습니다. ".repeat(100)
    yield* it.saveArticles(
      part.map((n) => ({ article: article(`a${n}`, { text }), url_key: `u${n}`, job_id: `j${n}` }))
    )
  }
})

await prove(async (bench) => {
  const work = Effect.gen(function* () {
    return {
      spread: yield* queue(spread),
      crowded: yield* queue(crowded),
      pages: yield* measured(saved, storePages)
    }
  })
  const all = await Effect.runPromise(work.pipe(Effect.provide(store(join(bench.folder, "data")))))
  const row = (what: string, it: { cpu: number; wall: number }, bar: number | string) => ({
    what,
    "cpu ms each": it.cpu.toFixed(3),
    "wall ms each": it.wall.toFixed(3),
    bar
  })
  const rows = [
    row("publish, 200,000 messages", all.spread.publish, "-"),
    row("claim and settle, 5,000 hosts, 4 topics", all.spread.work, messageMsMax),
    row("claim and settle, 150,000 of one slow host first", all.crowded.work, messageMsMax),
    row("store a 30 kB page and its article", all.pages, pageMsMax)
  ]
  const message = Math.max(all.spread.work.cpu, all.crowded.work.cpu)
  return {
    rows,
    figure: `${message.toFixed(2)} ms a message, ${all.pages.cpu.toFixed(2)} ms a page`,
    holds: message <= messageMsMax && all.pages.cpu <= pageMsMax
  }
})
