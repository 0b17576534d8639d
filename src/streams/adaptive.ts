import { Effect, Metric, Semaphore } from "effect"
import { concurrencyGauge } from "../domain/research/metrics.ts"
import { observed, permitsOf, startPace } from "../domain/research/pace.ts"

/** Requests in flight by the adaptive rule (S5.27): every answer is noted, every window of them may move the limit. */
export interface Adaptive {
  readonly permits: Semaphore.Semaphore
  readonly note: (failed: boolean) => Effect.Effect<void>
  /** Requests in flight that are allowed now. */
  readonly allowed: () => number
}

export const adaptive = (): Adaptive => {
  const permits = Semaphore.makeUnsafe(permitsOf(startPace))
  const state = { pace: startPace }
  const note = (failed: boolean) =>
    Effect.suspend(() => {
      const before = permitsOf(state.pace)
      state.pace = observed(state.pace, failed)
      const now = permitsOf(state.pace)
      return now === before ? Effect.void : Effect.andThen(permits.resize(now), Metric.update(concurrencyGauge, now))
    })
  return { permits, note, allowed: () => permitsOf(state.pace) }
}
