import { Effect, Option } from "effect"
import type { Parsed, Scored } from "../domain/flow.ts"
import type { Policy } from "../domain/policy.ts"
import { type Signal, Signals } from "../domain/ports.ts"
import { type Stage, stage, stored, type Work } from "./stage.ts"

/** What one parsed page says of its host (S1.4–S1.9). */
export const signalsOf = ({ job, raw, article, rejected }: Parsed): ReadonlyArray<Signal> => {
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
  return rejected.length > 0 ? [fetched, { ...base, kind: "rejected" }] : [fetched]
}

const observe = Effect.fnUntraced(function* ({ value: page }: Work<Parsed>) {
  yield* stored((yield* Signals).record(signalsOf(page)))
  return Option.some<Scored>({ ...page, scores: {} })
})

/** Records the host signals of each page and attaches the facts that the priority chain needs. */
export const score = (policy: Policy["Service"]): Stage<Parsed, Scored, Signals> =>
  stage(policy.fetchConcurrency, observe)
