import { Deferred, Duration, Effect, Layer, Option, Stream } from "effect"
import { holder } from "../infra/address-file.ts"
import type { Command } from "../infra/cli/commands.ts"
import * as output from "../infra/cli/output.ts"
import { print } from "../infra/cli/print.ts"
import { batchText, startBatch } from "../infra/cli/research.ts"
import { Settings } from "../infra/config.ts"
import { checked } from "../infra/control.checked.ts"
import * as local from "../infra/control.local.ts"
import { Control, controlCodes } from "../infra/control.ts"
import * as datasets from "../infra/datasets.files.ts"
import { Refusal } from "../infra/exit.ts"
import * as hosts from "../infra/hosts.memory.ts"
import { visible } from "../infra/logging.ts"
import { verify } from "../infra/research.verify.ts"
import { Run } from "../streams/chain.ts"
import { discovering } from "../streams/topology.ts"
import { desk } from "./desk.ts"
import { stopOnSignal } from "./pipeline.ts"
import { policy } from "./policy.ts"
import { researchAlone } from "./research.ts"
import { store } from "./store.ts"

type Running = Extract<Command, { name: "research run" }>

/** How often the batch is looked at. */
const LOOK_EVERY = Duration.millis(200)

/** Until nothing more will happen by itself. */
const ended = Effect.fnUntraced(function* (batch_id: string) {
  const control = yield* Control
  while (true) {
    const batch = yield* control["queues.batch"]({ batch_id })
    if (batch.status !== "queued" && batch.status !== "processing") return batch
    yield* Effect.sleep(LOOK_EVERY)
  }
})

/** The batch and a researcher for it, in this process, until it is done. */
const alone = Effect.fnUntraced(function* (command: Running, version: string) {
  const { FETCH_DELAY } = yield* Settings
  const numbers = policy({ readers: 1, html: false, oneShot: false })
  const base = Layer.mergeAll(store, Run.layer(new Set(["researcher"])), numbers, output.layer(null))
  const control = Layer.effect(Control, Effect.map(Control, checked)).pipe(Layer.provide(local.layer(version)))
  const services = control.pipe(
    Layer.provideMerge(researchAlone(hosts.layer({ quiet: FETCH_DELAY }))),
    Layer.provideMerge(base)
  )
  const program = Effect.gen(function* () {
    yield* stopOnSignal
    const { stop } = yield* Run
    const { batch_id } = yield* startBatch(command)
    yield* Effect.logInfo(`batch ${batch_id}`)
    yield* Effect.forkScoped(Stream.runDrain(discovering))
    const batch = yield* Effect.raceFirst(
      Effect.asSome(ended(batch_id)),
      Effect.as(Deferred.await(stop), Option.none())
    )
    if (Option.isNone(batch)) return "nothing" as const
    yield* print(command.flags.json, batch.value, () => batchText(batch.value))
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

/** `crawler research run`: given to the crawler that runs here; where none does, worked on at once. */
export const discover = Effect.fn("research.run")(function* (command: Running, version: string) {
  const { CRAWLER_DATA_DIR } = yield* Settings
  if (Option.isSome(yield* holder(CRAWLER_DATA_DIR))) return yield* desk(command, version)
  return yield* alone(command, version)
})

/** `crawler research verify`: over the files alone, so that it works beside a running crawler. */
export const verifying = Effect.fn("research.verify")(function* (
  command: Extract<Command, { name: "research verify" }>
) {
  const found = yield* verify.pipe(
    Effect.provide(datasets.reading),
    Effect.catchTag("Unavailable", (it) => new Refusal({ exit: "input", message: it.message }))
  )
  const lines = found.faults.map(({ path, what }) => `${visible(path)} ${what}`)
  const counts = `${found.datasets} datasets in ${found.manifests} manifests, ${found.records} records: ${lines.length} faults`
  yield* print(command.flags.json, found, () => [...lines, counts].join("\n")).pipe(Effect.provide(output.layer(null)))
  return lines.length === 0 ? ("done" as const) : ("data" as const)
})
