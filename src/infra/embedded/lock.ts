import { dlopen, FFIType } from "bun:ffi"
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Schedule, type Scope } from "effect"
import { saidIn } from "../descriptor.ts"
import { StoreRefused } from "./refused.ts"

/** Names of the C library: glibc, macOS, musl. */
const libraries = ["libc.so.6", "libSystem.B.dylib", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]
/** A process that was just killed holds its lock until the kernel is done with it: it is asked again for a second. */
const dying = { times: 20, schedule: Schedule.spaced(Duration.millis(50)) }
const exclusive = 2
const withoutWaiting = 4

const loadFlock = (): ((fd: number, operation: number) => number) | null => {
  for (const name of libraries) {
    try {
      return dlopen(name, { flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } }).symbols.flock
    } catch {
      // Another system's name: the next one is tried.
    }
  }
  return null
}

const holderOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8").trim() || "unknown"
  } catch {
    return "unknown"
  }
}

const take = (dataDir: string): number | StoreRefused => {
  const path = join(dataDir, "lock")
  const flock = loadFlock()
  if (flock === null) return new StoreRefused({ exit: 74, message: "no flock() in the C library of this system" })
  // Opened close-on-exec by the runtime: a child process (a browser) never keeps the lock alive.
  const fd = openSync(path, "a+", 0o600)
  if (flock(fd, exclusive | withoutWaiting) !== 0) {
    closeSync(fd)
    return new StoreRefused({ exit: 75, message: `CRAWLER_DATA_DIR ${dataDir} is in use by process ${holderOf(path)}` })
  }
  ftruncateSync(fd, 0)
  writeSync(fd, `${process.pid}\n`)
  return fd
}

/**
 * One owner per data dir: flock(2) on `lock`, which the kernel takes back when its process ends, however it ends, and
 * never before. The file's content (the holder's pid) only serves the message.
 * Fails with exit 75 when the dir is held, 74 when the file cannot be written.
 */
export const lock = (dataDir: string): Effect.Effect<void, StoreRefused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => take(dataDir),
      catch: (cause) =>
        new StoreRefused({ exit: 74, message: `CRAWLER_DATA_DIR ${dataDir}: ${saidIn(dataDir, cause)}` })
    }).pipe(
      Effect.flatMap((it) => (typeof it === "number" ? Effect.succeed(it) : Effect.fail(it))),
      Effect.retry({ ...dying, while: (it) => it.exit === 75 })
    ),
    (fd) => Effect.sync(() => closeSync(fd))
  ).pipe(Effect.asVoid)
