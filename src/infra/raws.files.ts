import { createHash } from "node:crypto"
import { access, constants, type FileHandle, mkdir, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Semaphore } from "effect"
import { Unavailable } from "../domain/errors.ts"
import { codeOf, saidOf } from "./descriptor.ts"
import type { Bodies } from "./raws.ts"

const using = async <A>(path: string, flags: string, work: (file: FileHandle) => Promise<A>): Promise<A> => {
  const file = await open(path, flags, 0o600)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

/** Before each body, whose it is: a file that was removed or put back holds others at the same place. */
const tagBytes = 16
const tagOf = (id: string): Buffer => createHash("sha256").update(id).digest().subarray(0, tagBytes)

const unusable = (path: string) => (cause: unknown) =>
  new Unavailable({ dependency: "disk", message: `bodies of pages in ${path}: ${saidOf(cause)}` })

const made = (folder: string) =>
  Effect.tryPromise({ try: () => mkdir(folder, { recursive: true, mode: 0o700 }), catch: unusable(folder) })

/** The folder of bodies, made and fit to be written to; fails with what is in the way. */
export const ready = (folder: string): Effect.Effect<void, Unavailable> =>
  Effect.andThen(
    made(folder),
    Effect.tryPromise({
      try: () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
      catch: unusable(folder)
    })
  )

/**
 * Bodies as parts of one file a day, each behind the one before. They are with the system before their rows are written, so a
 * process that is killed loses none that a row tells of; what a failed write left behind is nobody's.
 */
export const under = (folder: string): Bodies => {
  const turn = Semaphore.makeUnsafe(1)
  const file = (day: string) => join(folder, day)
  const attempt = <A>(day: string, work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: unusable(file(day)) })
  const append = (day: string, bodies: ReadonlyArray<Uint8Array>) =>
    using(file(day), "a", async (it) => {
      const { size } = await it.stat()
      await it.appendFile(Buffer.concat(bodies))
      return size
    })
  return {
    put: (day, bodies) =>
      attempt(day, () =>
        append(
          day,
          bodies.flatMap(({ body, id }) => [tagOf(id), body])
        )
      ).pipe(
        (work) => Effect.andThen(made(folder), work),
        turn.withPermits(1),
        // Once begun it is finished: the next one must find the file's true end.
        Effect.uninterruptible,
        Effect.map((end) => {
          let start = end
          return bodies.map(({ body }) => {
            start += tagBytes + body.byteLength
            return start - body.byteLength
          })
        })
      ),
    get: (day, { id, size, start }) =>
      attempt(day, async () => {
        try {
          const part = Buffer.alloc(tagBytes + size)
          const from = Math.max(0, start - tagBytes)
          const { bytesRead } = await using(file(day), "r", (it) => it.read(part, 0, part.byteLength, from))
          const isWhole = bytesRead === part.byteLength && part.subarray(0, tagBytes).equals(tagOf(id))
          return isWhole ? part.subarray(tagBytes) : null
        } catch (cause) {
          if (codeOf(cause) === "ENOENT") return null
          throw cause
        }
      }),
    expire: (day) =>
      Effect.as(
        attempt(day, () => rm(file(day), { force: true })),
        true
      )
  }
}
