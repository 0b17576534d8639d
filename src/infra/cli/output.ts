import { closeSync, openSync } from "node:fs"
import { Context, Effect, Layer } from "effect"
import { codeOf, saidOf, stdout, writeAll } from "../descriptor.ts"
import { Refusal } from "../exit.ts"
import { Halt } from "../halt.ts"
import { visible } from "../logging.ts"

/**
 * Where a command's data goes; logs, notes and progress go to standard error. `line` answers once the line is with the
 * system, so a slow reader of a pipe slows the command instead of filling its memory.
 */
export class Output extends Context.Service<
  Output,
  {
    readonly line: (text: string) => Effect.Effect<void, Refusal>
    readonly note: (text: string) => Effect.Effect<void>
  }
>()("crawler/Output") {}

const writer = (descriptor: number, name: string) =>
  Effect.map(Halt, (halt) =>
    Output.of({
      line: (text) =>
        Effect.tryPromise({
          try: () => writeAll(descriptor, Buffer.from(`${text}\n`)),
          catch: (cause) => {
            // `head` has read enough: that is no failure, and there is nobody left to tell.
            if (descriptor === stdout && codeOf(cause) === "EPIPE") halt(0, "")
            return new Refusal({ exit: "disk", message: `${name}: ${saidOf(cause)}` })
          }
        }),
      note: (text) => Effect.sync(() => void process.stderr.write(`${text}\n`))
    })
  )

const file = (path: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => openSync(path, "w", 0o644),
      catch: (cause) => new Refusal({ exit: "disk", message: `--out ${visible(path)}: ${saidOf(cause)}` })
    }),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  )

/** Data to a file (`--out`), written from its start, or to standard output for null and `-`. */
export const layer = (path: string | null): Layer.Layer<Output, Refusal> =>
  Layer.effect(
    Output,
    path === null || path === "-"
      ? writer(stdout, "standard output")
      : Effect.flatMap(file(path), (descriptor) => writer(descriptor, `--out ${visible(path)}`))
  )
