import { Deferred, Duration, Effect, Fiber, Layer, Option, Stream } from "effect"
import type { Command } from "../infra/cli/commands.ts"
import * as output from "../infra/cli/output.ts"
import { print } from "../infra/cli/print.ts"
import { batchText, startBatch } from "../infra/cli/research.ts"
import { Settings } from "../infra/config.ts"
import { checked } from "../infra/control.checked.ts"
import * as local from "../infra/control.local.ts"
import { answers } from "../infra/control.remote.ts"
import { Control, type ControlError, controlCodes } from "../infra/control.ts"
import * as files from "../infra/datasets.files.ts"
import { Refusal } from "../infra/exit.ts"
import { visible } from "../infra/logging.ts"
import { verify } from "../infra/research.verify.ts"
import * as single from "../infra/single.sql.ts"
import { lastLook } from "../streams/audit.ts"
import { Run } from "../streams/chain.ts"
import { discovering } from "../streams/topology.ts"
import { datasets, hosts } from "./backends.ts"
import { desk } from "./desk.ts"
import { handBack, stopOnSignal } from "./pipeline.ts"
import { policy } from "./policy.ts"
import { researchAlone } from "./research.ts"
import { store } from "./store.ts"

type Working = Extract<Command, { name: "research run" | "research resume" }>

/** How often the batch is looked at. */
const LOOK_EVERY = Duration.millis(200)

/**
 * Until nothing more will happen by itself. A dataset is recorded before its manifest is written, so what is under way is waited for
 * as well.
 */
const ended = Effect.fnUntraced(function* (batch_id: string) {
  const control = yield* Control
  const { out } = yield* Run
  while (true) {
    const batch = yield* control["queues.batch"]({ batch_id })
    const busy = [...out.keys()].some((id) => id.startsWith(`${batch_id}.`))
    if (batch.status !== "queued" && batch.status !== "processing" && !busy) return batch
    yield* Effect.sleep(LOOK_EVERY)
  }
})

/** A batch that an interrupted command left is worked on as it is; one that waits for an operator is let go on. */
const resumed = Effect.fnUntraced(function* (batch_id: string) {
  const control = yield* Control
  const { status } = yield* control["queues.batch"]({ batch_id })
  if (status !== "queued" && status !== "processing") yield* control["queues.resume"]({ batch_id })
  return batch_id
})

const begun = (command: Working): Effect.Effect<string, ControlError | Refusal, Control> =>
  command.name === "research resume"
    ? resumed(command.words[0] ?? "")
    : Effect.map(startBatch(command), ({ batch_id }) => batch_id)

/** The batch and a researcher for it, in this process, until it is done. */
const alone = Effect.fnUntraced(function* (command: Working, version: string) {
  const settings = yield* Settings
  const numbers = policy({ readers: 1, html: false, oneShot: false })
  const base = Layer.mergeAll(store, Run.layer(new Set(["researcher"])), numbers, output.layer(null))
  const control = Layer.effect(Control, Effect.map(Control, checked)).pipe(Layer.provide(local.layer(version)))
  const services = control.pipe(
    Layer.provideMerge(researchAlone(hosts({ quiet: settings.FETCH_DELAY }))),
    Layer.provideMerge(base)
  )
  const program = Effect.gen(function* () {
    if (settings.REDIS_URL === null && settings.DATABASE_URL !== null) yield* single.alone
    yield* stopOnSignal
    const { stop } = yield* Run
    const batch_id = yield* begun(command)
    yield* Effect.logInfo(`batch ${batch_id}`)
    const work = yield* Effect.forkScoped(Stream.runDrain(discovering))
    const batch = yield* Effect.raceFirst(
      Effect.asSome(ended(batch_id)),
      Effect.as(Deferred.await(stop), Option.none())
    )
    yield* Fiber.interrupt(work)
    yield* handBack
    if (Option.isNone(batch)) {
      yield* Effect.logInfo(`${batch_id} is not done: crawler research resume ${batch_id}`)
      // Told to stop, a process that drained has done as it was told (P7).
      return "done" as const
    }
    yield* print(command.flags.json, batch.value, () => batchText(batch.value))
    yield* lastLook
    return batch.value.status === "completed" || batch.value.status === "partial"
      ? ("done" as const)
      : ("nothing" as const)
  })
  return yield* program.pipe(
    Effect.scoped,
    Effect.provide(services),
    Effect.catchTag("ControlError", (it) => new Refusal({ exit: controlCodes[it.code].exit, message: it.message })),
    Effect.catchTag("Unavailable", (it) => new Refusal({ exit: "disk", message: it.message }))
  )
})

/**
 * `crawler research run` and `resume`: given to the crawler that runs here; where none does, worked on at once. A crawler that is just
 * starting holds the store already, and is waited for.
 */
export const discover = Effect.fn("research.run")(function* (command: Working, version: string) {
  const { CRAWLER_DATA_DIR } = yield* Settings
  if (yield* answers(CRAWLER_DATA_DIR)) return yield* desk(command, version)
  return yield* alone(command, version).pipe(
    Effect.catchIf(
      (it) => it.exit === 75 || it.exit === "busy",
      () => desk(command, version)
    )
  )
})

/** `crawler research verify`: over the datasets alone, so that it works beside a running crawler. */
export const verifying = Effect.fn("research.verify")(function* (
  command: Extract<Command, { name: "research verify" }>
) {
  const { S3_BUCKET } = yield* Settings
  const found = yield* verify.pipe(
    Effect.provide(S3_BUCKET === null ? files.reading : datasets),
    Effect.catchTag("Unavailable", (it) => new Refusal({ exit: "input", message: it.message }))
  )
  const lines = found.faults.map(({ path, what }) => `${visible(path)} ${what}`)
  const counts = `${found.datasets} datasets in ${found.manifests} manifests, ${found.records} records: ${lines.length} faults`
  const aside = found.unlisted.map((path) => `${visible(path)} is in no manifest: readers do not see it`)
  yield* print(command.flags.json, found, () => [...lines, ...aside, counts].join("\n")).pipe(
    Effect.provide(output.layer(null))
  )
  return lines.length === 0 ? ("done" as const) : ("data" as const)
})
