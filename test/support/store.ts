import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Scope } from "effect"
import { load, Settings } from "../../src/infra/config.ts"
import * as postgres from "../../src/infra/database.postgres.ts"
import { Database } from "../../src/infra/database.ts"
import { buildSeed, seedPath } from "../../src/infra/embedded/seed.ts"
import { migrate } from "../../src/infra/migrate.ts"
import { service } from "./services.ts"

const tables = [
  ..."research_days research_batches research_chunks research_parts datasets liveness_results".split(" "),
  ..."messages dead_letters sources crawl_lists urls raw_contents articles article_revisions validation_outcomes".split(
    " "
  ),
  ..."fetcher_rules switches republishes fetch_failures parsing_rules hosts host_paces host_signals host_scoring_state audit_log host_generations relays host_traits".split(
    " "
  )
]
const aiTables = "ai_jobs ai_results llm_usage ai_gate".split(" ")
const clear = `truncate ${[...tables, ...aiTables].join(", ")} cascade`

const prefix = "crawler-test-"
const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const remove = (dir: string) => rmSync(dir, { recursive: true, force: true })

// The test runner ends without a last word, so a run cleans up what earlier ones left.
for (const name of readdirSync(tmpdir())) {
  if (name.startsWith(prefix) && !alive(Number(name.slice(prefix.length).split("-")[0]))) remove(join(tmpdir(), name))
}

/** A data dir that is removed by the next run. */
export const temporaryDir = (): string => mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))

/** A data dir that goes away with its scope. */
export const temporary = Effect.acquireRelease(Effect.sync(temporaryDir), (dir) => Effect.sync(() => remove(dir)))

const forTheProcess = Scope.makeUnsafe()
const open = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      yield* Effect.promise(() => buildSeed(seedPath))
      return yield* postgres.embedded(temporaryDir())
    }).pipe(Effect.provideService(Scope.Scope, forTheProcess))
  )
)
/** An empty store. All tests of a process share one that is opened once, since opening costs a second. */
export const embeddedStore: Layer.Layer<Database, unknown> = Layer.effect(
  Database,
  Effect.tap(open, (it) => it.script(clear))
)

/** A Postgres server for the same sentences, where one runs: `make services`, or TEST_DATABASE_URL. */
export const serverUrl = service("DATABASE_URL")

/** Each process of tests has a database of its own; those of processes that are gone are dropped on the way. */
const ownDatabase = (url: string) =>
  Effect.gen(function* () {
    const server = yield* postgres.connectTo(url, 1)
    const named = yield* server.query<{ name: string }>(
      "select datname as name from pg_database where datname ~ '^test_[0-9]+$'"
    )
    const dead = named.filter(({ name }) => !existsSync(`/proc/${name.slice("test_".length)}`))
    const name = `test_${process.pid}`
    for (const it of dead) yield* server.script(`drop database if exists ${it.name} with (force)`)
    yield* server.script(`create database ${name}`)
    const own = new URL(url)
    own.pathname = `/${name}`
    yield* migrate(yield* postgres.connectTo(own.href, 1), null)
    return own.href
  }).pipe(Effect.scoped)

const ownUrl = Effect.runSync(Effect.cached(ownDatabase(serverUrl ?? "")))
/** An empty store on the server. */
export const serverStore: Layer.Layer<Database, unknown> = Layer.effect(
  Database,
  Effect.gen(function* () {
    const database = yield* postgres.remote(yield* ownUrl, 4)
    yield* database.script(clear)
    return database
  })
)

export const settingsOf = (env: Readonly<Record<string, string>> = {}): Layer.Layer<Settings> => {
  const values = load(env)
  if (values._tag === "Failure") throw new Error(JSON.stringify(values.failure))
  return Layer.succeed(Settings, values.success)
}

/** Where the sentences of a port run: always on the embedded store, and on a server where one is named. */
export const stores: ReadonlyArray<{ readonly name: string; readonly layer: Layer.Layer<Database, unknown> }> = [
  { name: "embedded", layer: embeddedStore },
  ...(serverUrl === undefined ? [] : [{ name: "server", layer: serverStore }])
]
