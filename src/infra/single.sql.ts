import { Duration, Effect, Schedule, type Scope } from "effect"
import { Database } from "./database.ts"
import { Refusal } from "./exit.ts"
import { Halt } from "./halt.ts"
import { noBadData } from "./sql/batches.ts"
import * as statement from "./sql/bus.ts"

const name = "process"
/** Another process may start when this one has been silent for so long. */
const holdMs = 30_000
const renewEvery = Duration.seconds(5)

/**
 * Without a shared cache host state lives in one process's memory, so a database has one process at a time: a row says who.
 * Fails with exit 75 while another holds it. Whoever loses it (a database away for longer than the lease) ends at once.
 */
export const alone: Effect.Effect<void, Refusal, Database | Scope.Scope> = Effect.gen(function* () {
  const database = yield* Database
  const halt = yield* Halt
  const holder = crypto.randomUUID()
  const hold = Effect.gen(function* () {
    const now = yield* database.leaseClock
    const rows = yield* noBadData(database.query(statement.holdRelay, [name, holder, now, now + holdMs]))
    return rows.length > 0
  })
  const message =
    "DATABASE_URL is in use by another process: host state lives in its memory; set REDIS_URL on both, or wait 30 s after it died"
  const held = yield* hold.pipe(Effect.catch((it) => new Refusal({ exit: "disk", message: `database: ${it.message}` })))
  if (!held) return yield* new Refusal({ exit: "busy", message })
  yield* Effect.addFinalizer(() => Effect.ignore(database.query(statement.leaveRelay, [name, holder])))
  const renew = hold.pipe(
    Effect.tap((still) => (still ? Effect.void : Effect.sync(() => halt(75, message)))),
    Effect.catch((it) => Effect.logWarning(`the row of this process is not renewed: ${it.message}`))
  )
  yield* Effect.forkScoped(Effect.schedule(renew, Schedule.spaced(renewEvery)))
})
