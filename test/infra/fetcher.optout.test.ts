import { expect } from "bun:test"
import { Effect } from "effect"
import { Fetcher } from "../../src/domain/ports.ts"
import { live } from "../support/effect.ts"
import { http, job, names, robots, wholeFetcher } from "../support/net.ts"

live("a page brings what its headers and its robots.txt say of use by AI", () =>
  Effect.gen(function* () {
    const site = yield* http(({ url }) =>
      url.endsWith("/moved")
        ? Response.redirect("/a")
        : new Response("page", { headers: { "x-robots-tag": "noai", "tdm-reservation": "1" } })
    )
    const rules = robots(() => ({
      allowed: true,
      reason: "allowed by robots.txt",
      crawl_delay_ms: null,
      ai_opt_outs: [{ signal: "ai_train", source: "robots.txt" }]
    }))
    const { raw } = yield* Fetcher.use((it) => it.fetch(job(`${site.url}/moved`), null)).pipe(
      Effect.provide(wholeFetcher({}, names({}).layer, rules))
    )
    expect(raw.ai_opt_outs).toEqual([
      { signal: "ai_train", source: "robots.txt" },
      { signal: "noai", source: "header" },
      { signal: "tdm_reservation", source: "header" }
    ])
  })
)
