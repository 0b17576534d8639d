import { randomBytes } from "node:crypto"
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { link, mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import { Unavailable } from "../domain/errors.ts"
import { Datasets } from "../domain/research.ts"
import { Settings } from "./config.ts"
import { codeOf, saidOf } from "./descriptor.ts"

/** Where files are written before they have their name: beside the tree, so that readers never meet half a file. */
const SCRATCH = "research/processing/writing"

const unavailable = (path: string) => (cause: unknown) =>
  new Unavailable({
    dependency: "disk",
    message: `${path}: ${saidOf(cause)}`
  })

const attempt = <A>(path: string, work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: unavailable(path) })

/** A name in a folder is safe from a power cut only once the folder itself is. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes all bytes under a name of its own, down to the disk. */
const writeScratch = async (root: string, text: string): Promise<string> => {
  const folder = join(root, SCRATCH)
  await mkdir(folder, { recursive: true })
  const scratch = join(folder, `${process.pid}-${randomBytes(8).toString("hex")}`)
  const handle = await open(scratch, "wx")
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (cause) {
    // A full disk is tried again and again: what was half written must not fill it further.
    await unlink(scratch)
    throw cause
  } finally {
    await handle.close()
  }
  return scratch
}

/** Gives the file its name by a link, which never replaces another file; then the scratch name goes. */
const publish = async (root: string, path: string, text: string): Promise<"published" | "present" | "taken"> => {
  const target = join(root, path)
  const scratch = await writeScratch(root, text)
  try {
    await mkdir(dirname(target), { recursive: true })
    await link(scratch, target)
    await syncFolder(dirname(target))
    return "published"
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
    return (await readFile(target, "utf8")) === text ? "present" : "taken"
  } finally {
    await unlink(scratch)
  }
}

const replace = async (root: string, path: string, text: string): Promise<void> => {
  const target = join(root, path)
  const scratch = await writeScratch(root, text)
  try {
    await mkdir(dirname(target), { recursive: true })
    await rename(scratch, target)
  } catch (cause) {
    await unlink(scratch)
    throw cause
  }
  await syncFolder(dirname(target))
}

const orMissing = async <A>(work: Promise<A>, missing: A): Promise<A> => {
  try {
    return await work
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return missing
    throw cause
  }
}

const list = async (root: string, folder: string): Promise<ReadonlyArray<string>> => {
  const found = await orMissing(readdir(join(root, folder), { recursive: true, withFileTypes: true }), [])
  const base = join(root, "/")
  return found
    .flatMap((it) => (it.isFile() ? [join(it.parentPath, it.name).slice(base.length)] : []))
    .toSorted((a, b) => (a < b ? -1 : 1))
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
}

/** What processes that died in the middle of writing left behind; nobody ever saw it. */
const sweep = (root: string) =>
  Effect.try({
    try: () => {
      const folder = join(root, SCRATCH)
      mkdirSync(folder, { recursive: true })
      for (const name of readdirSync(folder)) {
        const pid = Number.parseInt(name, 10)
        if (!(pid > 0) || pid === process.pid || !isRunning(pid)) rmSync(join(folder, name), { force: true })
      }
    },
    catch: unavailable(join(root, SCRATCH))
  })

/** Every path of the tree begins so: a path from elsewhere never leaves the data dir. */
const isInside = (path: string): boolean => path.startsWith("research/") && !path.split("/").includes("..")

/** Datasets as files under a root folder. */
export const under = (root: string): Datasets["Service"] => {
  const checked = <A>(path: string, work: () => Promise<A>) =>
    isInside(path) ? attempt(join(root, path), work) : Effect.die(new Error(`${path} is no path of the research tree`))
  return Datasets.of({
    publish: Effect.fn("Datasets.publish")((path: string, text: string) =>
      checked(path, () => publish(root, path, text))
    ),
    replace: Effect.fn("Datasets.replace")((path: string, text: string) =>
      checked(path, () => replace(root, path, text))
    ),
    read: (path) => checked(path, () => orMissing<string | null>(readFile(join(root, path), "utf8"), null)),
    list: (folder) => checked(folder, () => list(root, folder)),
    remove: (path) => checked(path, () => orMissing(unlink(join(root, path)), undefined))
  })
}

/** The folder that holds `research/`: the data dir, or its folder for the environment (S5.21). */
export const rootOf = ({ CRAWLER_DATA_DIR, RESEARCH_ENVIRONMENT }: Settings["Service"]): string =>
  RESEARCH_ENVIRONMENT === "none" ? CRAWLER_DATA_DIR : join(CRAWLER_DATA_DIR, RESEARCH_ENVIRONMENT)

/** Files below the data dir, after what a dead process left half written is gone. */
export const layer: Layer.Layer<Datasets, Unavailable, Settings> = Layer.effect(
  Datasets,
  Effect.gen(function* () {
    const root = rootOf(yield* Settings)
    yield* sweep(root)
    return under(root)
  })
)

/** The same for looking only: nothing is swept or made. */
export const reading: Layer.Layer<Datasets, never, Settings> = Layer.effect(
  Datasets,
  Effect.map(Settings, (it) => under(rootOf(it)))
)
