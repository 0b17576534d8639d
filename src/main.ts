#!/usr/bin/env bun
import { writeSync } from "node:fs"
import { version } from "../package.json" with { type: "json" }
import { stageNames } from "./domain/stages.ts"
import { parseArguments } from "./infra/cli/arguments.ts"
import { helpText, misuseText, noHelp } from "./infra/cli/help.ts"
import { startPatiently } from "./infra/compilers.ts"
import { codeOf, saidOf, stdout } from "./infra/descriptor.ts"
import { exitCode } from "./infra/exit.ts"

/** The process starts here. What needs a moment to load (Effect, the store, the reader) is loaded by the command that needs it. */
const out = (text: string): void => {
  try {
    writeSync(stdout, `${text}\n`)
  } catch (cause) {
    // `head` has read enough; any other fault means that nobody was told.
    if (codeOf(cause) === "EPIPE") return
    complain(`crawler: standard output: ${saidOf(cause)}`)
    process.exit(exitCode("disk"))
  }
}
const complain = (text: string): void => void process.stderr.write(`${text}\n`)

const help = (of: string | null): number => {
  const text = helpText(of)
  if (text === null) complain(noHelp(of ?? ""))
  else out(text)
  return exitCode(text === null ? "usage" : "done")
}

/** Commands that work long enough to mind what the compilers cost. */
const busy: ReadonlySet<string> = new Set(["crawl", "run"])

const main = async (): Promise<number> => {
  const parsed = parseArguments(process.argv.slice(2), stageNames)
  if (parsed._tag === "Failure") {
    complain(misuseText(parsed.failure))
    return exitCode("usage")
  }
  if (parsed.success.tag === "help") return help(parsed.success.of)
  const { command } = parsed.success
  if (command.name === "version") {
    out(command.flags.json ? JSON.stringify({ version, bun: Bun.version }) : `crawler ${version}`)
    return exitCode("done")
  }
  if (busy.has(command.name)) startPatiently(process.argv.slice(2))
  const { execute } = await import("./program/execute.ts")
  return execute(command, version)
}

process.exit(await main())
