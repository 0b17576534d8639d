import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Layer, Stream } from "effect"
import { sha256 } from "../../src/domain/research/assemble.ts"
import { Batches } from "../../src/domain/research.ts"
import * as bus from "../../src/infra/bus.table.ts"
import * as database from "../../src/infra/database.postgres.ts"
import * as datasets from "../../src/infra/datasets.files.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import { newBatch } from "../../src/infra/research.batches.ts"
import * as batches from "../../src/infra/research.sql.ts"
import * as signals from "../../src/infra/signals.sql.ts"
import * as sources from "../../src/infra/sources.sql.ts"
import { policy } from "../../src/program/policy.ts"
import { researchAlone } from "../../src/program/research.ts"
import { Run } from "../../src/streams/chain.ts"
import { discovering } from "../../src/streams/topology.ts"
import { settingsOf } from "../../test/support/store.ts"

/** The instant at which the recorded run took place, for every run of it: time is an input like any other. */
const RECORDED_AT = Date.parse("2026-01-25T03:12:00Z")

const still = (clock: Clock.Clock): Clock.Clock => ({
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  currentTimeMillisUnsafe: () => RECORDED_AT,
  currentTimeMillis: Effect.succeed(RECORDED_AT),
  sleep: (duration) => clock.sleep(duration)
})

/** Runs a batch to its end in this process, at the recorded instant; answers the hash of all its datasets' bytes. */
export const rerun = async (
  folder: string,
  env: Readonly<Record<string, string>>,
  urls: ReadonlyArray<string>
): Promise<{ readonly files: number; readonly hash: string }> => {
  mkdirSync(folder, { recursive: true })
  const settings = settingsOf({
    CRAWLER_DATA_DIR: folder,
    ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
    FETCH_DELAY: "0ms",
    FETCH_PER_HOST: "8",
    ...env
  })
  const store = Layer.mergeAll(batches.layer, signals.layer, sources.layer, datasets.layer).pipe(
    Layer.provideMerge(bus.layer),
    Layer.provideMerge(database.layer)
  )
  const numbers = policy({ readers: 1, html: false, oneShot: false })
  const services = researchAlone(hosts.layer()).pipe(
    Layer.provideMerge(Layer.mergeAll(store, numbers, Run.layer(new Set(["researcher"])))),
    Layer.provideMerge(settings)
  )
  const program = Effect.gen(function* () {
    const { batch_id } = yield* newBatch({
      country: "SG",
      category: "news",
      urls,
      research_methods: ["google_search", "crtsh", "wayback_machine"]
    })
    yield* Effect.forkScoped(Stream.runDrain(discovering))
    while ((yield* (yield* Batches).progress(batch_id))?.finished_at === null)
      yield* Effect.promise(() => Bun.sleep(50))
  })
  const clock = await Effect.runPromise(Effect.clockWith((it) => Effect.succeed(it)))
  await Effect.runPromise(
    program.pipe(Effect.scoped, Effect.provide(services), Effect.provideService(Clock.Clock, still(clock)))
  )
  const tree = join(folder, "research", "datasets", "country=sg", "category=news")
  const files = readdirSync(tree)
    .filter((it) => /_\d{4}\.json$/.test(it))
    .sort()
  return { files: files.length, hash: sha256(files.map((it) => readFileSync(join(tree, it), "utf8")).join("")) }
}
