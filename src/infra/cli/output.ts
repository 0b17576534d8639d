import { closeSync, openSync, write } from "node:fs"
import { promisify } from "node:util"
import { Context, Effect, Layer } from "effect"
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

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const STDOUT = 1
/** A pipe that does not block is full: looked at again after this long, ms. */
const FULL_PIPE_WAIT = 5
const writeSome = promisify(write)

/** To the descriptor itself: the runtime's stream may miss that its reader is gone. */
const writeAll = async (descriptor: number, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.byteLength; ) {
    try {
      at += (await writeSome(descriptor, bytes.subarray(at))).bytesWritten
    } catch (cause) {
      if (codeOf(cause) !== "EAGAIN") throw cause
      await Bun.sleep(FULL_PIPE_WAIT)
    }
  }
}

const writer = (descriptor: number, name: string) =>
  Effect.map(Halt, (halt) =>
    Output.of({
      line: (text) =>
        Effect.tryPromise({
          try: () => writeAll(descriptor, Buffer.from(`${text}\n`)),
          catch: (cause) => {
            // `head` has read enough: that is no failure, and there is nobody left to tell.
            if (descriptor === STDOUT && codeOf(cause) === "EPIPE") halt(0, "")
            return new Refusal({ exit: "disk", message: `${name}: ${codeOf(cause)}` })
          }
        }),
      note: (text) => Effect.sync(() => void process.stderr.write(`${text}\n`))
    })
  )

const file = (path: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => openSync(path, "w", 0o644),
      catch: (cause) => new Refusal({ exit: "disk", message: `--out ${visible(path)}: ${codeOf(cause)}` })
    }),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  )

/** Data to a file (`--out`), written from its start, or to standard output for null and `-`. */
export const layer = (path: string | null): Layer.Layer<Output, Refusal> =>
  Layer.effect(
    Output,
    path === null || path === "-"
      ? writer(STDOUT, "standard output")
      : Effect.flatMap(file(path), (descriptor) => writer(descriptor, `--out ${visible(path)}`))
  )
