import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { PGlite } from "@electric-sql/pglite"

/** Where the builder leaves the seed, from the repository's root. It is generated, so git ignores it. */
export const seedPath = join(import.meta.dir, "../../../dist/seed.tar.gz")

/**
 * Makes the seed: an empty cluster as initdb leaves it, as a tar.gz. Unpacking it takes a tenth of what initdb takes, and
 * the executable needs no initdb at all. Run by `make setup` and `make build`; an existing seed is left as it is.
 */
export const buildSeed = async (path: string): Promise<void> => {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  const cluster = `${path}.${process.pid}.cluster`
  const database = await PGlite.create({ dataDir: cluster })
  await database.exec("checkpoint")
  const dump = await database.dumpDataDir("gzip")
  await database.close()
  await Bun.write(`${path}.${process.pid}`, dump)
  renameSync(`${path}.${process.pid}`, path)
  rmSync(cluster, { recursive: true, force: true })
}

if (import.meta.main) await buildSeed(process.argv[2] ?? seedPath)
