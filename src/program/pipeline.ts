import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { Bus } from "../domain/ports.ts"
import { Settings } from "../infra/config.ts"
import { Run } from "../streams/chain.ts"
import { steadfast } from "../streams/stage.ts"
import { loops, pipeline } from "../streams/topology.ts"

/** Tells the process to drain on SIGTERM or SIGINT; a second signal ends it at once. */
export const stopOnSignal = Effect.gen(function* () {
  const { stop } = yield* Run
  const context = yield* Effect.context<never>()
  const heard = (signal: NodeJS.Signals) => {
    if (Deferred.isDoneUnsafe(stop)) process.exit(signal === "SIGINT" ? 130 : 143)
    Effect.runForkWith(context)(
      Effect.andThen(Effect.logInfo(`${signal}: draining`), Deferred.succeed(stop, undefined))
    )
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGTERM", heard).on("SIGINT", heard)),
    () => Effect.sync(() => process.off("SIGTERM", heard).off("SIGINT", heard))
  )
})

/** What is still out goes back unworked, charging nothing: another process, or the next start, has it at once. */
const handBack = Effect.gen(function* () {
  const bus = yield* Bus
  const { out } = yield* Run
  if (out.size === 0) return
  yield* Effect.logInfo(`handing back ${out.size} deliveries`)
  yield* Effect.ignore(bus.release([...out.values()]))
})

/** The stream, until it is drained: by itself (a one-shot run), or when told to stop, then in at most DRAIN_TIMEOUT. */
export const drained = Effect.gen(function* () {
  const { stop } = yield* Run
  const { DRAIN_TIMEOUT } = yield* Settings
  const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
  const deadline = Effect.andThen(Deferred.await(stop), Effect.sleep(DRAIN_TIMEOUT))
  const ended = yield* Effect.raceFirst(Effect.asSome(Fiber.join(chain)), Effect.as(deadline, Option.none<void>()))
  if (Option.isNone(ended)) yield* Fiber.interrupt(chain)
  yield* handBack
})

/** The stages that are no part of the chain, each until the scope closes; scheduling ends as soon as a stop is asked for. */
export const sideLoops = Effect.gen(function* () {
  const run = yield* Run
  const untilStop = <A, E, R>(loop: Effect.Effect<A, E, R>) => Effect.raceFirst(loop, Deferred.await(run.stop))
  if (run.has("scheduler")) yield* Effect.forkScoped(untilStop(loops.scheduler))
  if (run.has("sweeper")) yield* Effect.forkScoped(steadfast(loops.sweeper))
  if (run.has("sweeper")) yield* Effect.forkScoped(loops.overrides)
  if (run.has("scorer")) yield* Effect.forkScoped(loops.scoring)
})
