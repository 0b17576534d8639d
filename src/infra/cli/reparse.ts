import { Clock, Effect } from "effect"
import { Control } from "../control.ts"
import { instant } from "./articles.ts"
import type { Command } from "./commands.ts"
import { hostNamed } from "./host.ts"
import { doneIf, print, type Work } from "./print.ts"

/** `crawler reparse …` */
export const askReparse = ({ flags, words }: Extract<Command, { name: "reparse" }>): Work =>
  Effect.gen(function* () {
    const { reparse } = yield* Control
    const now = yield* Clock.currentTimeMillis
    const { host, json, limit, since, until } = flags
    const range = {
      ...(host === null ? {} : { host: hostNamed(host) }),
      ...(since === null ? {} : { since: instant(since, now) }),
      ...(until === null ? {} : { until: instant(until, now) }),
      ...(limit === null ? {} : { limit })
    }
    const inputs = words.length === 0 ? [range] : words.map((raw) => ({ raw, ...(limit === null ? {} : { limit }) }))
    const runs = yield* Effect.forEach(inputs, reparse)
    const sum = (of: "sent" | "superseded" | "truncated"): number => runs.reduce((total, it) => total + it[of], 0)
    const total = {
      runs: runs.map((it) => it.run),
      sent: sum("sent"),
      superseded: sum("superseded"),
      truncated: sum("truncated")
    }
    yield* print(
      json,
      total,
      () =>
        `${total.sent} pages wait to be read again, by the crawler that runs or the next \`crawler run\`; left out: ${total.superseded} with a later page of the same URL, ${total.truncated} cut short`
    )
    return doneIf(total.sent)
  })
