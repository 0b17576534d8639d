import { existsSync } from "node:fs"
import { join } from "node:path"
import { Clock, Data, Duration, Effect, Layer, Schedule, type Scope } from "effect"
import postgres from "postgres"
import { BadData, Unavailable } from "../domain/errors.ts"
import { Settings } from "./config.ts"
import { Database, meaning, type Parameter } from "./database.ts"
import { StoreRefused } from "./embedded/refused.ts"
import { open } from "./embedded/store.ts"
import { Halt } from "./halt.ts"
import { migrate, refuseNewer, requireLatest } from "./migrate.ts"
import { planning } from "./planning.ts"

/** The driver may leave a query unanswered after a broken connection; no statement of ours takes this long. */
const answerMsMax = 60_000
/** An attempt to reach the server, and the goodbye at the end, take at most this many seconds. */
const connectSeconds = 5
/** A lost connection is made again after this many seconds: the driver's own wait grows to 20 s, long after a server is back. */
const againSeconds = 0.25
/** The server's clock is compared with ours this often. */
const compareEvery = Duration.minutes(1)
/** Through its socket all connections to the embedded store share one session: there must be one. */
const embeddedConnections = 1

type Shape = (typeof Database)["Service"]
type Target =
  | { readonly url: string; readonly connections: number; readonly answerMs?: number }
  | { readonly socket: string; readonly dataDir: string }

const client = (target: Target) => {
  const options = {
    fetch_types: false,
    connect_timeout: connectSeconds,
    idle_timeout: 0,
    max_lifetime: null,
    backoff: () => againSeconds,
    onnotice: () => undefined,
    connection: { application_name: "crawler", TimeZone: "UTC", ...planning }
  }
  return "url" in target
    ? postgres(target.url, { ...options, max: target.connections })
    : postgres({ ...options, path: target.socket, max: embeddedConnections, user: "postgres", database: "postgres" })
}

/** A statement that cannot be right: a defect of the program, not a failure a caller could handle. */
class Bug extends Data.TaggedError("Bug")<{ readonly cause: unknown }> {}

/** Real time on purpose: whether the driver still lives has nothing to do with the program's clock. */
const answered = <A>(work: PromiseLike<A>, withinMs: number, silent: () => void): Promise<A> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(Object.assign(new Error(`no answer within ${withinMs} ms`), { code: "CONNECT_SILENT" }))
    silent()
  }, withinMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** The driver connects again by itself; only a first connection that fails is tried again here. */
const listenAgain = Schedule.spaced(Duration.seconds(1))

/** Notifications need a connection of their own, which stays open. */
const listenTo = (target: Target): Shape["listen"] =>
  Effect.fnUntraced(function* (channel, heard) {
    if ("socket" in target) return
    const sql = yield* Effect.acquireRelease(
      Effect.sync(() => client({ ...target, connections: 1 })),
      (it) => Effect.promise(() => it.end({ timeout: connectSeconds }))
    )
    const begin = Effect.tryPromise(() => sql.listen(channel, heard, () => heard(null)))
    yield* Effect.forkScoped(Effect.ignore(Effect.retry(begin, listenAgain)))
  })

const connect = Effect.fn("Database.connect")(function* (target: Target): Effect.fn.Return<Shape, never, Scope.Scope> {
  const halt = yield* Halt
  const embedded = "socket" in target
  const where = embedded ? target.dataDir : ""
  const held = yield* Effect.acquireRelease(
    Effect.sync(() => ({ sql: client(target) })),
    (it) => Effect.promise(() => it.sql.end({ timeout: connectSeconds }))
  )
  /** Whatever waits on connections that say nothing more is Unavailable; the next statement gets new ones. */
  const replace = (silent: typeof held.sql) => {
    if (embedded || held.sql !== silent) return
    held.sql = client(target)
    void silent.end({ timeout: 0 })
  }
  const failure = (cause: unknown): Unavailable | BadData | Bug => {
    const what = meaning(cause)
    const message = cause instanceof Error ? cause.message : String(cause)
    if (what === "bug") return new Bug({ cause })
    if (what === "data") return new BadData({ message })
    // A second query on a full embedded store never returns: the process ends first.
    if (what === "full" && embedded) halt(74, `CRAWLER_DATA_DIR ${where}: no space left on the disk: ${message}`)
    return new Unavailable({ dependency: "database", message })
  }
  const answerMs = "url" in target ? (target.answerMs ?? answerMsMax) : answerMsMax
  const run = <A>(work: (sql: typeof held.sql) => PromiseLike<A>) =>
    Effect.tryPromise({
      try: () => {
        const { sql } = held
        return answered(work(sql), answerMs, () => replace(sql))
      },
      catch: failure
    }).pipe(Effect.catchTag("Bug", (it) => Effect.die(it.cause)))
  return {
    query: <Row>(text: string, parameters: ReadonlyArray<Parameter> = []) =>
      Effect.map(
        run((sql) => sql.unsafe(text, [...parameters], { prepare: true })),
        // A plain array: the driver adds properties. The row type is the caller's statement about its own text; nothing else can know it.
        (rows) => Array.from(rows) as unknown as ReadonlyArray<Row>
      ),
    script: (text) => Effect.asVoid(run((sql) => sql.unsafe(text).simple())),
    embedded,
    dataDir: "url" in target ? null : target.dataDir,
    listen: listenTo(target),
    leaseClock: Clock.currentTimeMillis
  }
})

/** Bodies are copied with the database, or pages that it knows cannot be read again. */
const bodiesMissing = Effect.fnUntraced(function* (database: Shape, dataDir: string) {
  if (existsSync(join(dataDir, "raws"))) return
  const [row] = yield* database.query<{ pages: number }>(
    "select count(*)::int as pages from raw_contents where place = 'file'"
  )
  if (row === undefined || row.pages === 0) return
  yield* Effect.logWarning(
    `CRAWLER_DATA_DIR ${dataDir} has no raws, where the bodies of ${row.pages} stored pages were: restore it beside pg, or those pages are never read again`
  )
})

/** Opens the embedded store in `dataDir`, brings its schema up to date, and owns it until the scope closes. */
export const embedded = Effect.fn("Database.embedded")(function* (
  dataDir: string
): Effect.fn.Return<Shape, StoreRefused, Scope.Scope> {
  yield* refuseNewer(dataDir)
  const { socket } = yield* open(dataDir)
  const database = yield* connect({ socket, dataDir })
  yield* migrate(database, dataDir)
  yield* Effect.ignore(bodiesMissing(database, dataDir))
  return database
})

/** Leases by the server's clock: its distance from ours is measured now and every minute. */
const corrected = Effect.fn("Database.corrected")(function* (
  database: Shape
): Effect.fn.Return<Shape, never, Scope.Scope> {
  let skew = 0
  const compare = Effect.gen(function* () {
    const [row] = yield* database.query<{ now: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now"
    )
    if (row !== undefined) skew = Math.round(row.now - (yield* Clock.currentTimeMillis))
  }).pipe(Effect.ignore)
  yield* compare
  yield* Effect.forkScoped(compare.pipe(Effect.schedule(Schedule.spaced(compareEvery))))
  return { ...database, leaseClock: Effect.map(Clock.currentTimeMillis, (it) => it + skew) }
})

/** Connects to a server and does not touch its schema: what `crawler migrate` uses. `answerMs`: longest wait for an answer. */
export const connectTo = Effect.fn("Database.connectTo")(function* (
  url: string,
  connections: number,
  answerMs = answerMsMax
): Effect.fn.Return<Shape, StoreRefused, Scope.Scope> {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    return yield* new StoreRefused({ exit: 78, message: "DATABASE_URL <hidden>: expected a postgres:// URL" })
  }
  return yield* connect({ url, connections, answerMs })
})

/** A server that is down at the start is no reason to refuse: the stages pause. A wrong schema is. */
export const remote = Effect.fn("Database.remote")(function* (
  url: string,
  connections: number
): Effect.fn.Return<Shape, StoreRefused, Scope.Scope> {
  const database = yield* connectTo(url, connections)
  yield* requireLatest(database).pipe(
    Effect.catchTag(["Unavailable", "BadData"], (it) => Effect.logWarning(`database: ${it.message}`))
  )
  return yield* corrected(database)
})

/** The store the settings name: DATABASE_URL, else the embedded one in CRAWLER_DATA_DIR. */
export const layer: Layer.Layer<Database, StoreRefused, Settings> = Layer.effect(
  Database,
  Effect.gen(function* () {
    const settings = yield* Settings
    return settings.DATABASE_URL === null
      ? yield* embedded(settings.CRAWLER_DATA_DIR)
      : yield* remote(settings.DATABASE_URL, settings.DATABASE_CONNECTIONS)
  })
)
