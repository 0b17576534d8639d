import { join } from "node:path"
import { type Bench, type Ran, run } from "./proof.ts"

/** A crawler under test: its executable, its data dir and how it is started, asked and ended. */
export interface Crawler {
  readonly start: () => Promise<Life>
  /** Another command on the same data dir. */
  readonly ask: (...words: readonly string[]) => Promise<Ran>
}
export interface Life {
  /** Milliseconds from the start to the first 200 of /readyz. */
  readonly readyMs: number
  readonly kill: () => Promise<void>
  /** SIGTERM; answers the exit code and how long it took. */
  readonly stop: () => Promise<{ readonly code: number; readonly seconds: number }>
}

const READY_SECONDS_MAX = 30

export const crawlerIn = (
  bench: Bench,
  binary: string,
  settings: Readonly<Record<string, string>>,
  port: number
): Crawler => {
  const env = {
    ...process.env,
    CRAWLER_DATA_DIR: join(bench.folder, "data"),
    HTTP_PORT: String(port),
    ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
    LOG_LEVEL: "warn",
    ...settings
  }
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      (it) => it.status === 200,
      () => false
    )
  const start = async (): Promise<Life> => {
    const began = performance.now()
    const child = Bun.spawn([binary, "run"], { env, stdout: "ignore", stderr: "inherit", stdin: "ignore" })
    bench.later(() => child.kill("SIGKILL"))
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error(`the crawler ended with ${child.exitCode} before it was ready`)
      if (performance.now() - began > READY_SECONDS_MAX * 1000) throw new Error("the crawler was not ready in time")
      await Bun.sleep(20)
    }
    return {
      readyMs: performance.now() - began,
      kill: async () => {
        child.kill("SIGKILL")
        await child.exited
      },
      stop: async () => {
        const asked = performance.now()
        child.kill("SIGTERM")
        const code = await child.exited
        return { code, seconds: (performance.now() - asked) / 1000 }
      }
    }
  }
  return { start, ask: (...words) => run([binary, ...words], { env }) }
}

/** Rows of a query, through the running crawler or over the resting store. */
export const rowsOf = async <Row>(crawler: Crawler, sql: string): Promise<ReadonlyArray<Row>> => {
  const answer = await crawler.ask("sql", sql, "--json")
  if (answer.code !== 0) throw new Error(answer.stderr)
  return JSON.parse(answer.stdout) as ReadonlyArray<Row>
}
