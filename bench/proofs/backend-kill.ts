/**
 * Proof backend-kill: the database's backend is killed before, during and after the write of articles and the claim of messages,
 * 100 times each, under pipelined load: the state equals the oracle's, and no query hangs.
 */
import { SQL } from "bun"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import type { Article } from "../../src/domain/article.ts"
import { Unavailable } from "../../src/domain/errors.ts"
import { Bus, Pages } from "../../src/domain/ports.ts"
import type { Outgoing } from "../../src/domain/topics.ts"
import * as bus from "../../src/infra/bus.table.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as postgres from "../../src/infra/database.postgres.ts"
import { Database } from "../../src/infra/database.ts"
import { migrate } from "../../src/infra/migrate.ts"
import * as pages from "../../src/infra/pages.sql.ts"
import { servers } from "./fleet.ts"
import { prove } from "./proof.ts"

const TIMES = Number(process.env.TIMES ?? 100)
/** Writers at once over few connections, so that several statements are on the wire of each. */
const LANES = 12
const CONNECTIONS = 3
/** A call that has no answer after this hangs: the driver's own limit is 60 s. */
const HANG_MS = 30_000
/** Looks for a backend in the wanted state before one kill is given up. */
const LOOKS_MAX = 20_000
const END_SECONDS_MAX = 120

/** How such a statement begins: the server shows the start of what a backend runs, or ran last. */
const acts = {
  "article write": "with given as materialized (%article%",
  "message claim": "with recursive wanted%"
} as const
type Act = keyof typeof acts
const moments = ["before", "during", "after"] as const
type Moment = (typeof moments)[number]

const at = new Date(1_700_000_000_000).toISOString()
const articleOf = (n: number): Article => ({
  id: `article-${n}`,
  url: `https://h${n % 50}.example/${n}`,
  canonical_url: null,
  host: `h${n % 50}.example`,
  identity: String(n),
  title: `Title of article ${n}`,
  text: `Text of article ${n}. `.repeat(40),
  html: null,
  authors: [],
  published_at: null,
  published_source: null,
  zone_source: null,
  modified_at: null,
  language: null,
  section: null,
  tags: [],
  image: null,
  description: null,
  site_name: null,
  extraction: { by: "generic", rule: null, version: 1, confidence: 1 },
  verdict: "ok",
  fetched_at: at,
  detected_at: at,
  fetcher: "http",
  priority: { value: "normal", by: "default" }
})
const messageOf = (n: number): Outgoing => ({
  id: `message-${n}`,
  topic: "fetched",
  key: `h${n % 50}.example`,
  occurred_at: 1,
  attempt: 0,
  trace_id: "",
  headers: { schema: "1" },
  payload: { n },
  not_before: 0
})

interface Tally {
  articles: number
  messages: number
  outages: number
  slowestMs: number
  stop: boolean
  readonly settled: Set<string>
}

/** Sent again while the database is away, as the stages do; each answer is timed. */
const steady = <A, E, R>(tally: Tally, work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.ensuring(
      work,
      Effect.sync(() => {
        tally.slowestMs = Math.max(tally.slowestMs, performance.now() - began)
      })
    )
  }).pipe(
    Effect.tapError(() =>
      Effect.andThen(
        Effect.sync(() => {
          tally.outages += 1
        }),
        Effect.sleep("20 millis")
      )
    ),
    Effect.retry({ while: (it) => it instanceof Unavailable }),
    Effect.orDie
  )

const writer = (tally: Tally) =>
  Effect.gen(function* () {
    const [store, queue] = [yield* Pages, yield* Bus]
    while (!tally.stop) {
      const n = tally.articles++
      yield* steady(tally, store.saveArticles([{ article: articleOf(n), url_key: `key-${n}`, job_id: `job-${n}` }]))
      yield* steady(tally, queue.publish([messageOf(tally.messages++)]))
    }
  })

const reader = (tally: Tally, stop: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const queue = yield* Bus
    const subscription = {
      topics: [{ topic: "fetched" as const, weight: 1 }],
      limit: 64,
      perKey: 64,
      untilDrained: false
    }
    const take = queue.consume(subscription, stop)
    yield* Stream.runDrain(
      Stream.mapEffect(
        take,
        ({ receipt, envelope }) =>
          Effect.tap(steady(tally, queue.settle([{ receipt, publish: [], dead: [] }])), () =>
            Effect.sync(() => tally.settled.add(envelope.id))
          ),
        { concurrency: LANES, unordered: true }
      )
    )
  })

/** Ends a backend of the program: one that is idle (before), runs such a statement (during), or has just run one (after). */
const kill = async (admin: SQL, act: Act, moment: Moment): Promise<boolean> => {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const state = moment === "during" ? "active" : "idle"
    const like = moment === "before" ? "%" : acts[act]
    const killed = await admin`select pg_terminate_backend(pid) from (select pid from pg_stat_activity
      where application_name = 'crawler' and datname = current_database() and state = ${state} and query like ${like}
      order by random() limit 1) one`
    if (killed.length > 0) return true
  }
  return false
}

const killAll = async (url: string, report: (row: Record<string, string | number>) => void): Promise<void> => {
  const admin = new SQL(url, { max: 1, connection: { application_name: "killer" } })
  for (const act of Object.keys(acts) as ReadonlyArray<Act>) {
    for (const moment of moments) {
      let kills = 0
      for (; kills < TIMES && (await kill(admin, act, moment)); kills += 1) await Bun.sleep(Math.random() * 40)
      report({ act, moment, kills })
    }
  }
  await admin.close()
}

await prove(async (bench) => {
  const { env, database: view } = await servers(bench, "backend_kill")
  const url = env.DATABASE_URL ?? ""
  const settings = load({ BUS_LEASE: "5s", BUS_POLL: "50ms" })
  if (settings._tag === "Failure") throw new Error(JSON.stringify(settings.failure))
  const database = Layer.effect(
    Database,
    Effect.gen(function* () {
      yield* migrate(yield* postgres.connectTo(url, 1), null)
      return yield* postgres.remote(url, CONNECTIONS)
    })
  )
  const services = Layer.merge(pages.layer, bus.layer).pipe(
    Layer.provideMerge(Layer.merge(database, Layer.succeed(Settings, settings.success)))
  )
  const tally: Tally = { articles: 0, messages: 0, outages: 0, slowestMs: 0, stop: false, settled: new Set() }
  const rows: Array<Record<string, string | number>> = []
  const program = Effect.gen(function* () {
    const stop = yield* Deferred.make<void>()
    const reading = yield* Effect.forkChild(reader(tally, Deferred.await(stop)))
    const writing = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: LANES }, () => writer(tally)),
        { concurrency: LANES, discard: true }
      )
    )
    yield* Effect.promise(() => killAll(url, (row) => rows.push(row)))
    tally.stop = true
    yield* Fiber.join(writing)
    for (let waited = 0; waited < END_SECONDS_MAX && tally.settled.size < tally.messages; waited += 1)
      yield* Effect.sleep("1 second")
    yield* Deferred.succeed(stop, undefined)
    yield* Fiber.join(reading)
  })
  await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(services)))
  const [state] = await view`select (select count(*)::int from articles) as articles,
    (select coalesce(sum(revision), 0)::int from articles) as revisions, (select count(*)::int from messages) as left,
    (select count(*)::int from dead_letters) as dead`
  const kills = rows.reduce((sum, it) => sum + Number(it.kills), 0)
  const equal =
    state.articles === tally.articles &&
    state.revisions === 0 &&
    state.left === 0 &&
    state.dead === 0 &&
    tally.settled.size === tally.messages
  const slowest = Math.round(tally.slowestMs)
  return {
    rows,
    figure: `backend-kill: ${kills} backends killed under load; ${tally.articles} articles written, ${state.articles} stored, ${state.revisions} revised; ${tally.messages} messages sent, ${tally.settled.size} settled, ${state.left} left, ${state.dead} dead; ${tally.outages} calls sent again, slowest answer ${slowest} ms`,
    holds: equal && slowest < HANG_MS && rows.every((it) => it.kills === TIMES)
  }
})
