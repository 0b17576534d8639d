import { Cause, Effect, Exit, Layer, Option, Result } from "effect"
import type { Command } from "../infra/cli/commands.ts"
import { readEnvironment } from "../infra/cli/environment.ts"
import { screen } from "../infra/cli/progress.ts"
import { type Problem, Settings } from "../infra/config.ts"
import type { StoreRefused } from "../infra/embedded/refused.ts"
import { type ExitName, exitCode, type Refusal } from "../infra/exit.ts"
import * as logging from "../infra/logging.ts"

type Done = Effect.Effect<ExitName, Refusal | StoreRefused, Settings>

/** Flags that stand for a setting: the same checks and the same complaints as for the variable. */
const overrides = (command: Command): Record<string, string> => {
  const given: Record<string, string | number | null> =
    command.name === "crawl"
      ? {
          FETCH_CONCURRENCY: command.flags.concurrency,
          FETCH_PER_HOST: command.flags["per-host"],
          FETCH_DELAY: command.flags.delay === null ? null : `${command.flags.delay}ms`
        }
      : command.name === "run"
        ? { HTTP_PORT: command.flags.port }
        : {}
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]))
  )
}

const problemText = ({ name, value, form }: Problem): string =>
  `crawler: ${name}=${logging.visible(JSON.stringify(value))}: expected ${form}`

/** Each command's program, loaded when it is asked for. */
const programOf = (command: Command, version: string): Effect.Effect<Done> =>
  Effect.promise(async (): Promise<Done> => {
    switch (command.name) {
      case "run":
        return (await import("./start.ts")).start(command, version)
      case "crawl":
        return (await import("./oneshot.ts")).oneshot(command)
      case "extract":
        return (await import("./saved.ts")).saved(command)
      case "config":
      case "doctor":
      case "migrate":
        return (await import("./care.ts")).care(command)
      case "research run":
      case "research resume":
        return (await import("./discover.ts")).discover(command, version)
      case "research verify":
        return (await import("./discover.ts")).verifying(command)
      case "version":
      case "help":
        return Effect.succeed("done")
      default:
        return (await import("./desk.ts")).desk(command, version)
    }
  })

const codeOf = (exit: Exit.Exit<ExitName, Refusal | StoreRefused>): number => {
  if (Exit.isSuccess(exit)) return exitCode(exit.value)
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isNone(failure)) {
    process.stderr.write(`crawler: a fault of its own: ${logging.visible(Cause.pretty(exit.cause))}\n`)
    return exitCode("nothing")
  }
  process.stderr.write(`crawler: ${logging.visible(failure.value.message)}\n`)
  return failure.value._tag === "Refusal" ? exitCode(failure.value.exit) : failure.value.exit
}

/** Reads the settings, runs the command, answers its exit code. */
export const execute = async (command: Command, version: string): Promise<number> => {
  const settings = readEnvironment({ ...process.env, ...overrides(command) })
  if (Result.isFailure(settings)) {
    process.stderr.write(`${settings.failure.map(problemText).join("\n")}\n`)
    return exitCode("configuration")
  }
  const { values, warnings } = settings.success
  const logs = logging.layer({
    level: values.LOG_LEVEL,
    format: values.LOG_FORMAT,
    terminal: process.stderr.isTTY === true,
    write: screen.line
  })
  const services = Layer.merge(logs, Layer.succeed(Settings, values))
  const program = Effect.forEach(warnings, (it) => Effect.logWarning(it)).pipe(
    Effect.andThen(Effect.flatten(programOf(command, version))),
    Effect.provide(services),
    // Nobody collects spans, and each takes as long as what it would measure.
    Effect.withTracerEnabled(false)
  )
  return codeOf(await Effect.runPromiseExit(program))
}
