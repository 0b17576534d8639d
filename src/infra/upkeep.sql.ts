import { Clock, Duration, Effect, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { type BadData, Unavailable } from "../domain/errors.ts"
import { Upkeep } from "../domain/ports.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { type Outside, outsideOf } from "./raws.sql.ts"
import { dayOf, dayOfPartition, makePartition } from "./sql/pages.ts"
import * as statement from "./sql/upkeep.ts"

/** A start after a SIGKILL replays what was written since the last checkpoint: this much takes well under a second. */
const checkpointBytes = 64 * 1024 * 1024
/** A minute with writes is checkpointed, however little it wrote. */
const checkpointEvery = 60_000
/** The table bus turns over: its dead rows are cleared after this much log, while they are few. */
const vacuumBytes = 16 * 1024 * 1024
/** Other tables change slowly. */
const vacuumRestEvery = 10 * 60_000
const vacuumOften = ["messages"]
const vacuumRest = ["host_paces", "urls", "articles", "dead_letters", "host_signals", "crawl_lists", "ai_jobs"]
/** Signals beyond every scoring window. */
const signalsMs = 7 * 86_400_000
/** Failed pages beyond every window (at most a day), for an operator to look at. */
const failuresMs = 7 * 86_400_000
/** A forced job that is this old is nobody's any more. */
const republishesMs = 30 * 86_400_000
/** A line whose last turn is this long past deals out turns as one that is not there. */
const pacesMs = 3_600_000
/** Rows of one deletion. */
const expireRows = 5000
/** Partitions stand ready this long before they are needed, so that no write has to make one. */
const aheadMs = 86_400_000
/** A longer step held up every other statement: worth a line in the log. */
const stepMsMax = 200

type Shape = (typeof Database)["Service"]

/** One step, timed in real time. */
const step = <A>(name: string, work: Effect.Effect<A, Unavailable | BadData>) =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.tap(work, () => {
      const took = Math.round(performance.now() - start)
      return took > stepMsMax ? Effect.logWarning(`upkeep: ${name} took ${took} ms`) : Effect.void
    })
  })

/** Raws past their day go with its partition; the days to come get theirs. */
const partitions = (database: Shape, ttlMs: number, { file, object }: Outside) =>
  Effect.fnUntraced(function* (now: Millis) {
    const kept = statement.firstKept(dayOf(now))
    const expired = yield* database.query<{ name: string }>(statement.expiredPartitions, [kept])
    for (const { name } of expired) {
      // Bodies first: once its partition is gone, nobody knows of the day any more.
      const day = dayOfPartition(name)
      const gone = (object === null || (yield* object.expire(day))) && (file === null || (yield* file.expire(day)))
      if (gone) yield* step(name, database.script(statement.dropPartition(name)))
    }
    for (const day of new Set([dayOf(now + ttlMs), dayOf(now + ttlMs + aheadMs)])) {
      yield* database.script(makePartition(day))
    }
  })

/** PGlite neither checkpoints nor vacuums by itself. */
const cluster = (database: Shape) => {
  let checkpointed = { bytes: 0, at: 0 }
  let vacuumed = { bytes: 0, at: 0 }
  let begun = false
  return Effect.fnUntraced(function* (now: Millis) {
    const [row] = yield* database.query<{ bytes: number }>(statement.written)
    const bytes = row?.bytes ?? 0
    if (!begun) {
      // A start has work to do, not years of log to look after: what is due is counted from here.
      begun = true
      checkpointed = { bytes, at: now }
      vacuumed = { bytes, at: now }
    }
    const vacuum = (table: string) =>
      step(`vacuum ${table}`, database.script(`vacuum (analyze, truncate off) ${table}`))
    if (bytes - vacuumed.bytes >= vacuumBytes) {
      yield* Effect.forEach(vacuumOften, vacuum, { discard: true })
      vacuumed = { ...vacuumed, bytes }
    }
    if (now - vacuumed.at >= vacuumRestEvery) {
      yield* Effect.forEach([...vacuumOften, ...vacuumRest], vacuum, { discard: true })
      vacuumed = { bytes, at: now }
    }
    const since = bytes - checkpointed.bytes
    if (since >= checkpointBytes || (since > 0 && now - checkpointed.at >= checkpointEvery)) {
      yield* step("checkpoint", database.script("checkpoint"))
      const [after] = yield* database.query<{ bytes: number }>(statement.written)
      checkpointed = { bytes: after?.bytes ?? bytes, at: now }
    }
  })
}

/** Upkeep of the store: expiries everywhere, checkpoints and vacuums where nobody else does them (embedded). */
export const layer: Layer.Layer<Upkeep, never, Database | Settings> = Layer.effect(
  Upkeep,
  Effect.gen(function* () {
    const database = yield* Database
    const settings = yield* Settings
    const days = partitions(database, Duration.toMillis(settings.RAW_TTL), outsideOf(settings, database.dataDir))
    const tend = database.embedded ? cluster(database) : () => Effect.void
    const run = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* days(now)
      yield* database.query(statement.expireSignals, [now - signalsMs, expireRows])
      yield* database.query(statement.expireFailures, [now - failuresMs, expireRows])
      yield* database.query(statement.expireRepublishes, [now - republishesMs, expireRows])
      yield* database.query(statement.expirePaces, [now - pacesMs, expireRows])
      yield* tend(now)
    }).pipe(
      Effect.catchTag("BadData", ({ message }) => Effect.fail(new Unavailable({ dependency: "database", message }))),
      Effect.withSpan("Upkeep.run")
    )
    return Upkeep.of({ run })
  })
)
