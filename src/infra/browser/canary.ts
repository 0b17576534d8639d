import { networkInterfaces } from "node:os"
import { Context, Effect, Layer } from "effect"
import { inCidrs, isPublicAddress } from "../../domain/address.ts"
import { Settings } from "../config.ts"
import { Dialler } from "../dial.ts"
import { Refusal } from "../exit.ts"
import { visitPage } from "./page.ts"
import { Browsers } from "./pool.ts"

/** How long the browser may try, ms: it is refused at once, or something is wrong. */
const PATIENCE_MS = 10_000

/** Addresses of this machine that nobody may dial: not public, and not inside ALLOW_PRIVATE_CIDRS. */
const forbidden = (cidrs: ReadonlyArray<string>): ReadonlyArray<string> =>
  [
    "127.0.0.1",
    "::1",
    ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((it) => it.address))
  ].filter((it) => !it.includes("%") && !it.startsWith("fe80") && !isPublicAddress(it) && !inCidrs(it, cidrs))

/** A server at a forbidden address, counting who comes. */
const trap = (address: string) =>
  Effect.acquireRelease(
    Effect.try(() => {
      const seen = { requests: 0 }
      const server = Bun.serve({
        hostname: address,
        port: 0,
        fetch: () => {
          seen.requests += 1
          return new Response("reached")
        }
      })
      const host = address.includes(":") ? `[${address}]` : address
      return { server, seen, url: `http://${host}:${server.port}/` }
    }),
    ({ server }) => Effect.promise(() => server.stop(true))
  )

/** The proof of a start; without a browser there is no second way out, and nothing to prove. */
export class Canary extends Context.Service<Canary, { readonly prove: Effect.Effect<void, Refusal> }>()(
  "crawler/Canary"
) {
  static readonly absent = Layer.succeed(Canary, { prove: Effect.void })
}

/**
 * Proves at start that neither plain fetching nor the browser reaches a private address: both are sent to a server of our
 * own at one, and nobody may come. A hole is a Refusal (exit 78); where every own address is allowed there is nothing to prove.
 */
const prove = Effect.gen(function* () {
  const { ALLOW_PRIVATE_CIDRS, USER_AGENT } = yield* Settings
  const browsers = yield* Browsers
  const dialler = yield* Dialler
  const [address] = forbidden(ALLOW_PRIVATE_CIDRS)
  if (address === undefined)
    return yield* Effect.logWarning("no address to prove the address guard with: all are allowed")
  const { seen, url } = yield* trap(address)
  yield* Effect.ignore(dialler.get(url, {}, () => Effect.void))
  const visit = {
    url,
    userAgent: USER_AGENT,
    timeoutMs: PATIENCE_MS,
    settleMs: 0,
    ready: null,
    charsMax: 1000,
    single: false,
    // The proxy stands alone here: what a page's own requests meet.
    admit: () => Promise.resolve(true)
  }
  yield* browsers.use((chromium, broken) => Effect.promise(() => visitPage(chromium, visit, broken)))
  if (seen.requests > 0) {
    const message = `the address guard has a hole: ${url} was reached; unset what routes around it (proxies, CHROMIUM_PATH)`
    return yield* new Refusal({ exit: "configuration", message })
  }
  yield* Effect.logDebug(`${url} was out of reach, as it must be`)
}).pipe(
  Effect.scoped,
  Effect.catchTag("UnknownError", (it) => Effect.logWarning(`the address guard was not proven: ${it.message}`)),
  Effect.catchTag("Retryable", (it) => Effect.logWarning(`no browser: ${it.message}`))
)

export const layer: Layer.Layer<Canary, never, Browsers | Dialler | Settings> = Layer.effect(
  Canary,
  Effect.map(Effect.context<Browsers | Dialler | Settings>(), (context) =>
    Canary.of({ prove: Effect.provideContext(prove, context) })
  )
)
