import { Effect, Layer } from "effect"
import { Fatal } from "../domain/errors.ts"
import { Discovery } from "../domain/research.ts"
import { Settings } from "./config.ts"
import { Dialler } from "./dial.ts"
import { crtsh } from "./discovery.crtsh.ts"
import { enumeration } from "./discovery.dns.ts"
import { google } from "./discovery.google.ts"
import type { Asked } from "./discovery.json.ts"
import { wayback } from "./discovery.wayback.ts"

/** The four discovery sources behind one port (S5.8). */
export const layer: Layer.Layer<Discovery, never, Dialler | Settings> = Layer.effect(
  Discovery,
  Effect.gen(function* () {
    const settings = yield* Settings
    const dialler = yield* Dialler
    const way = {
      dialler,
      agent: settings.USER_AGENT,
      patience: settings.RESEARCH_TIMEOUT,
      resultsMax: settings.RESEARCH_RESULTS_MAX
    }
    const sources: Readonly<Record<string, Asked>> = {
      google_search: google(way, {
        url: settings.GOOGLE_SEARCH_URL,
        key: settings.GOOGLE_API_KEY,
        engine: settings.GOOGLE_CSE_ID
      }),
      crtsh: crtsh(way, settings.CRTSH_URL),
      wayback_machine: wayback(way, settings.WAYBACK_URL),
      dns: enumeration(settings.DNS_SERVERS, settings.RESEARCH_RESULTS_MAX)
    }
    return Discovery.of({
      host: ({ method }) => sources[method]?.host ?? null,
      ask: Effect.fn("Discovery.ask")((lookup) => {
        const source = sources[lookup.method]
        return source === undefined
          ? Effect.fail(new Fatal({ code: "bad_request", message: `no source for ${lookup.method}` }))
          : source.ask(lookup.subject)
      })
    })
  })
)
