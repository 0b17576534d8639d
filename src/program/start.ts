import { Context, Deferred, Effect, Layer } from "effect"
import { stageNames } from "../domain/stages.ts"
import { announce } from "../infra/address-file.ts"
import * as health from "../infra/api/health.ts"
import { Health } from "../infra/api/health.ts"
import * as server from "../infra/api/server.ts"
import { makeToken, ownToken } from "../infra/api/tokens.ts"
import { Canary } from "../infra/browser/canary.ts"
import type { Command } from "../infra/cli/commands.ts"
import { doneIf } from "../infra/cli/print.ts"
import { Settings } from "../infra/config.ts"
import * as control from "../infra/control.local.ts"
import { Database } from "../infra/database.ts"
import { Refusal } from "../infra/exit.ts"
import * as grouped from "../infra/grouped.ts"
import * as jsonl from "../infra/outputs.jsonl.ts"
import * as silent from "../infra/outputs.none.ts"
import { bodiesReady } from "../infra/raws.sql.ts"
import { alone } from "../infra/single.sql.ts"
import { Run } from "../streams/chain.ts"
import { ai } from "./ai.ts"
import { complete, hosts } from "./backends.ts"
import { browserFits, network } from "./network.ts"
import { drained, sideLoops, stopOnSignal } from "./pipeline.ts"
import { policy } from "./policy.ts"
import { researching } from "./research.ts"
import { store } from "./store.ts"

type RunCommand = Extract<Command, { name: "run" }>

/** Which stages this process runs, each with its parallelism (null: the stage's own default). */
const chosen = ({ flags }: RunCommand): ReadonlyMap<string, number | null> =>
  new Map(flags.stages?.map((it) => [it.name, it.parallelism]) ?? stageNames.map((it) => [it, null]))

const outputs = Layer.unwrap(
  Effect.map(Settings, ({ ARTICLES_JSONL }) => (ARTICLES_JSONL === null ? silent.layer : jsonl.layer(ARTICLES_JSONL)))
)

const probes = Effect.gen(function* () {
  const { add } = yield* Health
  const database = yield* Database
  const { stop } = yield* Run
  const answers = database.query("select 1").pipe(
    Effect.as(null),
    Effect.catch((it) => Effect.succeed(it.message))
  )
  yield* add("ready", "database", answers)
  yield* add(
    "live",
    "stages",
    Effect.sync(() => (Deferred.isDoneUnsafe(stop) ? "draining" : null))
  )
})

/** Health, metrics and API; their address goes where other commands of this data dir look for it. */
const listening = Effect.fnUntraced(function* (version: string, api: boolean) {
  const settings = yield* Settings
  const { CRAWLER_DATA_DIR, HTTP_BODY_MAX_BYTES, HTTP_HOST, HTTP_PORT, READ_TOKEN } = settings
  if (HTTP_PORT === 0) return
  const own = makeToken()
  const admin = settings.ADMIN_TOKEN.length > 0 ? settings.ADMIN_TOKEN : [(yield* ownToken(CRAWLER_DATA_DIR)).token]
  const tokens = { admin: [...admin, own], read: READ_TOKEN }
  const options = { host: HTTP_HOST, port: HTTP_PORT, version, bodyBytesMax: HTTP_BODY_MAX_BYTES, tokens, api }
  const { address } = Context.get(yield* Layer.build(server.layer(options)), server.Listening)
  yield* announce(CRAWLER_DATA_DIR, { address, token: own, pid: process.pid })
  yield* Effect.logInfo(`listening on ${address}`)
})

/** `crawler run`: the stages of this process until it is told to stop; then what is in flight is finished or handed back. */
export const start = Effect.fn("run")(function* (command: RunCommand, version: string) {
  const stages = chosen(command)
  const settings = yield* Settings
  yield* complete(stages)
  if (stages.has("fetcher")) yield* browserFits
  const numbers = policy({ readers: stages.get("parser") ?? 1, html: false, oneShot: false })
  const base = Layer.mergeAll(store, ai, outputs, Run.layer(new Set(stages.keys())), numbers, health.layer)
  const services = Layer.mergeAll(
    grouped.layer,
    control
      .layer(version)
      .pipe(Layer.provideMerge(researching), Layer.provideMerge(network(hosts({ quiet: settings.FETCH_DELAY }))))
  ).pipe(Layer.provideMerge(base))
  const program = Effect.gen(function* () {
    if (settings.REDIS_URL === null && settings.DATABASE_URL !== null) yield* alone
    if (stages.has("fetcher")) yield* bodiesReady
    yield* stopOnSignal
    yield* probes
    yield* listening(version, stages.has("api"))
    yield* sideLoops
    yield* Effect.logInfo(`running ${[...stages.keys()].join(", ")}`)
    // The guard is proven while work begins; a hole ends the process (exit 78).
    const proven = stages.has("fetcher")
      ? Effect.andThen(
          Canary.use((it) => it.prove),
          Effect.never
        )
      : Effect.never
    yield* Effect.raceFirst(drained, proven)
    yield* Effect.logInfo("drained")
  })
  yield* program.pipe(
    Effect.scoped,
    Effect.provide(services),
    Effect.catchTag("Unavailable", (it) => new Refusal({ exit: "disk", message: it.message }))
  )
  return doneIf(1)
})
