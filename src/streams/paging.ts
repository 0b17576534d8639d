import { Clock, Duration, Effect, Metric, Random } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { listPages } from "../domain/metrics.ts"
import { nextPage } from "../domain/paging.ts"
import { Policy } from "../domain/policy.ts"
import { Bus } from "../domain/ports.ts"
import { schemaVersion } from "../domain/topics.ts"
import { stored } from "./stage.ts"

/** The URLs of a page in its order, each once, and those that were known. */
interface Links {
  readonly keys: ReadonlyArray<string>
  readonly known: ReadonlySet<string>
}

/**
 * Asks for a section's next list page while its links are new (S3.21). It goes out before the page's links are known to the
 * frontier: a crash in between decides again on the same facts, and the same page asked for twice is one message.
 */
export const turnPage = Effect.fnUntraced(function* (job: CrawlJob, { keys, known }: Links) {
  if (job.paging === undefined) return
  const { crawl } = yield* Policy
  const next = nextPage(
    job,
    keys.map((it) => known.has(it)),
    crawl.stopAfterSeenStreak
  )
  yield* Metric.update(listPages(next === null ? "last" : "turned"), 1)
  if (next === null) return
  const now = yield* Clock.currentTimeMillis
  const [least, most] = [Duration.toMillis(crawl.sleepMin), Duration.toMillis(crawl.sleepMax)]
  const sleep = least + Math.round((yield* Random.next) * Math.max(0, most - least))
  const message = {
    id: next.id,
    topic: "crawl.poll" as const,
    key: next.host,
    occurred_at: now,
    attempt: 0,
    trace_id: next.id,
    headers: { schema: String(schemaVersion) },
    payload: next,
    not_before: now + sleep
  }
  yield* stored(Bus.use((it) => it.publish([message])))
})
