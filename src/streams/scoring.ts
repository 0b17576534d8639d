import { Clock, Duration, Effect, Metric, Option } from "effect"
import { scoringCycles, scoringSeconds } from "../domain/metrics.priority.ts"
import { Policy } from "../domain/policy.ts"
import { Board, Scoring, type Turn } from "../domain/priority.ports.ts"
import { type HostScore, judge, type Scale } from "../domain/score.ts"

/** A turn is looked for at least this often: a scorer that died is followed by another. */
const lookEvery = Duration.seconds(10)

/** A turn is shown for as long as so many more were due: longer, and another process has them. */
const shownTurns = 2

/** Scores of one turn, page by page: each is kept before the next is read, so nothing grows with the number of hosts. */
const scoreAll = Effect.fnUntraced(function* (turn: Turn, scale: Scale, top: number) {
  const scoring = yield* Scoring
  let after = ""
  let hosts = 0
  let scored = 0
  let most: ReadonlyArray<HostScore> = []
  let rest = { hosts: 0, sum: 0 }
  while (true) {
    const totals = yield* scoring.totals(turn, scale.window_ms, after)
    const last = totals.at(-1)
    if (last === undefined) return { hosts, scored, most, rest }
    after = last.host
    const scores = totals.map((it) => judge(it, scale))
    if (!(yield* scoring.save(turn, scale.window_ms, scores))) return null
    const known = scores.filter((it) => it.score !== null)
    hosts += scores.length
    scored += known.length
    const ranked = [...most, ...known].sort((a, b) => b.samples - a.samples)
    most = ranked.slice(0, top)
    const others = ranked.slice(top)
    rest = { hosts: rest.hosts + others.length, sum: others.reduce((sum, it) => sum + (it.score ?? 0), rest.sum) }
  }
})

/**
 * One look for a turn, and the turn if it is ours: every host with signals in the window is scored anew. A read or write
 * that fails ends the turn; what was kept before stays, and fades only when it is older than its window.
 */
export const cycle = Effect.fn("Scoring.cycle")(function* () {
  const scoring = yield* Scoring
  const { scoring: numbers } = yield* Policy
  const board = yield* Effect.serviceOption(Board)
  const turn = yield* scoring.begin(Duration.toMillis(numbers.interval))
  if (turn === null) return null
  const start = yield* Clock.currentTimeMillis
  const done = yield* scoreAll(turn, numbers.scale, numbers.hostLabels).pipe(
    Effect.tapError(() => Metric.update(scoringCycles("failed"), 1)),
    Effect.onError(() => Effect.ignore(scoring.end(turn, numbers.scale.window_ms, null)))
  )
  if (done === null) {
    yield* Metric.update(scoringCycles("lost"), 1)
    yield* Effect.logWarning(`scoring turn ${turn.epoch} was taken over by another process`)
    return null
  }
  const { hosts, scored } = done
  yield* scoring.end(turn, numbers.scale.window_ms, { hosts, scored })
  const took = (yield* Clock.currentTimeMillis) - start
  yield* Metric.update(scoringSeconds, took / 1000)
  yield* Metric.update(scoringCycles("done"), 1)
  if (Option.isSome(board)) {
    const top = done.most.map(({ host, score, samples }) => ({ host, score: score ?? 0, samples }))
    const mean = done.rest.hosts === 0 ? null : done.rest.sum / done.rest.hosts
    yield* board.value.show(
      { top, others: done.rest.hosts, othersMean: mean },
      shownTurns * Duration.toMillis(numbers.interval) + Duration.toMillis(lookEvery)
    )
  }
  yield* Effect.logDebug(`scored ${scored} of ${hosts} hosts in ${took} ms`)
  return { hosts, scored }
})

/** Scores every SCORING_INTERVAL, one process of all; others look whether it still does. */
export const scoring = Effect.gen(function* () {
  const { scoring: numbers } = yield* Policy
  const pause = Duration.min(numbers.interval, lookEvery)
  return yield* cycle().pipe(
    Effect.catch((error) => Effect.logWarning(`scoring waits, the last scores hold: ${error.message}`)),
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever
  )
})
