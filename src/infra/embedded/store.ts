import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Duration, Effect, type Scope } from "effect"
import { saidIn } from "../descriptor.ts"
import { Halt } from "../halt.ts"
import { cluster, restore } from "./cluster.ts"
import { lock } from "./lock.ts"
import type { FromWorker, ToWorker } from "./protocol.ts"
import { StoreRefused } from "./refused.ts"

/** A start replays what the last process left in its log; upkeep keeps that under seconds. */
const startMax = Duration.seconds(120)
/** A stop writes one checkpoint. */
const stopMax = Duration.seconds(15)
/** `sun_path` of the strictest system (macOS: 104 bytes with its NUL). */
const socketBytesMax = 100

export interface Store {
  /** Unix socket that speaks the Postgres protocol to one session. */
  readonly socket: string
}

const prepare = (dataDir: string): Effect.Effect<void, StoreRefused> =>
  Effect.try({
    try: () => {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    },
    catch: (cause) => new StoreRefused({ exit: 74, message: `CRAWLER_DATA_DIR ${dataDir}: ${saidIn(dataDir, cause)}` })
  })

/** The socket lies in the data dir, or in a private temporary dir when that path is too long for a socket. */
const socketPath = (dataDir: string): Effect.Effect<string, never, Scope.Scope> => {
  const inside = join(dataDir, "pg.sock")
  if (Buffer.byteLength(inside) <= socketBytesMax) {
    return Effect.acquireRelease(
      Effect.sync(() => {
        rmSync(inside, { force: true })
        return inside
      }),
      () => Effect.sync(() => rmSync(inside, { force: true }))
    )
  }
  return Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "crawler-"))),
    (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
  ).pipe(Effect.map((dir) => join(dir, "pg.sock")))
}

const reply = (worker: Worker, tell: ToWorker) =>
  Effect.callback<FromWorker>((resume) => {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => resume(Effect.succeed(data))
    worker.onerror = (event) => resume(Effect.succeed({ tag: "failed", message: event.message }))
    worker.postMessage(tell)
  })

const stop = (worker: Worker) =>
  reply(worker, { tag: "stop" }).pipe(
    Effect.timeoutOption(stopMax),
    Effect.andThen(Effect.sync(() => worker.terminate()))
  )

/** What the server says of its files, without the head of its log line. */
const complaint = /\b(?:PANIC|FATAL):\s+[\s\S]*/

/** Why the store does not work; where the server itself gave up over its files, what helps. */
const trouble = (files: string, message: string, again: string): string => {
  const said = complaint.exec(message)?.[0]
  const why = saidIn(files, said ?? message)
  return said === undefined || why !== said
    ? why
    : `${said} (its files are damaged or of another version: ${again}${restore})`
}

/**
 * Opens the embedded store: lock, cluster, thread, socket. Closing its scope shuts the cluster down and frees the lock.
 * Fails with StoreRefused; a store that dies later halts the process (74), since every further query would hang.
 */
export const open = Effect.fn("Store.open")(function* (
  path: string
): Effect.fn.Return<Store, StoreRefused, Scope.Scope> {
  const dataDir = resolve(path)
  const halt = yield* Halt
  yield* prepare(dataDir)
  yield* lock(dataDir)
  const files = yield* cluster(dataDir)
  const socket = yield* socketPath(dataDir)
  const worker = yield* Effect.acquireRelease(
    // The executable has the worker as an entry point of its own, under this very path.
    Effect.sync(() => new Worker(new URL("./worker.ts", import.meta.url).href)),
    stop
  )
  const answer = yield* reply(worker, { tag: "start", dataDir: files, socket }).pipe(
    Effect.timeoutOrElse({
      duration: startMax,
      orElse: () => Effect.succeed<FromWorker>({ tag: "failed", message: `no start within ${startMax}` })
    })
  )
  if (answer.tag !== "ready") {
    const why = answer.tag === "stopped" ? "stopped" : trouble(files, answer.message, "")
    return yield* new StoreRefused({ exit: 74, message: `embedded store in ${files}: ${why}` })
  }
  const died = (why: string) =>
    halt(74, `the embedded store in ${files} died: ${trouble(files, why, "start again, and if it dies again ")}`)
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => data.tag === "aborted" && died(data.message)
  worker.onerror = (event) => died(event.message)
  return { socket }
})
