import { Cause, Deferred, Effect, Fiber, Option, Stream } from "effect"
import { AiPolicy } from "../domain/ai/ports.ts"
import { Policy } from "../domain/policy.ts"
import { Bus } from "../domain/ports.ts"
import { Settings } from "../infra/config.ts"
import { Run } from "../streams/chain.ts"
import { steadfast } from "../streams/stage.ts"
import { discovering, loops, pipeline } from "../streams/topology.ts"

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
export const handBack = Effect.gen(function* () {
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
  const { untilDrained } = yield* Policy
  // A process without a stage of the chain has nothing to drain, and runs until it is told to stop all the same.
  const over = Effect.andThen(Fiber.join(chain), untilDrained ? Effect.void : Deferred.await(stop))
  const ended = yield* Effect.raceFirst(Effect.asSome(over), Effect.as(deadline, Option.none<void>()))
  if (Option.isNone(ended)) yield* Fiber.interrupt(chain)
  yield* handBack
})

/** A loop that fails in a way nobody provided for is begun again: one bad row must not silence a stage. */
const restarted = <A, E, R>(name: string, loop: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(loop, (defect) =>
    Effect.logError(`${name} broke and begins again: ${Cause.pretty(Cause.die(defect))}`).pipe(
      Effect.andThen(Effect.sleep("1 second")),
      Effect.andThen(Effect.suspend(() => restarted(name, loop)))
    )
  )

/** Jobs under way when the stream has drained get this much longer: a call that is paid for is worth waiting for. */
const enricherGrace = "4 seconds"

/** The enricher and its sweeper. What is not done in time is handed back. */
const enriching = Effect.gen(function* () {
  const run = yield* Run
  const { sweeps, works } = yield* AiPolicy
  if (run.has("enricher") && works) {
    const fiber = yield* Effect.forkScoped(restarted("enricher", loops.enricher))
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeoutOption(Fiber.await(fiber), enricherGrace)))
  }
  if (run.has("sweeper") && sweeps) yield* Effect.forkScoped(restarted("AI sweeper", loops.aiSweeper))
})

/** The stages that are no part of the chain, each until the scope closes; scheduling ends as soon as a stop is asked for. */
export const sideLoops = Effect.gen(function* () {
  const run = yield* Run
  const untilStop = <A, E, R>(loop: Effect.Effect<A, E, R>) => Effect.raceFirst(loop, Deferred.await(run.stop))
  if (run.has("researcher")) {
    // What it has under way when the chain has drained is handed back: discovery may take minutes, and repeats nothing that is done.
    yield* Effect.forkScoped(restarted("researcher", steadfast(Stream.runDrain(discovering))))
    yield* Effect.forkScoped(restarted("audit trail", loops.trail))
  }
  if (run.has("scheduler")) yield* Effect.forkScoped(untilStop(restarted("scheduler", loops.scheduler)))
  if (run.has("sweeper")) yield* Effect.forkScoped(restarted("sweeper", steadfast(loops.sweeper)))
  yield* enriching
  if (run.has("sweeper")) yield* Effect.forkScoped(restarted("overrides", loops.overrides))
  if (run.has("sweeper")) yield* Effect.forkScoped(restarted("runs", steadfast(loops.runs)))
  if (run.has("scorer")) yield* Effect.forkScoped(restarted("scoring", loops.scoring))
})
