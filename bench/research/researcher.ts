import { join } from "node:path"
import { type Bench, binary } from "../proofs/proof.ts"

/** A crawler that only researches: its process, and its API. */
export interface Researcher {
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<number>
  readonly call: (path: string, body?: unknown) => Promise<Called>
}
export interface Called {
  readonly status: number
  // An answer of the API; each proof knows what it asked for.
  readonly body: { readonly success: boolean; readonly data: Record<string, never> & Data; readonly error?: Failed }
}
interface Failed {
  readonly code: string
  readonly message: string
  readonly field?: string
}
type Data = Readonly<Record<string, unknown>>

export const TOKEN = "a-token-of-this-proof-0123456789"
const READY_SECONDS_MAX = 60

/** The executable: compiled anew, or the one that CRAWLER_BINARY names, which does not change while the sources do. */
export const command = async (): Promise<ReadonlyArray<string>> => [process.env.CRAWLER_BINARY ?? (await binary())]

/** Starts a crawler on this data dir, and waits until it answers. */
export const researcher = async (
  bench: Bench,
  executable: ReadonlyArray<string>,
  port: number,
  settings: Readonly<Record<string, string>>
): Promise<Researcher> => {
  const env = {
    ...process.env,
    CRAWLER_DATA_DIR: join(bench.folder, "data"),
    ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
    ADMIN_TOKEN: TOKEN,
    HTTP_PORT: String(port),
    FETCH_DELAY: "0ms",
    FETCH_PER_HOST: "8",
    LOG_LEVEL: "error",
    ...settings
  }
  const child = Bun.spawn([...executable, "run"], { env, stdout: "ignore", stderr: "inherit" })
  bench.later(() => child.kill("SIGKILL"))
  const base = `http://127.0.0.1:${port}`
  const started = performance.now()
  const isReady = () =>
    fetch(`${base}/readyz`).then(
      (it) => it.status === 200,
      () => false
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the crawler ended with ${child.exitCode} before it was ready`)
    if (performance.now() - started > READY_SECONDS_MAX * 1000) throw new Error("the crawler was not ready in time")
    await Bun.sleep(20)
  }
  const call = async (path: string, body?: unknown): Promise<Called> => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: (await response.json()) as Called["body"] }
  }
  return {
    call,
    kill: async () => {
      child.kill("SIGKILL")
      await child.exited
    },
    stop: async () => {
      child.kill("SIGTERM")
      return child.exited
    }
  }
}
