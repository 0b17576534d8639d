import { Cause, Clock, Duration, Effect, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import type { BadData, Unavailable } from "../domain/errors.ts"
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

/** A fault of our own in one task is no reason to leave the others undone either. */
const broken = (defect: unknown) => Effect.fail({ message: Cause.pretty(Cause.die(defect)) })

/** Each task fails alone: the others are done all the same, and an outage is told once. */
const apart = () => {
  const out = new Set<string>()
  return (task: string, work: Effect.Effect<unknown, Unavailable | BadData>): Effect.Effect<void> =>
    Effect.matchEffect(Effect.catchDefect(work, broken), {
      onSuccess: () => (out.delete(task) ? Effect.logInfo(`upkeep: ${task}: done again`) : Effect.void),
      onFailure: ({ message }) => {
        if (out.has(task)) return Effect.void
        out.add(task)
        return Effect.logWarning(`upkeep: ${task}: not done, tried again each time: ${message}`)
      }
    })
}
type Apart = ReturnType<typeof apart>

/** Raws past their day go with its partition; the days to come get theirs. */
const partitions = (database: Shape, ttlMs: number, { file, object }: Outside, alone: Apart) => {
  const drop = Effect.fnUntraced(function* (name: string) {
    // Bodies first: once its partition is gone, nobody knows of the day any more.
    const day = dayOfPartition(name)
    const gone = (object === null || (yield* object.expire(day))) && (file === null || (yield* file.expire(day)))
    if (gone) yield* step(name, database.script(statement.dropPartition(name)))
  })
  const expire = Effect.fnUntraced(function* (now: Millis) {
    const kept = statement.firstKept(dayOf(now))
    const expired = yield* database.query<{ name: string }>(statement.expiredPartitions, [kept])
    yield* Effect.forEach(expired, ({ name }) => alone(name, drop(name)), { discard: true })
  })
  const prepare = (now: Millis) => {
    const days = new Set([dayOf(now + ttlMs), dayOf(now + ttlMs + aheadMs)])
    return Effect.forEach(days, (day) => database.script(makePartition(day)), { discard: true })
  }
  return { expire, prepare }
}

/** PGlite neither checkpoints nor vacuums by itself. A start has work to do, not years of log to look after: what is due is counted from it. */
const cluster = (database: Shape, alone: Apart) => {
  const written = Effect.map(database.query<{ bytes: number }>(statement.written), ([row]) => row?.bytes ?? 0)
  let checkpointed: { readonly bytes: number; readonly at: Millis } | null = null
  let vacuumed: { readonly bytes: number; readonly at: Millis } | null = null
  const vacuum = (table: string) =>
    alone(`vacuum ${table}`, step(`vacuum ${table}`, database.script(`vacuum (analyze, truncate off) ${table}`)))
  const clear = Effect.fnUntraced(function* (now: Millis) {
    const bytes = yield* written
    vacuumed ??= { bytes, at: now }
    const all = now - vacuumed.at >= vacuumRestEvery
    if (!all && bytes - vacuumed.bytes < vacuumBytes) return
    yield* Effect.forEach([...vacuumOften, ...(all ? vacuumRest : [])], vacuum, { discard: true })
    vacuumed = { bytes, at: all ? now : vacuumed.at }
  })
  const checkpoint = Effect.fnUntraced(function* (now: Millis) {
    const bytes = yield* written
    checkpointed ??= { bytes, at: now }
    const since = bytes - checkpointed.bytes
    if (since < checkpointBytes && (since <= 0 || now - checkpointed.at < checkpointEvery)) return
    yield* step("checkpoint", database.script("checkpoint"))
    checkpointed = { bytes: yield* written, at: now }
  })
  return { clear, checkpoint }
}

/** Upkeep of the store: expiries everywhere, checkpoints and vacuums where nobody else does them (embedded). */
export const layer: Layer.Layer<Upkeep, never, Database | Settings> = Layer.effect(
  Upkeep,
  Effect.gen(function* () {
    const database = yield* Database
    const settings = yield* Settings
    const alone = apart()
    const days = partitions(database, Duration.toMillis(settings.RAW_TTL), outsideOf(settings, database.dataDir), alone)
    const own = cluster(database, alone)
    const old = (sql: string, keptMs: number) => (now: Millis) => database.query(sql, [now - keptMs, expireRows])
    const tasks: ReadonlyArray<
      readonly [name: string, task: (now: Millis) => Effect.Effect<unknown, Unavailable | BadData>]
    > = [
      ["partitions to come", days.prepare],
      ["expired raw pages", days.expire],
      ["old signals", old(statement.expireSignals, signalsMs)],
      ["old failures", old(statement.expireFailures, failuresMs)],
      ["old republishes", old(statement.expireRepublishes, republishesMs)],
      ["old paces", old(statement.expirePaces, pacesMs)],
      ...(database.embedded
        ? ([
            ["vacuum", own.clear],
            ["checkpoint", own.checkpoint]
          ] as const)
        : [])
    ]
    const run = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* Effect.forEach(tasks, ([name, task]) => alone(name, task(now)), { discard: true })
    }).pipe(Effect.withSpan("Upkeep.run"))
    return Upkeep.of({ run })
  })
)
