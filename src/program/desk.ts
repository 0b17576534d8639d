import { Duration, Effect, Layer } from "effect"
import { type Operating, operate } from "../infra/cli/operate.ts"
import * as output from "../infra/cli/output.ts"
import { Settings } from "../infra/config.ts"
import * as local from "../infra/control.local.ts"
import { localOrRemote } from "../infra/control.remote.ts"
import { Refusal } from "../infra/exit.ts"
import { hosts } from "./backends.ts"
import { researchAlone } from "./research.ts"
import { store } from "./store.ts"

/** Whoever is on call waits no longer for the state of things: no answer is one. */
const statusMax = Duration.seconds(20)
const inTime = Effect.timeoutOrElse({
  duration: statusMax,
  orElse: () =>
    Effect.fail(
      new Refusal({
        exit: "nothing",
        message: `no answer within ${Duration.format(statusMax)}: the store is busy or stuck, or its crawler is`
      })
    )
})

/** Commands that ask the crawler of a data dir: over its store where nobody holds it, else over the holder's API. */
export const desk = Effect.fn("desk")(function* (command: Operating, version: string) {
  const { ALLOW_PRIVATE_CIDRS, CRAWLER_DATA_DIR, FETCH_DELAY } = yield* Settings
  const out = "out" in command.flags ? command.flags.out : null
  // A dataset's sites are looked at before they become sources: the one command here that goes outside.
  const control =
    command.name === "sources import"
      ? local.layer(version).pipe(Layer.provideMerge(researchAlone(hosts({ quiet: FETCH_DELAY }))))
      : local.layer(version)
  const services = Layer.merge(
    localOrRemote(CRAWLER_DATA_DIR, control.pipe(Layer.provideMerge(store))),
    output.layer(out)
  )
  return yield* operate(command, ALLOW_PRIVATE_CIDRS).pipe(
    Effect.provide(services),
    (work) => (command.name === "status" ? inTime(work) : work),
    Effect.catchTag("Unavailable", (it) => new Refusal({ exit: "nothing", message: it.message }))
  )
})
