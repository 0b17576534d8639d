/**
 * Proof live-split: after one scoring turn, hosts of one category (all Normal by it) are split: the prompt, sound and cheap ones
 * High, the late, failing and costly ones Normal; and a change of one host's weights moves its score at the next turn.
 *
 * The pipeline runs whole, over the embedded store, against fifteen hosts in memory that publish articles of one category: some
 * at once and without fault, some hours late, some failing every third time, some only to a browser, slowly. First all are
 * crawled cold, then scored, then each publishes one more article, whose priority is read from the store with its reasons.
 */
import { Clock, Duration, Effect, Layer, Stream } from "effect"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import { Fetcher, Frontier, type Planned } from "../../src/domain/ports.ts"
import { evenWeights } from "../../src/domain/score.ts"
import { seedJob } from "../../src/domain/seed.ts"
import { chainStages } from "../../src/domain/stages.ts"
import { parseHttpUrl } from "../../src/domain/url.ts"
import { Database } from "../../src/infra/database.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import * as reader from "../../src/infra/reader.inline.ts"
import { store } from "../../src/program/store.ts"
import { Run } from "../../src/streams/chain.ts"
import { cycle } from "../../src/streams/scoring.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { articlePage, listPage } from "../../test/support/pages.ts"
import { settingsOf } from "../../test/support/store.ts"
import { openRobots, outputsTo, policyOf } from "../../test/support/world.ts"
import { prove } from "./proof.ts"

const CATEGORY = "sports"
const THRESHOLD = "0.75"
const ARTICLES = 24
const PER_KIND = 3
const minute = 60_000

/** What a host is like. `missing`: of ten linked pages, how many are not there. */
interface Kind {
  readonly lag_ms: number
  readonly missing: number
  readonly fetcher: "http" | "browser"
  readonly elapsed_ms: number
  readonly expected: "high" | "normal"
}
const kinds: Readonly<Record<string, Kind>> = {
  prompt: { lag_ms: 4 * minute, missing: 0, fetcher: "http", elapsed_ms: 90, expected: "high" },
  steady: { lag_ms: 40 * minute, missing: 1, fetcher: "http", elapsed_ms: 250, expected: "high" },
  late: { lag_ms: 330 * minute, missing: 0, fetcher: "http", elapsed_ms: 120, expected: "normal" },
  failing: { lag_ms: 90 * minute, missing: 6, fetcher: "http", elapsed_ms: 120, expected: "normal" },
  costly: { lag_ms: 60 * minute, missing: 0, fetcher: "browser", elapsed_ms: 4500, expected: "normal" }
}
const hostsOf = Object.keys(kinds).flatMap((kind) =>
  Array.from({ length: PER_KIND }, (_, n) => `${kind}-${n + 1}.example`)
)
const kindOf = (host: string): Kind => {
  const kind = kinds[host.split("-")[0] ?? ""]
  if (kind === undefined) throw new Error(`${host} is of no kind`)
  return kind
}

let round = 0
const pathOf = (n: number) => `/news/2026/11/30/match-report-number-${n}`
const linksOf = (host: string): ReadonlyArray<string> => {
  const numbers = round === 0 ? Array.from({ length: ARTICLES }, (_, n) => n) : [1000 * round]
  return numbers.map((n) => `https://${host}${pathOf(n)}`)
}
const bodyOf = (host: string, url: URL, now: number): { readonly status: number; readonly text: string } => {
  const { lag_ms, missing } = kindOf(host)
  const n = Number(/(\d+)$/.exec(url.pathname)?.[1] ?? 0)
  if (url.pathname === "/list") return { status: 200, text: listPage(linksOf(host)) }
  if (n % 10 < missing && round === 0)
    return { status: 404, text: "<!doctype html><title>Not found</title><h1>Not found</h1>" }
  const published = new Date(now - lag_ms).toISOString()
  const page = articlePage(`Match report number ${n} of ${host}`).replace("1970-01-01T00:00:00Z", published)
  return { status: 200, text: page }
}

const fetcher = Layer.succeed(
  Fetcher,
  Fetcher.of({
    fetch: (job: CrawlJob) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { elapsed_ms, fetcher: by } = kindOf(job.host)
        const { status, text } = bodyOf(job.host, new URL(job.target.url), now)
        const body = new TextEncoder().encode(text)
        const raw = {
          id: `${job.id}#${now}`,
          url: job.target.url,
          final_url: job.target.url,
          host: job.host,
          status,
          content_type: "text/html; charset=utf-8",
          fetcher: by,
          fetched_at: now,
          elapsed_ms,
          bytes: body.length,
          truncated: false,
          hops: [],
          validators: { etag: null, last_modified: null }
        }
        return { raw, body }
      })
  })
)

const seeds = (now: number): ReadonlyArray<Planned> =>
  hostsOf.flatMap((host) => {
    const url = parseHttpUrl(`https://${host}/list`)
    const seeding = { type: "list", hops: 1, lists: false, category: CATEGORY, visit: round } as const
    return url._tag === "Failure" ? [] : [seedJob(url.success, seeding, now)]
  })

/** All hosts publish; the pipeline runs until nothing is left. */
const crawled = Effect.gen(function* () {
  yield* (yield* Frontier).enqueue(seeds(yield* Clock.currentTimeMillis))
  yield* Stream.runDrain(pipeline)
})

interface Row {
  readonly host: string
  readonly score: number
  readonly signals: Readonly<Record<string, number>>
}
const states = Database.use((it) =>
  it.query<Row>("select host, score::float8 as score, signals from host_scoring_state order by score desc, host")
)
const decided = (n: number) =>
  Effect.map(
    Database.use((it) =>
      it.query<{ host: string; value: string; by: string }>(
        "select host, rest->'priority'->>'value' as value, rest->'priority'->>'by' as by from articles where url like $1",
        [`%-number-${n}`]
      )
    ),
    (rows) => new Map(rows.map((it) => [it.host, it]))
  )

const story = Effect.gen(function* () {
  yield* crawled
  const cold = yield* decided(9)
  yield* Effect.sleep(20)
  const done = yield* cycle()
  round = 1
  yield* crawled
  const split = yield* decided(1000)
  const before = yield* states
  yield* Database.use((it) =>
    it.query(`insert into fetcher_rules (host_pattern, fetcher, priority_config)
      values ('late-1.example', 'auto', '{"signal_weights": {"freshness": 0}}')`)
  )
  yield* Effect.sleep(20)
  yield* cycle()
  const after = yield* states
  round = 2
  yield* crawled
  return { cold, split, before, after, done, again: yield* decided(2000) }
})

const two = (value: number | undefined) => (value ?? Number.NaN).toFixed(2)

await prove(async (bench) => {
  const settings = settingsOf({
    CRAWLER_DATA_DIR: `${bench.folder}/data`,
    FETCH_DELAY: "0ms",
    BUS_POLL: "20ms",
    SCORING_THRESHOLD: THRESHOLD,
    PRIORITY_CACHE_TTL: "0ms"
  })
  const scale = { weights: evenWeights, window_ms: 360 * minute, samplesMin: 20 }
  const policy = policyOf({ scoring: { interval: Duration.millis(1), hostLabels: 20, scale } })
  const services = Layer.mergeAll(
    store,
    hosts.layer(),
    reader.layer,
    Run.layer(new Set(chainStages)),
    fetcher,
    openRobots,
    outputsTo([])
  ).pipe(Layer.provideMerge(Layer.merge(settings, policy)))
  const told = await Effect.runPromise(Effect.provide(story, services))
  const scoreOf = (rows: ReadonlyArray<Row>, host: string) => rows.find((it) => it.host === host)?.score
  const rows = told.before.map(({ host, score, signals }) => {
    const now = told.split.get(host)
    return {
      host,
      cold: `${told.cold.get(host)?.value} by ${told.cold.get(host)?.by}`,
      fresh: two(signals.freshness),
      impact: two(signals.impact),
      cost: two(signals.cost),
      reliable: two(signals.reliability),
      trust: two(signals.host_trust),
      samples: signals.samples ?? 0,
      score: two(score),
      scored: `${now?.value} by ${now?.by}`,
      right: now?.by === "score" && now.value === kindOf(host).expected ? "yes" : "NO"
    }
  })
  const changed = "late-1.example"
  const [was, is] = [scoreOf(told.before, changed), scoreOf(told.after, changed)]
  const again = told.again.get(changed)
  const high = rows.filter((it) => it.scored.startsWith("high")).length
  const right = rows.filter((it) => it.right === "yes").length
  const cold = [...told.cold.values()].every((it) => it.value === "normal" && it.by === "category")
  const moved = was !== undefined && is !== undefined && is > was && again?.value === "high" && again.by === "score"
  return {
    rows,
    figure: `live-split: ${hostsOf.length} hosts of category ${CATEGORY} (Normal by category when cold) are ${high} High and ${rows.length - high} Normal by score at threshold ${THRESHOLD}, ${right} of ${hostsOf.length} as expected; ${changed} without weight on freshness: ${two(was)} → ${two(is)}, now ${again?.value}`,
    holds: right === hostsOf.length && cold && moved && high > 0 && high < rows.length
  }
})
