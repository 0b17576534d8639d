import { Clock, Effect, Option } from "effect"
import { Postponed } from "../domain/errors.ts"
import { looksWritten } from "../domain/extract/kind.ts"
import type { Fetched } from "../domain/fetching.ts"
import { Policy } from "../domain/policy.ts"
import { Frontier, Pages, Reader } from "../domain/ports.ts"
import type { Hints, Reading } from "../domain/reading.ts"
import { isReparse } from "../domain/reparse.ts"
import {
  type HostTraits,
  isFront,
  isProbe,
  isSamePrint,
  isSentHome,
  printOf,
  probeEveryMs,
  probeOf,
  Traits
} from "../domain/traits.ts"
import { steadfast, stored, type Work } from "./stage.ts"

type Evidence = Reading["evidence"]

/** How long pages in doubt wait for what a probe says (ms). A host that does not answer holds nobody up for longer. */
const patienceMs = 10_000

const reasonsOf = ({ evidence }: Reading): Record<string, number> | null => {
  const { reasons } = evidence
  return typeof reasons === "object" && reasons !== null
    ? Object.fromEntries(Object.entries(reasons).filter((it): it is [string, number] => typeof it[1] === "number"))
    : null
}

/** The front page's looks, once a day: what an address that is gone often shows. */
const learnHome = Effect.fnUntraced(function* ({ raw }: Fetched, hints: Hints) {
  const traits = yield* Traits
  const reader = yield* Reader
  const now = yield* Clock.currentTimeMillis
  const { home_at } = yield* steadfast(traits.of(raw.host))
  if (raw.status !== 200 || (home_at !== null && now - home_at < probeEveryMs)) return
  const page = yield* steadfast((yield* Pages).raw(raw.id))
  if (page === null) return
  const { content } = yield* steadfast(
    reader.read(`${raw.id}~home`, page.body, { ...hints, expected: "article" }, null)
  )
  yield* steadfast(traits.learn(raw.host, { home: content === null ? null : printOf(content), home_at: now }))
})

/** What a host answers for an address that it cannot have. */
const learnMissing = Effect.fnUntraced(function* ({ raw }: Fetched, { content }: Reading) {
  const traits = yield* Traits
  const says = raw.status >= 400 || isSentHome(raw) || content === null
  yield* steadfast(traits.learn(raw.host, { missing: says ? null : printOf(content), probed_at: raw.fetched_at }))
})

/** Asks a host once a day; pages that are in doubt meanwhile wait a little for the answer. */
const probe = Effect.fnUntraced(function* ({ raw }: Fetched, { missing: print, probed_at }: HostTraits) {
  const now = yield* Clock.currentTimeMillis
  const traits = yield* Traits
  if (probed_at === null || now - probed_at >= probeEveryMs) {
    const planned = probeOf(raw, now)
    if (planned === null) return
    yield* steadfast(traits.learn(raw.host, { probed_at: now }))
    yield* stored((yield* Frontier).enqueue([planned]))
    return yield* waits(now)
  }
  if (print === null && now - probed_at < patienceMs) return yield* waits(probed_at)
})
const waits = (from: number) =>
  new Postponed({ code: "probe", message: "what the host answers for no page", until: from + patienceMs })

/**
 * Why a page is not there though its status says it is: it was led to the front, or shows what its host shows for every
 * address it does not have. `ended`: a probe, which ends here. The front itself is never missing.
 * @source field case B33
 */
export const missing = Effect.fnUntraced(function* (work: Work<Fetched>, reading: Reading, hints: Hints) {
  const { job, raw } = work.value
  const traits = Option.getOrNull(yield* Effect.serviceOption(Traits))
  if (isProbe(job)) {
    if (traits !== null) yield* Effect.provideService(learnMissing(work.value, reading), Traits, traits)
    return "ended" as const
  }
  const expected = job.target.type === "article"
  if (expected && isSentHome(raw)) return { redirected: raw.final_url } satisfies Evidence
  if (traits === null || isReparse(job)) return null
  const asks = traits.probes && (yield* Policy).conditional
  if (isFront(raw)) {
    if (asks && job.target.type === "list") yield* Effect.provideService(learnHome(work.value, hints), Traits, traits)
    return null
  }
  if (!expected || reading.content === null || reading.verdict !== "ok") return null
  const known = yield* steadfast(traits.of(raw.host))
  const reasons = reasonsOf(reading)
  const doubted = reasons !== null && !looksWritten(reasons)
  if (known.missing !== null || known.home !== null) {
    const shown = printOf(reading.content)
    for (const like of ["missing", "home"] as const) {
      const print = known[like]
      if (print !== null && (doubted || print.title === shown.title) && isSamePrint(shown, print)) return { like }
    }
  }
  if (doubted && asks) yield* Effect.provideService(probe(work.value, known), Traits, traits)
  return null
})
