/** The shape all proofs share: set up, measure, print a table, print the figure last, exit 0 only if the bar holds. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Stats } from "../../test/support/web/log.ts"
import type { Truth } from "../../test/support/web/web.ts"

export const root = join(import.meta.dir, "..", "..")
/** Saved pages and their truth live beside the checkout; they are their publishers' and never part of it. */
export const shared = join(root, "..", "shared")

export interface Outcome {
  readonly rows: ReadonlyArray<Readonly<Record<string, string | number>>>
  /** The one line to quote. */
  readonly figure: string
  readonly holds: boolean
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly seconds: number
  /** User and system time of the process and those it waited for. */
  readonly cpuSeconds: number
  readonly rssMegabytes: number
}

export interface Bench {
  /** An empty folder, removed at the end. */
  readonly folder: string
  /** Runs at the end, whatever happens; last in, first out. */
  readonly later: (work: () => unknown) => void
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The process is ended after this many seconds, and its code is 137. */
  readonly seconds?: number
  readonly input?: string
}

const STANDARD_SECONDS = 600

/** Runs a program to its end and gives what it wrote, its exit code and what it used. */
export const run = async (command: readonly string[], options: RunOptions = {}): Promise<Ran> => {
  const started = performance.now()
  const child = Bun.spawn([...command], {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdin: options.input === undefined ? "ignore" : new TextEncoder().encode(options.input),
    stdout: "pipe",
    stderr: "pipe"
  })
  const limit = setTimeout(() => child.kill("SIGKILL"), (options.seconds ?? STANDARD_SECONDS) * 1000)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  clearTimeout(limit)
  const used = child.resourceUsage()
  return {
    code,
    stdout,
    stderr,
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: Number(used?.cpuTime.total ?? 0) / 1e6,
    rssMegabytes: Number(used?.maxRSS ?? 0) / 1_048_576
  }
}

/** The executable, compiled anew if a source is newer. */
export const binary = async (): Promise<string> => {
  const made = await run(["make", "--no-print-directory", "build"])
  const path = join(root, "crawler")
  if (made.code !== 0 || !existsSync(path)) throw new Error(`make build failed:\n${made.stderr.slice(-2000)}`)
  return path
}

/** Proofs run as whoever starts them; what they start inherits this. */
if (process.getuid?.() === 0) process.env.BROWSER_SANDBOX ??= "false"

export interface RemoteWeb {
  /** Front pages. */
  readonly fronts: readonly string[]
  readonly truth: () => Promise<readonly Truth[]>
  readonly stats: () => Promise<Stats>
  readonly reset: () => Promise<void>
  readonly ask: (path: string) => Promise<string>
}

/** The fixture news web in a process of its own, so that it and what is measured share no event loop. */
export const web = async (bench: Bench, options: readonly string[]): Promise<RemoteWeb> => {
  const program = join(root, "test", "support", "web", "serve.ts")
  const child = Bun.spawn([process.execPath, program, "--port", "0", ...options], { stdout: "pipe", stderr: "inherit" })
  bench.later(() => {
    child.kill()
    return child.exited
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  if (value === undefined) throw new Error("the fixture web did not start")
  const { control } = JSON.parse(new TextDecoder().decode(value)) as { control: string }
  const ask = async (path: string) => (await fetch(control + path)).text()
  return {
    fronts: (await ask("/__hosts")).trim().split("\n"),
    truth: async () => jsonLines<Truth>(await ask("/__truth")),
    stats: async () => JSON.parse(await ask("/__stats")) as Stats,
    reset: async () => void (await ask("/__reset")),
    ask
  }
}

export const jsonLines = <T>(text: string): T[] =>
  text
    .split("\n")
    .filter((it) => it !== "")
    .map((it) => JSON.parse(it) as T)

/** Rows as a table whose columns are those of the first. */
export const print = (rows: Outcome["rows"]) => {
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? "")))]
  const wide = names.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? "").length)))
  for (const row of cells)
    console.log(
      row
        .map((cell, at) => cell.padEnd(wide[at] ?? 0))
        .join("  ")
        .trimEnd()
    )
}

/** Exit codes: 0 the bar holds, 1 it does not, 66 something it needs is not here. */
export class Missing extends Error {}

export const prove = async (work: (bench: Bench) => Promise<Outcome>): Promise<never> => {
  const cleanups: Array<() => unknown> = []
  const folder = mkdtempSync(join(tmpdir(), "proof-"))
  const bench: Bench = { folder, later: (it) => cleanups.push(it) }
  let code = 1
  try {
    const outcome = await work(bench)
    print(outcome.rows)
    console.log(`\n${outcome.figure} — ${outcome.holds ? "the bar holds" : "BELOW THE BAR"}`)
    code = outcome.holds ? 0 : 1
  } catch (error) {
    console.error(error instanceof Missing ? `cannot run: ${error.message}` : error)
    code = error instanceof Missing ? 66 : 1
  } finally {
    for (const it of cleanups.reverse()) await it()
    rmSync(folder, { recursive: true, force: true })
  }
  return process.exit(code)
}
