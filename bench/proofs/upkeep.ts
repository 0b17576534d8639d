/**
 * Claim: the embedded store looks after itself. Bar: 200,000 messages and raw pages go through it, its log never takes more
 * than 256 MB, and it opens within 3 s after a SIGKILL at the worst moment, nothing acknowledged lost.
 *
 * A child process saves raw pages (4 kB that do not compress), publishes a message for each and settles them all, while
 * upkeep runs each second as the sweeper runs it. Then it writes just less than what a checkpoint waits for, and is killed.
 */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Clock, Duration, Effect, Layer, Result, Schedule, Stream } from "effect"
import { Bus, Pages, type RawBody, Upkeep } from "../../src/domain/ports.ts"
import type { Outgoing } from "../../src/domain/topics.ts"
import * as bus from "../../src/infra/bus.table.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as postgres from "../../src/infra/database.postgres.ts"
import { Database } from "../../src/infra/database.ts"
import * as pages from "../../src/infra/pages.sql.ts"
import * as upkeep from "../../src/infra/upkeep.sql.ts"
import { prove } from "./proof.ts"

const messages = Number(process.env.MESSAGES ?? 200_000)
const bodyBytes = 4096
const group = 100
const logBytesMax = 256 * 1024 * 1024
const openSecondsMax = 3
/** Written after the last checkpoint, at most: upkeep checkpoints at 64 MB. */
const unsavedBytes = 60 * 1024 * 1024
const mega = (bytes: number) => Math.round(bytes / 1_048_576)

const rawOf = (n: number, at: number): RawBody => ({
  raw: {
    id: `raw-${n}`,
    url: `https://h${n % 500}.example/${n}`,
    final_url: `https://h${n % 500}.example/${n}`,
    host: `h${n % 500}.example`,
    status: 200,
    content_type: "text/html; charset=utf-8",
    fetcher: "http",
    fetched_at: at,
    elapsed_ms: 120,
    bytes: bodyBytes,
    truncated: false,
    hops: [],
    validators: { etag: null, last_modified: null }
  },
  body: crypto.getRandomValues(new Uint8Array(bodyBytes))
})

const messageOf = ({ raw }: RawBody): Outgoing => ({
  id: `message of ${raw.id}`,
  topic: "fetched",
  key: raw.host,
  occurred_at: raw.fetched_at,
  attempt: 0,
  trace_id: raw.id,
  headers: { schema: "1" },
  payload: { raw, job: { id: raw.id, target: { url: raw.url, type: "article" }, host: raw.host } },
  not_before: raw.fetched_at
})

const settings = (dataDir: string) => {
  const values = load({ CRAWLER_DATA_DIR: dataDir })
  if (Result.isFailure(values)) throw new Error("settings")
  return Layer.succeed(Settings, values.success)
}
const store = (dataDir: string) =>
  Layer.mergeAll(bus.layer, pages.layer, upkeep.layer).pipe(
    Layer.provideMerge(postgres.layer),
    Layer.provideMerge(settings(dataDir))
  )

const written = Database.use((it) =>
  it.query<{ bytes: number }>("select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes")
).pipe(Effect.map(([row]) => row?.bytes ?? 0))

const save = Effect.fnUntraced(function* (from: number) {
  const now = yield* Clock.currentTimeMillis
  const raws = Array.from({ length: group }, (_, n) => rawOf(from + n, now))
  yield* Pages.use((it) => it.saveRaws(raws))
  return raws
})

/** The child: works through all messages, then leaves the log as full as upkeep lets it become. */
const work = Effect.gen(function* () {
  const it = yield* Bus
  const { run } = yield* Upkeep
  yield* run
  const tending = yield* Effect.forkScoped(Effect.schedule(run, Schedule.spaced(Duration.seconds(1))))
  const produce = Effect.gen(function* () {
    for (let from = 0; from < messages; from += group) yield* it.publish((yield* save(from)).map(messageOf))
  })
  yield* Effect.forkScoped(produce)
  const subscription = {
    topics: [{ topic: "fetched" as const, weight: 1 }],
    limit: 200,
    perKey: 50,
    untilDrained: false
  }
  yield* it.consume(subscription, Effect.never).pipe(
    Stream.take(messages),
    Stream.rechunk(group),
    Stream.chunks,
    Stream.mapEffect((all) => it.settle(all.map(({ receipt }) => ({ receipt, publish: [], dead: [] })))),
    Stream.runDrain
  )
  tending.interruptUnsafe()
  yield* Database.use((database) => database.script("checkpoint"))
  const start = yield* written
  let saved = messages
  for (; (yield* written) - start < unsavedBytes; saved += group) yield* save(saved)
  console.log(JSON.stringify({ saved, unsaved: (yield* written) - start }))
  return yield* Effect.never
})

const sizeOf = (dir: string): number =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).reduce((sum, it) => {
    if (!it.isFile()) return sum
    // A file may go while its dir is read.
    return sum + (statSync(join(it.parentPath, it.name), { throwIfNoEntry: false })?.size ?? 0)
  }, 0)

/** The child's last word; what it logged before (a step over 200 ms) is shown and counted. */
const report = async (output: ReadableStream<Uint8Array>) => {
  let warnings = 0
  let rest = ""
  const decoder = new TextDecoder()
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line.startsWith("{")) return { said: JSON.parse(line) as { saved: number; unsaved: number }, warnings }
      console.log(line)
      warnings += 1
    }
  }
  throw new Error("the child ended early")
}

let opened = Number.POSITIVE_INFINITY
const child = process.argv[2] === "--work" ? process.argv[3] : undefined
if (child !== undefined) await Effect.runPromise(work.pipe(Effect.scoped, Effect.provide(store(child))))

await prove(async (bench) => {
  const dataDir = join(bench.folder, "data")
  const started = performance.now()
  const worker = Bun.spawn([process.execPath, import.meta.path, "--work", dataDir], {
    stdout: "pipe",
    stderr: "inherit"
  })
  bench.later(() => worker.kill("SIGKILL"))
  const logDir = join(dataDir, "pg", "pg_wal")
  let logMax = 0
  const watch = setInterval(() => {
    const size = statSync(logDir, { throwIfNoEntry: false }) === undefined ? 0 : sizeOf(logDir)
    logMax = Math.max(logMax, size)
  }, 200)
  const { said, warnings } = await report(worker.stdout)
  clearInterval(watch)
  const seconds = (performance.now() - started) / 1000
  worker.kill("SIGKILL")
  await worker.exited
  const disk = sizeOf(dataDir)

  const before = performance.now()
  const found = await Effect.runPromise(
    Effect.gen(function* () {
      const database = yield* Database
      yield* database.query("select 1")
      opened = (performance.now() - before) / 1000
      return yield* database.query<{ raws: number }>("select count(*)::int as raws from raw_contents")
    }).pipe(Effect.provide(postgres.layer.pipe(Layer.provide(settings(dataDir)))))
  )
  const raws = found[0]?.raws ?? 0
  const lost = said.saved - raws
  const rows = [
    { what: "messages and raw pages through the store", value: `${messages} (${bodyBytes} B bodies)` },
    { what: "seconds for them", value: seconds.toFixed(0) },
    { what: "largest log, MB", value: mega(logMax) },
    { what: "data dir at the end, MB", value: mega(disk) },
    { what: "log not checkpointed at the kill, MB", value: mega(said.unsaved) },
    { what: "seconds to open after the kill", value: opened.toFixed(2) },
    { what: "steps of upkeep over 200 ms", value: warnings },
    { what: "acknowledged raw pages lost", value: lost }
  ]
  const holds = logMax <= logBytesMax && opened <= openSecondsMax && lost === 0
  return { rows, figure: `log at most ${mega(logMax)} MB, open again in ${opened.toFixed(2)} s`, holds }
})
