import { Effect, type Scope } from "effect"
import postgres from "postgres"

/** A goodbye takes at most this many seconds. */
const endSeconds = 2

/**
 * Notices of a Postgres server on one channel, on a connection of its own that is made again when it breaks. A notice may
 * be missed meanwhile, so it only ever saves a wait: who listens looks by itself as well.
 */
export const listening = (url: string, channel: string, heard: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* Effect.acquireRelease(
      Effect.sync(() => postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined })),
      (it) => Effect.promise(() => it.end({ timeout: endSeconds }))
    )
    // Also told after each reconnection, since work may have come in between.
    yield* Effect.forkScoped(Effect.ignore(Effect.tryPromise(() => sql.listen(channel, heard, heard))))
  })
