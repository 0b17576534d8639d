import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { BadData, type Unavailable } from "../domain/errors.ts"
import type { Database } from "./database.ts"
import { StoreRefused } from "./embedded/refused.ts"
import { type Migration, migrations } from "./migrations.ts"

type Shape = (typeof Database)["Service"]

interface Applied {
  readonly version: number
  readonly checksum: string
}

const register = `create table if not exists schema_versions (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
)`

/** The schema this program knows. */
export const latest = migrations.reduce((highest, it) => Math.max(highest, it.version), 0)

/** Line endings are a checkout's choice, not a change. */
export const checksum = ({ text }: Migration): string =>
  createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex")

const newer = (found: number, where: string) =>
  new StoreRefused({
    exit: 78,
    message: `${where} has schema ${found}, this crawler knows ${latest}: use a newer crawler, or a store that it made`
  })

const versionFile = (dataDir: string) => join(dataDir, "schema")

/** Refuses a data dir that a newer program wrote, before anything in it is touched. */
export const refuseNewer = (dataDir: string): Effect.Effect<void, StoreRefused> =>
  Effect.suspend(() => {
    let found = 0
    try {
      found = Number.parseInt(readFileSync(versionFile(dataDir), "utf8"), 10)
    } catch {
      return Effect.void // A first start, or a dir that the next steps will complain about with a better reason.
    }
    return found > latest ? Effect.fail(newer(found, `CRAWLER_DATA_DIR ${dataDir}`)) : Effect.void
  })

/** Steps that are not applied yet. A step that is applied but reads differently now was edited: refused. */
const pending = (applied: ReadonlyArray<Applied>): Effect.Effect<ReadonlyArray<Migration>, StoreRefused> => {
  const highest = applied.reduce((top, it) => Math.max(top, it.version), 0)
  if (highest > latest) return Effect.fail(newer(highest, "the database"))
  const known = new Map(applied.map((it) => [it.version, it.checksum]))
  const edited = migrations.find((it) => known.has(it.version) && known.get(it.version) !== checksum(it))
  if (edited !== undefined) {
    const name = `sql/${String(edited.version).padStart(4, "0")}_${edited.name}.sql`
    return Effect.fail(new StoreRefused({ exit: 78, message: `${name} differs from what the database was made with` }))
  }
  return Effect.succeed(migrations.filter((it) => !known.has(it.version)))
}

/** What a database is at and lacks; a database without a register is at 0. Writes nothing. */
export const status = Effect.fn("Migrate.status")(function* (database: Shape) {
  const [found] = yield* database.query<{ found: boolean }>(
    "select to_regclass('schema_versions') is not null as found"
  )
  const applied =
    found?.found === true
      ? yield* database.query<Applied>("select version, checksum from schema_versions order by version")
      : []
  return { applied, pending: yield* pending(applied) }
})

/** One step is one simple query, hence one transaction; its row goes first, so that of two migrators one waits and yields. */
const apply = (database: Shape, step: Migration): Effect.Effect<void, Unavailable | BadData> =>
  database.script(
    `insert into schema_versions (version, name, checksum) values (${step.version}, '${step.name}', '${checksum(step)}');\n${step.text}`
  )

/**
 * Brings the schema to `latest` and answers the versions applied now. In embedded mode part of a start, else
 * `crawler migrate`. Fails with StoreRefused (exit 78) on a newer or an edited schema, and when the database cannot be used.
 */
export const migrate = Effect.fn("Migrate.migrate")(
  function* (database: Shape, dataDir: string | null) {
    yield* database.script(register)
    const { pending: steps } = yield* status(database)
    for (const step of steps) {
      yield* apply(database, step).pipe(
        Effect.catchTag("BadData", (it) =>
          it.message.includes("schema_versions_pkey") ? Effect.void : Effect.fail(new BadData({ message: it.message }))
        )
      )
    }
    if (dataDir !== null) yield* Effect.try(() => writeFileSync(versionFile(dataDir), `${latest}\n`))
    return steps.map((it) => it.version)
  },
  Effect.catchTag(["Unavailable", "BadData", "UnknownError"], (it) =>
    Effect.fail(new StoreRefused({ exit: 74, message: `migration: ${it.message}` }))
  )
)

/** A server must be at our version before work starts: an older one needs `crawler migrate`. */
export const requireLatest = Effect.fn("Migrate.requireLatest")(function* (database: Shape) {
  const { pending: steps } = yield* status(database)
  if (steps.length > 0) {
    const versions = steps.map((it) => it.version).join(", ")
    return yield* new StoreRefused({ exit: 78, message: `DATABASE_URL lacks schema ${versions}: run crawler migrate` })
  }
})
