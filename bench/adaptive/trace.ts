import { Effect } from "effect"
import { observed, permitsOf, startPace, windowSize } from "../../src/domain/research/pace.ts"
import { adaptive } from "../../src/streams/adaptive.ts"

/** Error rates of the trace, percent: none, few, between the limits, many. */
export const rates = [0, 0.5, 3, 10] as const
/** Windows of a trace. */
export const windows = 12

export interface Trace {
  readonly rate: number
  /** Requests in flight allowed after each window; the first is where it starts. */
  readonly allowed: ReadonlyArray<number>
  /** Most requests seen in flight during each window. */
  readonly seen: ReadonlyArray<number>
}

/** Errors spread evenly, so that a trace is about the rule and not about chance. */
const fails = (at: number, rate: number): boolean => Math.floor((at * rate) / 100) > Math.floor(((at - 1) * rate) / 100)

/** Drives the limiter of the researcher with requests that fail at this rate, always more waiting than it lets through. */
export const trace = (rate: number): Effect.Effect<Trace> =>
  Effect.gen(function* () {
    const pace = adaptive()
    const allowed = [permitsOf(startPace)]
    const seen: Array<number> = []
    for (let window = 0; window < windows; window++) {
      let flying = 0
      let most = 0
      const request = (at: number) =>
        pace.permits.withPermit(
          Effect.gen(function* () {
            flying += 1
            most = Math.max(most, flying)
            yield* Effect.yieldNow
            yield* Effect.yieldNow
            flying -= 1
            yield* pace.note(fails(window * windowSize + at, rate))
          })
        )
      const all = Array.from({ length: windowSize }, (_, at) => request(at + 1))
      yield* Effect.all(all, { concurrency: "unbounded" })
      seen.push(most)
      allowed.push(pace.allowed())
    }
    return { rate, allowed, seen }
  })

/** What the rule alone says, request by request: the line that is drawn in the docs, and that a trace must follow. */
export const computed = (rate: number): ReadonlyArray<number> => {
  let pace = startPace
  const allowed = [permitsOf(pace)]
  for (let at = 1; at <= windows * windowSize; at++) {
    pace = observed(pace, fails(at, rate))
    if (at % windowSize === 0) allowed.push(permitsOf(pace))
  }
  return allowed
}
