import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { saidIn } from "../descriptor.ts"
import { StoreRefused } from "./refused.ts"

/** The generated seed, embedded in the executable. A checkout may lack it: then null, and initdb does the work. */
const seed = async (): Promise<string | null> => {
  try {
    return (await import("../../../dist/seed.tar.gz", { with: { type: "file" } })).default
  } catch {
    return null
  }
}

const initialise = async (path: string): Promise<void> => {
  const { PGlite } = await import("@electric-sql/pglite")
  await (await PGlite.create({ dataDir: path })).close()
}

const unfinishedIn = (dataDir: string): string => join(dataDir, "pg.new")

/** What helps a data dir that is not whole. */
export const restore = "restore all of it from a copy, or name another folder by CRAWLER_DATA_DIR"

/** What a data dir has that only a start with a database leaves there; a folder made ready for it is empty. */
const traces = ["pg", "schema", "raws"]
const isLeft = (path: string): boolean =>
  existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0)

/**
 * A data dir that was in use and has no database any more is a copy that lacks a part, or a volume that is not mounted: an empty store
 * in its place would look like one that lost everything.
 */
const incomplete = (dataDir: string): string | null => {
  if (existsSync(join(dataDir, "pg", "PG_VERSION"))) return null
  const left = traces.filter((it) => isLeft(join(dataDir, it)))
  if (left.length === 0) return null
  const lacks = left.includes("pg") ? "pg/PG_VERSION" : "pg"
  return `has ${left.join(", ")} but no ${lacks}, which is its database: ${restore}`
}

const make = async (dataDir: string): Promise<string> => {
  const path = join(dataDir, "pg")
  if (existsSync(join(path, "PG_VERSION"))) return path
  const unfinished = unfinishedIn(dataDir)
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const archive = await seed()
  if (archive === null) await initialise(unfinished)
  else await new Bun.Archive(await Bun.file(archive).bytes()).extract(unfinished)
  // A start that dies half way leaves `pg.new`, never a broken `pg`.
  renameSync(unfinished, path)
  return path
}

/** The cluster's dir, made at the first start. Needs the lock. Fails with exit 74. */
export const cluster = (dataDir: string): Effect.Effect<string, StoreRefused> =>
  Effect.suspend(() => {
    const lacks = incomplete(dataDir)
    return lacks === null
      ? made(dataDir)
      : Effect.fail(new StoreRefused({ exit: 74, message: `CRAWLER_DATA_DIR ${dataDir} ${lacks}` }))
  })

const made = (dataDir: string): Effect.Effect<string, StoreRefused> =>
  Effect.tryPromise({
    try: () => make(dataDir),
    catch: (cause) => {
      const why = saidIn(dataDir, cause)
      // What is half made serves nobody, and may be what fills the disk.
      rmSync(unfinishedIn(dataDir), { recursive: true, force: true })
      return new StoreRefused({ exit: 74, message: `CRAWLER_DATA_DIR ${dataDir}: ${why}` })
    }
  })
