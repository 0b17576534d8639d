import { Clock, Effect, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { Bus, Frontier, type Planned } from "../domain/ports.ts"
import type { Outgoing } from "../domain/topics.ts"
import { MemoryUrls, unseen } from "./urls.memory.ts"

/** Lines of (host, topic) remembered before those that lie in the past are forgotten: they no longer matter. */
const linesMax = 10_000

/**
 * The frontier of one process. Links that may go now are dealt due times one pace apart per (host, topic); a link that
 * may not go before a later instant (a revisit) keeps that instant and holds nobody up.
 */
export const layer: Layer.Layer<Frontier, never, Bus | MemoryUrls> = Layer.effect(
  Frontier,
  Effect.gen(function* () {
    const bus = yield* Bus
    const urls = yield* MemoryUrls
    /** When each (host, topic) has its next turn. */
    const lines = new Map<string, Millis>()
    // Not to be interrupted half way: a link known but not queued would never be crawled.
    const enqueue = Effect.fn("Frontier.enqueue")(function* (links: ReadonlyArray<Planned>) {
      const now = yield* Clock.currentTimeMillis
      const wasFull = urls.full()
      const isFresh = links.map((it) => !urls.full() && urls.plan(it.url_key, it.job.visit))
      const fresh = links.filter((_, at) => isFresh[at])
      if (lines.size > linesMax) for (const [line, due] of lines) if (due <= now) lines.delete(line)
      for (const it of fresh) remember(urls, it, now)
      yield* bus.publish(fresh.map((it) => message(it, deal(lines, it, now), now)))
      if (urls.full() && !wasFull)
        yield* Effect.logWarning("the frontier in memory is full: every further link is dropped; a store takes more")
      return isFresh
    }, Effect.uninterruptible)
    return Frontier.of({
      enqueue,
      known: (keys) => Effect.sync(() => new Set(keys.filter((it) => urls.planned(it, 0)))),
      // One process deals by the very gaps that it keeps.
      repace: () => Effect.void
    })
  })
)

const deal = (lines: Map<string, Millis>, link: Planned, now: Millis): Millis => {
  const line = `${link.topic} ${link.job.host}`
  const turn = Math.max(lines.get(line) ?? now, now)
  if (link.not_before > turn) return link.not_before
  lines.set(line, turn + link.pace_ms)
  return turn
}

const remember = (urls: MemoryUrls["Service"], { job, url_key }: Planned, now: Millis): void => {
  const known = urls.get(url_key) ?? unseen(url_key, job.target.url, job.host, now)
  urls.set({ ...known, visits: Math.max(known.visits, job.visit + 1) })
}

const message = ({ job, topic }: Planned, not_before: Millis, now: Millis): Outgoing => ({
  id: job.id,
  topic,
  key: job.host,
  occurred_at: now,
  attempt: 0,
  trace_id: job.id,
  headers: {},
  payload: job,
  not_before
})
