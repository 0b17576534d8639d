import { Clock, Effect } from "effect"
import type { CrawlJob, Millis } from "../domain/crawl.ts"
import { Fatal } from "../domain/errors.ts"
import { addressOf } from "../domain/flow.ts"
import { setLatest } from "../domain/latest.ts"
import { type Delivery, Sources } from "../domain/ports.ts"
import { polledBy } from "../domain/slots.ts"
import type { PollResult } from "../domain/source.ts"
import { steadfast } from "./stage.ts"

/** The first page of a poll, on its way through the stages or tried again; further pages end somewhere by themselves. */
const firstPage = /^([^@]+)@\d+(?:>[a-z]+)*(?:~|$)/

/** Notes what a poll came to; for what is no poll's first page, nothing. */
export const notePoll = Effect.fnUntraced(function* ({ envelope }: Delivery, result: Omit<PollResult, "at">) {
  const source = firstPage.exec(envelope.id)?.[1]
  if (source === undefined) return
  const at = yield* Clock.currentTimeMillis
  yield* steadfast(Sources.use((it) => it.ended(source, { ...result, at })))
})

/** A source that brings nothing is its operator's business: each poll that fails, or ends without links, is told and noted. */
export const tellPoll = Effect.fnUntraced(function* (delivery: Delivery, outcome: string, message: string) {
  const { id, payload } = delivery.envelope
  const source = firstPage.exec(id)?.[1]
  if (source === undefined) return
  yield* Effect.logWarning(`source ${source} (${addressOf(payload) ?? "?"}): ${outcome}: ${message}`)
  yield* notePoll(delivery, { outcome, message, links: null, fresh: null })
})

/** Sources whose last poll is remembered, the latest ones; of another a poll that piled up is asked for nothing, and no more. */
export const polledMax = 10_000
/** The slot of each source that was polled last, and when. */
export type Polled = Map<string, { readonly slot: Millis; readonly at: Millis }>

/**
 * A poll that waited for its host while a later look at the same source began has nothing more to find: polls that piled up
 * behind a pause are one request, not one each. A poll's own retry is no other poll.
 */
const isOvertaken = (polled: Polled, source: string, { id, scheduled_at: slot }: CrawlJob, now: Millis): boolean => {
  if (id !== `${source}@${slot}`) return false
  const last = polled.get(source)
  if (last !== undefined && last.slot !== slot && slot < last.at) return true
  setLatest(polled, source, { slot, at: now }, polledMax)
  return false
}

/** Why nobody wants this poll any more, though it was queued; null: it is asked, as is what is no poll. */
export const unasked = Effect.fnUntraced(function* (polled: Polled, job: CrawlJob) {
  const source = polledBy(job)
  if (source === null) return null
  const known = yield* steadfast(Sources.use((it) => it.find(source)))
  const overtaken = isOvertaken(polled, source, job, yield* Clock.currentTimeMillis)
  const why =
    known === null ? "was removed" : known.enabled ? (overtaken ? "was polled later already" : null) : "is disabled"
  return why === null ? null : new Fatal({ code: "unasked", message: `not asked: source ${source} ${why}` })
})
