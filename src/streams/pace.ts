import { Effect } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { Frontier, Hosts } from "../domain/ports.ts"
import { paceHeader } from "../domain/topics.ts"
import { steadfast, type Work } from "./stage.ts"

/**
 * A host's pace is decided where its slot is. A message whose due time was dealt by another gap than the one in force here tells
 * of a whole line like it: too wide, and the host would stay slow; too narrow, and all of it would come at once. So what waits is
 * dealt out anew by the gap in force.
 */
export const keepPace = Effect.fnUntraced(function* ({ envelope: { headers, key } }: Work<CrawlJob>) {
  const dealt = headers[paceHeader]
  if (dealt === undefined) return
  const gap = yield* steadfast(Hosts.use((it) => it.delay(key)))
  if (Number(dealt) !== gap) yield* steadfast(Frontier.use((it) => it.repace(key, gap)))
})
