import { type FileHandle, open } from "node:fs/promises"
import { Effect, Layer, Semaphore } from "effect"
import type { Article } from "../domain/article.ts"
import { Unavailable } from "../domain/errors.ts"
import { Outputs } from "../domain/ports.ts"
import { codeOf, saidOf, stdout, writeAll } from "./descriptor.ts"
import { exitCode } from "./exit.ts"
import { Halt } from "./halt.ts"

/** Bytes gathered before they are written: large enough to be cheap, small enough to be no burden. */
const blockBytes = 256 * 1024

/** Where lines go: `write` answers once all bytes have been handed to the system (no fsync). */
interface Target {
  readonly write: (block: Uint8Array) => Promise<void>
}

/** Nobody reads stdout any more (`| head`): waiting for it to come back would take for ever. */
const isClosedPipe = (cause: unknown): boolean => codeOf(cause) === "EPIPE"

const unavailable = (name: string) => (cause: unknown) =>
  new Unavailable({
    dependency: "disk",
    message: `${name}: ${saidOf(cause)}`
  })

/**
 * One JSON article a line, appended to a file, or to stdout for `-`. Answers when the lines are with the system; calls
 * take turns, so lines never mix. A full disk is Unavailable, with the file's name and the reason; a closed stdout ends
 * the process, like any tool in a pipe.
 */
export const layer = (path: string): Layer.Layer<Outputs, Unavailable> =>
  Layer.effect(
    Outputs,
    Effect.gen(function* () {
      const name = path === "-" ? "stdout" : path
      const target: Target = path === "-" ? { write: (block) => writeAll(stdout, block) } : yield* file(path)
      const turn = yield* Semaphore.make(1)
      const halt = yield* Halt
      const failed = (cause: unknown) => {
        if (path === "-" && isClosedPipe(cause)) halt(exitCode("done"), "")
        return unavailable(name)(cause)
      }
      const hand = (block: Uint8Array) => Effect.tryPromise({ try: () => target.write(block), catch: failed })
      const deliver = Effect.fn("Outputs.deliver")(
        function* (articles: ReadonlyArray<Article>) {
          for (const block of blocks(articles)) yield* hand(block)
        },
        // Once begun a line is finished: an interrupt must not leave half of one.
        (work) => turn.withPermits(1)(Effect.uninterruptible(work))
      )
      return Outputs.of({ enabled: true, deliver })
    })
  )

function* blocks(articles: ReadonlyArray<Article>): Generator<Uint8Array> {
  let lines: Array<string> = []
  let length = 0
  for (const article of articles) {
    const line = `${JSON.stringify(article)}\n`
    lines.push(line)
    length += line.length
    if (length < blockBytes) continue
    yield Buffer.from(lines.join(""))
    lines = []
    length = 0
  }
  if (lines.length > 0) yield Buffer.from(lines.join(""))
}

const file = (path: string) =>
  Effect.acquireRelease(Effect.tryPromise({ try: () => open(path, "a+"), catch: unavailable(path) }), (handle) =>
    Effect.promise(() => handle.close().catch(() => undefined))
  ).pipe(
    Effect.tap((handle) => Effect.tryPromise({ try: () => endTornLine(handle), catch: unavailable(path) })),
    Effect.map(appending)
  )

/** A block that was cut off by a full disk is written again: what stands of it is ended first, as after a crash. */
export const appending = (handle: Pick<FileHandle, "appendFile" | "read" | "stat">): Target => {
  let torn = false
  return {
    write: async (block) => {
      if (torn) await endTornLine(handle)
      torn = true
      await handle.appendFile(block)
      torn = false
    }
  }
}

/** A crash may have cut the last line: it is ended, so that the next article starts on a line of its own. */
const endTornLine = async (handle: Pick<FileHandle, "appendFile" | "read" | "stat">): Promise<void> => {
  const { size } = await handle.stat()
  if (size === 0) return
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  if (buffer[0] !== 0x0a) await handle.appendFile("\n")
}
