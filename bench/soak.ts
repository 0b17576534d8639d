#!/usr/bin/env bun
/**
 * Runs the proofs that look for rare faults at a size that continuous integration has no time for, in turn and again, for HOURS
 * (8 unless told). Prints each figure as it comes. Exit codes: 0 all held, 1 one did not, and then nothing more is run.
 */
import { join } from "node:path"

const proofs: ReadonlyArray<readonly [name: string, settings: Readonly<Record<string, string>>]> = [
  ["fuzz", { PAGES: "100000" }],
  ["kill", { KILLS: "200" }],
  ["research-kill", { KILLS: "500", MINUTES: "120" }],
  ["browser", { PAGES: "1000" }],
  ["ai-chaos", { JOBS: "50000" }],
  ["chaos", { KILLS: "60", ARTICLES: "100" }]
]
/** What a proof answers where something it needs is not on this machine. */
const missing = 66

const end = Date.now() + Number(process.env.HOURS ?? 8) * 3_600_000

/** Its exit code; the figure is its last line. */
const soaked = async (name: string, settings: Readonly<Record<string, string>>): Promise<number> => {
  const path = join(import.meta.dir, "proofs", `${name}.ts`)
  const env = { ...process.env, ...settings }
  const child = Bun.spawn([process.execPath, path], { env, stdin: "ignore", stdout: "pipe", stderr: "inherit" })
  const text = await new Response(child.stdout).text()
  const code = await child.exited
  console.log(`${new Date().toISOString()} ${name}: exit ${code}: ${text.trim().split("\n").at(-1) ?? ""}`)
  return code
}

for (let round = 0; Date.now() < end; round += 1) {
  const [name, settings] = proofs[round % proofs.length] ?? ["fuzz", {}]
  const code = await soaked(name, settings)
  if (code !== 0 && code !== missing) process.exit(1)
}
