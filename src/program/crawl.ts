import { Clock, Context, Deferred, Duration, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import { looksOf } from "../domain/list.ts"
import { Frontier, Outputs, type Planned } from "../domain/ports.ts"
import { seedJob } from "../domain/seed.ts"
import type { HttpUrl } from "../domain/url.ts"
import { exitCode } from "../infra/exit.ts"
import { grouped, same } from "../infra/grouped.ts"
import { Halt } from "../infra/halt.ts"
import { drained } from "./pipeline.ts"

/** Link hops of a one-shot crawl: front page, sections, their pages, and room to spare; traps end earlier. */
const hopsMax = 10

/** Articles written together while the ones before are on their way. */
const linesMax = 100

/** What the limit of a one-shot crawl has let through: how many articles came, and which pages still wait. */
export class Quota extends Context.Service<
  Quota,
  {
    readonly limit: number
    taken: number
    delivered: number
    readonly seen: Set<string>
    /** Articles given out: a page met twice is one article. */
    readonly told: Set<string>
    /** Pages whose article another page had told already. */
    repeated: number
    readonly waiting: Array<Planned>
    /** Done when the last article wanted has been written: what is still under way or queued is no longer of use. */
    readonly full: Deferred.Deferred<void>
  }
>()("crawler/Quota") {
  static readonly layer = (limit: number) =>
    Layer.sync(Quota, () =>
      Quota.of({
        limit,
        taken: 0,
        delivered: 0,
        seen: new Set(),
        told: new Set(),
        repeated: 0,
        waiting: [],
        full: Deferred.makeUnsafe()
      })
    )
}

/** What somebody named is mostly a front page: it takes an article's place only where its address looks like one. */
const isFront = ({ job }: Planned): boolean =>
  job.follow.hops === hopsMax && looksOf(job.target.url, job.target.url) !== "article"
const mayBeArticle = (it: Planned): boolean =>
  it.job.target.type === "article" || (it.job.target.type === "auto" && !isFront(it))
const looksLikeList = ({ job }: Planned): boolean => job.priority.by === "category" && job.priority.value === "low"

/** Links known to a crawl with a limit; beyond them none is followed: an article of so many is found, or there is none. */
export const linksMax = 100_000

/** Lets through as many pages as articles are still wanted; the others wait, in case some turn out to be none. */
const admit = (quota: Quota["Service"], links: ReadonlyArray<Planned>): ReadonlyArray<Planned> =>
  links.filter((link) => {
    // The frontier itself knows what it has, and how much it may hold.
    if (!Number.isFinite(quota.limit)) return true
    if (quota.seen.has(link.url_key) || quota.seen.size >= linksMax) return false
    quota.seen.add(link.url_key)
    if (looksLikeList(link) || !mayBeArticle(link)) return true
    if (quota.taken < quota.limit) {
      quota.taken += 1
      return true
    }
    quota.waiting.push(link)
    return false
  })

/** The frontier and the outputs as a one-shot crawl with `--limit` sees them. */
export const limited = Layer.effectContext(
  Effect.gen(function* () {
    const quota = yield* Quota
    const frontier = yield* Frontier
    const outputs = yield* Outputs
    const enqueue: Frontier["Service"]["enqueue"] = Effect.fnUntraced(function* (links) {
      const admitted = admit(quota, links)
      const isFresh = yield* frontier.enqueue(admitted)
      const fresh = new Set(admitted.filter((_, at) => isFresh[at]))
      return links.map((it) => fresh.has(it))
    })
    const halt = yield* Halt
    // A running crawler waits for room; here somebody is waiting for the command.
    const giveUp = (it: Unavailable) => Effect.sync(() => halt(exitCode("disk"), `crawler: ${it.message}`))
    const write = yield* grouped(outputs.deliver, same, { max: linesMax, linger: Duration.zero })
    const deliver: Outputs["Service"]["deliver"] = (articles) => {
      const room = Math.max(0, quota.limit - quota.delivered)
      const wanted = articles.filter((it) => !quota.told.has(it.id)).slice(0, room)
      for (const it of wanted) quota.told.add(it.id)
      quota.delivered += wanted.length
      if (wanted.length === 0) {
        // Each page gives its article by itself; what a store of bounded size has forgotten comes as none.
        if (room > 0) quota.repeated += 1
        return Effect.void
      }
      const isLast = quota.delivered >= quota.limit
      const written = Effect.tapErrorTag(write(wanted), "Unavailable", giveUp)
      return isLast ? Effect.tap(written, () => Deferred.succeed(quota.full, undefined)) : written
    }
    return Frontier.context({ ...frontier, enqueue }).pipe(Context.add(Outputs, { enabled: true, deliver }))
  })
)

/** Crawls from these URLs until nothing is left to do or enough articles came. Answers how many came. */
export const crawl = Effect.fnUntraced(function* (urls: ReadonlyArray<HttpUrl>) {
  const quota = yield* Quota
  const frontier = yield* Frontier
  const now = yield* Clock.currentTimeMillis
  const seeding = { type: "auto", hops: hopsMax, lists: true, category: null, visit: 0 } as const
  yield* frontier.enqueue(urls.map((url) => seedJob(url, seeding, now)))
  const done = Effect.raceFirst(drained, Deferred.await(quota.full))
  yield* done
  while (quota.delivered < quota.limit && quota.waiting.length > 0) {
    const more = quota.waiting.splice(0, quota.limit - quota.delivered)
    quota.taken -= more.length
    for (const link of more) quota.seen.delete(link.url_key)
    yield* frontier.enqueue(more)
    yield* done
  }
  return quota.delivered
})
