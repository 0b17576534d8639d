import { Clock, Duration, Effect } from "effect"
import { Policy } from "../domain/policy.ts"
import { Pages, Sources } from "../domain/ports.ts"
import { listPageOf, Runs } from "../domain/runs.ts"
import { pollJob, restedSlot } from "../domain/slots.ts"
import type { Source } from "../domain/source.ts"
import { schemaVersion } from "../domain/topics.ts"
import { normaliseUrl, urlKey } from "../domain/url.ts"
import { steadfast, stored } from "./stage.ts"

/** Sources looked at in one tick; more wait for the next. */
const dueMax = 500

const pollMessage = (source: Source, slot: number, now: number, backlog_ms: number, pagesMax: number) => {
  const job = pollJob(source, slot, backlog_ms, pagesMax)
  return {
    id: job.id,
    topic: "crawl.poll" as const,
    key: job.host,
    occurred_at: now,
    attempt: 0,
    trace_id: job.id,
    headers: { schema: String(schemaVersion) },
    payload: job,
    not_before: now
  }
}

/** Did the last poll of this source find nothing new? A cron's times are its operator's, so nobody asks. */
const isUnchanged = Effect.fnUntraced(function* (source: Source) {
  if (source.cron !== null || source.polled_at === null) return false
  const record = yield* steadfast(Pages.use((it) => it.url(urlKey(normaliseUrl(source.url)))))
  return record?.status === 304
})

/** Fires what is due: one poll per (source, slot), across any number of schedulers. Answers how many. */
export const tick = Effect.fnUntraced(function* () {
  const sources = yield* Sources
  const { crawl, pollStretch, sourceBacklog } = yield* Policy
  const now = yield* Clock.currentTimeMillis
  const due = yield* steadfast(sources.due(now, dueMax))
  if (due.length === 0) return 0
  const backlog = Duration.toMillis(sourceBacklog)
  const polls = yield* Effect.forEach(due, (source) =>
    Effect.map(isUnchanged(source), (unchanged) => {
      const slot = source.next_poll_at
      const next = restedSlot(source, now, unchanged, pollStretch)
      return { source, slot, next, message: pollMessage(source, slot, now, backlog, crawl.maxPages) }
    })
  )
  // Before the polls go out: a run is expected even if this process ends here, and expecting it twice is expecting it once.
  const lists = polls.flatMap(({ message }) => listPageOf(message.payload) ?? [])
  if (lists.length > 0) yield* stored(Runs.use((it) => it.due(lists, now)))
  return yield* stored(sources.fire(polls))
})

/** Fires due sources every SCHEDULER_TICK until told to stop. */
export const schedule = Effect.gen(function* () {
  const { schedulerTick } = yield* Policy
  return yield* tick().pipe(
    Effect.catch((error) => Effect.logError(`a poll could not be stored: ${error.message}`)),
    Effect.andThen(Effect.sleep(schedulerTick)),
    Effect.forever
  )
})
