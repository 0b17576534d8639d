import { PGlite } from "@electric-sql/pglite"
import bundle from "../../../node_modules/@electric-sql/pglite/dist/pglite.data" with { type: "file" }
import wasm from "../../../node_modules/@electric-sql/pglite/dist/pglite.wasm" with { type: "file" }
import { planning } from "../planning.ts"
import { serve } from "./bridge.ts"
import type { FromWorker, ToWorker } from "./protocol.ts"

declare const self: Worker
const tell = (message: FromWorker) => self.postMessage(message)

/**
 * The write-ahead log stays small because the sweeper checkpoints it; these bounds keep what is recycled small too.
 * Compression halves full-page images, which a torn page after a SIGKILL still needs.
 */
const parameters = {
  max_wal_size: "64MB",
  min_wal_size: "32MB",
  wal_compression: "pglz",
  autovacuum: "off",
  timezone: "UTC",
  ...planning
}

/** The cluster exists already, so initdb never runs here: an empty module keeps PGlite from looking for its file. */
const noInitdb = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]))

/** After a PANIC (a full disk under the log) the module spins for ever: whoever waits for it would wait for ever. */
const watch = (line: string): boolean => {
  if (/\b(PANIC|FATAL):/.test(line)) tell({ tag: "aborted", message: line.trim() })
  return true
}

const open = async (dataDir: string): Promise<PGlite> =>
  PGlite.create({
    dataDir,
    pgliteWasmModule: await WebAssembly.compile(await Bun.file(wasm).arrayBuffer()),
    initdbWasmModule: noInitdb,
    fsBundle: new Blob([await Bun.file(bundle).arrayBuffer()]),
    onStderr: watch,
    startParams: [
      ...PGlite.defaultStartParams,
      ...Object.entries(parameters).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    ]
  })

let stop: (() => Promise<void>) | undefined

const start = async (dataDir: string, socket: string) => {
  const database = await open(dataDir)
  const end = serve(database, socket)
  stop = async () => {
    await end()
    await database.close()
  }
  tell({ tag: "ready" })
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.tag === "start") return await start(data.dataDir, data.socket)
    await stop?.()
    tell({ tag: "stopped" })
  } catch (cause) {
    tell({ tag: "failed", message: cause instanceof Error ? cause.message : String(cause) })
  }
}
