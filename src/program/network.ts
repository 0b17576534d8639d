import { Effect, Layer } from "effect"
import type { Hosts } from "../domain/ports.ts"
import * as canary from "../infra/browser/canary.ts"
import { chromiumPath, unsafe } from "../infra/browser/chromium.ts"
import * as browsers from "../infra/browser/pool.ts"
import { Settings } from "../infra/config.ts"
import * as dial from "../infra/dial.ts"
import * as dns from "../infra/dns.ts"
import { Refusal } from "../infra/exit.ts"
import * as browser from "../infra/fetcher.browser.ts"
import * as chain from "../infra/fetcher.chain.ts"
import * as http from "../infra/fetcher.http.ts"
import * as guard from "../infra/guard.ts"
import * as reader from "../infra/reader.worker.ts"
import * as robots from "../infra/robots.http.ts"

const checked = guard.layer.pipe(Layer.provide(dns.layer))
const dialler = dial.layer().pipe(Layer.provide(checked))
const plain = http.layer.pipe(Layer.provide(dialler))

/** The fetchers of this machine: plain HTTP, and a browser where Chromium is found (said where it is not). */
const fetching = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const { CHROMIUM_PATH } = settings
    const path = chromiumPath(CHROMIUM_PATH)
    if (path === null) {
      const where = CHROMIUM_PATH === null ? "on PATH" : `at CHROMIUM_PATH=${CHROMIUM_PATH}`
      yield* Effect.logInfo(`no Chromium ${where}: pages are fetched by plain HTTP only`)
      return Layer.merge(chain.layer.pipe(Layer.provide(plain)), canary.Canary.absent)
    }
    const why = unsafe(path, settings)
    if (why !== null) {
      yield* Effect.logWarning(`pages are fetched by plain HTTP only: ${why}`)
      return Layer.merge(chain.layer.pipe(Layer.provide(plain)), canary.Canary.absent)
    }
    const pool = browsers.layer(path).pipe(Layer.provide(checked))
    const both = chain.layer.pipe(Layer.provide(plain), Layer.provide(browser.layer.pipe(Layer.provide(checked))))
    return Layer.merge(both, canary.layer.pipe(Layer.provide(dialler))).pipe(Layer.provide(pool))
  })
)

/** Refuses to fetch where Chromium is there and could only be run against the settings (exit 78). */
export const browserFits = Effect.gen(function* () {
  const settings = yield* Settings
  const path = chromiumPath(settings.CHROMIUM_PATH)
  const why = path === null ? null : unsafe(path, settings)
  if (why !== null) return yield* new Refusal({ exit: "configuration", message: why })
})

/** The way to the outside: guarded dialling, robots.txt, host state, fetching and reading. */
export const network = <E, R>(hosts: Layer.Layer<Hosts, E, R>) => {
  const manners = Layer.mergeAll(robots.layer.pipe(Layer.provide(dialler)), hosts)
  return Layer.merge(fetching.pipe(Layer.provideMerge(manners)), reader.layer)
}
