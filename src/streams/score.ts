import { Effect, Option } from "effect"
import type { Parsed, Scored } from "../domain/flow.ts"
import type { Policy } from "../domain/policy.ts"
import { type Signal, Signals } from "../domain/ports.ts"
import type { HostFacts } from "../domain/priority.facts.ts"
import { Scores } from "../domain/priority.ports.ts"
import { isReparse } from "../domain/reparse.ts"
import { parseHttpUrl } from "../domain/url.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"

/** The host under which the router looks for a link's facts; links that it leaves out have none. */
const hostOf = (url: string): ReadonlyArray<string> => {
  const parsed = parseHttpUrl(url, { anyPort: true })
  return parsed._tag === "Success" ? [parsed.success.hostname] : []
}

/** Hosts whose facts the router needs: those of the links, and the page's own for its next visit. */
export const hostsOf = ({ article, job, links }: Parsed): ReadonlyArray<string> => [
  ...new Set([...(article === null ? [] : [job.host]), ...links.flatMap((it) => hostOf(it.url))])
]

/**
 * What one parsed page says of its host (S1.4–S1.9). Lists, feeds and sitemaps are no samples: polls have a topic of their
 * own and no priority to earn; a page that is only read again was counted when it came.
 */
export const signalsOf = ({ job, kind, raw, article, rejected }: Parsed): ReadonlyArray<Signal> => {
  if (isReparse(job)) return []
  const base = {
    host: job.host,
    at: raw.fetched_at,
    fetcher: raw.fetcher,
    status: raw.status,
    latency_ms: raw.elapsed_ms,
    lag_ms: null,
    category: job.target.category ?? null
  }
  const fetched: Signal = { ...base, kind: "fetch" }
  if (article !== null) {
    const passed: Signal = { ...base, kind: "article" }
    const detected: Signal = { ...base, kind: "detected", lag_ms: article.lag_ms }
    return article.saved === "new" ? [fetched, passed, detected] : [fetched, passed]
  }
  if (rejected.length > 0) return [fetched, { ...base, kind: "rejected" }]
  return kind === "article" ? [fetched] : []
}

const observe = Effect.fnUntraced(function* ({ value: page }: Work<Parsed>) {
  const signals = signalsOf(page)
  if (signals.length > 0) yield* stored((yield* Signals).record(signals))
  const hosts = hostsOf(page)
  const facts = hosts.length === 0 ? new Map<string, HostFacts>() : yield* steadfast((yield* Scores).facts(hosts))
  return Option.some<Scored>({ ...page, scores: Object.fromEntries(facts) })
})

/** Records the host signals of each page and attaches the facts that the priority chain needs. */
export const score = (policy: Policy["Service"]): Stage<Parsed, Scored, Scores | Signals> =>
  stage("scorer", policy.fetchConcurrency, observe)
