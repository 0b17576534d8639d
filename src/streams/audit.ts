import { Duration, Effect, Schedule } from "effect"
import { Audit, Batches } from "../domain/research.ts"
import { steadfast } from "./stage.ts"

/** How often the trail looks for datasets it does not have, and how many it takes at once. */
const every = Duration.seconds(5)
const most = 100
/** Waits between tries: 1, 2, 4, 8 s; then the next look (S5.28). */
const retries = Schedule.upTo(Schedule.exponential("1 second"), { times: 4 })

const once = Effect.gen(function* () {
  const batches = yield* Batches
  const audit = yield* Audit
  const entries = yield* steadfast(batches.unaudited(most))
  if (entries.length === 0) return
  yield* audit.record(entries).pipe(Effect.retry(retries))
  yield* Effect.ignore(batches.audited(entries.map((it) => it.dataset_id)))
})

/** One look now: for a process that ends with its batch. What the remote does not take waits for the next look. */
export const lastLook = Effect.gen(function* () {
  if ((yield* Audit).enabled)
    yield* Effect.catch(once, (error) => Effect.logWarning(`the audit trail waits: ${error.message}`))
})

/** The audit trail follows the datasets (S5.4, S5.29): beside the work, so that a remote that is down never blocks a batch. */
export const trail = Effect.gen(function* () {
  const { enabled } = yield* Audit
  if (!enabled) return yield* Effect.never
  return yield* once.pipe(
    Effect.catch((error) => Effect.logWarning(`the audit trail waits: ${error.message}`)),
    Effect.andThen(Effect.sleep(every)),
    Effect.forever
  )
})
