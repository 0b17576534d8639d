import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { Bus } from "../../../src/domain/ports.ts"
import { Batches, Discovery } from "../../../src/domain/research.ts"
import * as bus from "../../../src/infra/bus.table.ts"
import { checked } from "../../../src/infra/control.checked.ts"
import * as local from "../../../src/infra/control.local.ts"
import { Control } from "../../../src/infra/control.ts"
import { Database } from "../../../src/infra/database.ts"
import * as datasets from "../../../src/infra/datasets.files.ts"
import * as deadletters from "../../../src/infra/deadletters.sql.ts"
import * as hosts from "../../../src/infra/hosts.memory.ts"
import * as batches from "../../../src/infra/research.sql.ts"
import * as memory from "../../../src/infra/store.memory.ts"
import { policy } from "../../../src/program/policy.ts"
import { researchAlone } from "../../../src/program/research.ts"
import { Run } from "../../../src/streams/chain.ts"
import { discovering } from "../../../src/streams/topology.ts"
import { embeddedStore, settingsOf } from "../store.ts"

/** The research engine in this process: its store, its files in `dir`, and what may be asked of it. */
export const engine = (dir: string, env: Readonly<Record<string, string>> = {}) => {
  const settings = settingsOf({
    CRAWLER_DATA_DIR: dir,
    ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
    FETCH_DELAY: "0ms",
    FETCH_PER_HOST: "8",
    BUS_POLL: "20ms",
    BREAKER_FAILURES: "100",
    ...env
  })
  const stored = Layer.mergeAll(batches.layer, datasets.layer, deadletters.layer).pipe(
    Layer.provideMerge(bus.layer),
    Layer.provideMerge(embeddedStore)
  )
  const control = Layer.effect(Control, Effect.map(Control, checked)).pipe(Layer.provide(local.layer("0.1.0")))
  return control.pipe(
    Layer.provideMerge(researchAlone(hosts.layer())),
    Layer.provideMerge(policy({ readers: 1, html: false, oneShot: false })),
    Layer.provideMerge(stored),
    Layer.provideMerge(memory.layer()),
    Layer.provideMerge(settings)
  )
}

/** A discovery source in this process instead of servers. */
export const asking = (ask: Discovery["Service"]["ask"]) => Discovery.of({ host: () => null, ask })

/** A researcher of its own memory until it is ended: by a stop that hands back what is out, as another process would find it. */
export const worker = Effect.gen(function* () {
  const context = yield* Layer.build(Run.layer(new Set(["researcher"])))
  const fiber = yield* Effect.forkScoped(Effect.provideContext(Stream.runDrain(discovering), context))
  const end = Effect.gen(function* () {
    const { out, stop } = yield* Run
    yield* Fiber.interrupt(fiber)
    yield* Deferred.succeed(stop, undefined)
    yield* (yield* Bus).release([...out.values()])
  })
  return { end: Effect.provideContext(end, context) }
})

/** Every message of topic research is on its last try: what fails now fails for good. */
export const lastTry = Effect.gen(function* () {
  yield* (yield* Database).query("update messages set attempt = 3 where topic = 'research'")
})

/** Waits until a batch is in one of these states. */
export const until = Effect.fnUntraced(function* (id: string, ...states: ReadonlyArray<string>) {
  const port = yield* Batches
  while (true) {
    const found = yield* port.progress(id)
    if (found !== null && states.includes(found.status)) return found
    yield* Effect.sleep("20 millis")
  }
})
