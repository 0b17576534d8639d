import { Clock, Effect } from "effect"
import type { CrawlJob, Millis } from "../domain/crawl.ts"
import { setLatest } from "../domain/latest.ts"
import { Frontier, Hosts } from "../domain/ports.ts"
import { paceHeader } from "../domain/topics.ts"
import { steadfast, type Work } from "./stage.ts"

/** A host's line is not dealt out by the same gap more often than this, ms: who fetches elsewhere by another gap deals it out as well. */
const againMs = 10_000
/** Hosts remembered, those whose lines were dealt out last. */
const hostsMax = 10_000

/** By which gap each host's line was dealt out here last, and when. */
export type Dealt = Map<string, { readonly gap: number; readonly at: Millis }>

const isDue = (dealt: Dealt, host: string, gap: number, now: Millis): boolean => {
  const last = dealt.get(host)
  return last?.gap !== gap || now - last.at >= againMs
}

/**
 * A host's pace is decided where its slot is. A message whose due time was dealt by another gap than the one in force here tells
 * of a whole line like it: too wide, and the host would stay slow; too narrow, and all of it would come at once. So what waits is
 * dealt out anew by the gap in force.
 */
export const keepPace = Effect.fnUntraced(function* (
  dealt: Dealt,
  { envelope: { headers, key } }: Pick<Work<CrawlJob>, "envelope">
) {
  const by = headers[paceHeader]
  if (by === undefined) return
  const gap = yield* steadfast(Hosts.use((it) => it.delay(key)))
  const now = yield* Clock.currentTimeMillis
  if (Number(by) === gap || !isDue(dealt, key, gap, now)) return
  setLatest(dealt, key, { gap, at: now }, hostsMax)
  yield* steadfast(Frontier.use((it) => it.repace(key, gap)))
})
