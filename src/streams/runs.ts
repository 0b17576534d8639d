import { Clock, Duration, Effect, Metric } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { runSeconds } from "../domain/metrics.ts"
import { Policy } from "../domain/policy.ts"
import { Frontier, type Planned } from "../domain/ports.ts"
import { isAlarming, listPageOf, type RunFacts, Runs, runOutcome } from "../domain/runs.ts"
import { steadfast, stored } from "./stage.ts"

/** How often runs that are over are looked for. */
const every = Duration.seconds(10)

/** The URLs of a list page in its order, each once, and which of them were known before it. */
export const linksKnown = Effect.fnUntraced(function* (job: CrawlJob, plans: ReadonlyArray<Planned>) {
  if (listPageOf(job) === null) return null
  const keys = [...new Set(plans.map((it) => it.url_key))]
  const known = yield* steadfast(Frontier.use((it) => it.known(keys)))
  return { keys, known }
})

/** Notes that a list page answered; `links` null: it has not changed. Other pages are no part of a run. */
export const listAnswered = Effect.fnUntraced(function* (
  job: CrawlJob,
  links: number | null,
  fresh: ReadonlyArray<string>
) {
  const page = listPageOf(job)
  if (page === null) return
  const at = yield* Clock.currentTimeMillis
  yield* stored(Runs.use((it) => it.answered({ ...page, at, links, fresh })))
})

const tell = Effect.fnUntraced(function* (run: RunFacts, now: number) {
  const outcome = runOutcome(run)
  const seconds = Math.max(0, (run.last_at ?? now) - run.due_at) / 1000
  yield* Metric.update(runSeconds(outcome), seconds)
  const { answered, fresh, host, lists, saved } = run
  const facts = `${answered} of ${lists} lists answered, ${fresh} new links, ${saved} articles`
  if (isAlarming(outcome)) yield* Effect.logWarning(`run of ${host}: ${outcome}: ${facts}`)
  else yield* Effect.logDebug(`run of ${host}: ${outcome}: ${facts}`)
})

/** Ends runs that are over or late, and says what they came to. Answers how many. */
export const closeDue = Effect.gen(function* () {
  const { crawl } = yield* Policy
  const now = yield* Clock.currentTimeMillis
  const ended = yield* steadfast(Runs.use((it) => it.close(now, Duration.toMillis(crawl.runMax))))
  yield* Effect.forEach(ended, (it) => tell(it, now), { discard: true })
  return ended.length
})

/** Closes runs until the scope ends. */
export const closeRuns = Effect.andThen(closeDue, Effect.sleep(every)).pipe(Effect.forever)
