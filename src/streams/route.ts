import { Clock, Duration, Effect, Metric, Option } from "effect"
import type { Scored } from "../domain/flow.ts"
import { planLinks, planRevisit } from "../domain/links.ts"
import { priorityDecisions } from "../domain/metrics.priority.ts"
import { links as linkCount, traps } from "../domain/metrics.ts"
import { Policy } from "../domain/policy.ts"
import { type Bus, Frontier, Hosts, Outputs, Pages, type Planned, type Sources } from "../domain/ports.ts"
import { isReparse } from "../domain/reparse.ts"
import type { Runs } from "../domain/runs.ts"
import { linksPerMessageMax } from "../domain/topics.ts"
import { trapReason } from "../domain/url.ts"
import { seenOf } from "./fetch.ts"
import { offerSummary } from "./offer.ts"
import { turnPage } from "./paging.ts"
import { notePoll, tellPoll } from "./polls.ts"
import { linksKnown, listAnswered } from "./runs.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"

/** Gives a finished article to whoever listens; a duplicate is stored already and tells nobody anything. */
const deliver = Effect.fnUntraced(function* ({ article }: Scored) {
  const outputs = yield* Outputs
  const { deliverKnown } = yield* Policy
  if (!outputs.enabled || article === null || (article.saved === "duplicate" && !deliverKnown)) return
  const articles = yield* steadfast((yield* Pages).articles({ ids: [article.id], limit: 1 }))
  yield* steadfast(outputs.deliver(articles))
})

/** Each host's due times are dealt out at its own pace, so that its queue never grows faster than it may be fetched. */
const pace = Effect.fnUntraced(function* (plans: ReadonlyArray<Planned>) {
  const hosts = yield* Hosts
  const names = [...new Set(plans.map((it) => it.job.host))]
  const delays = yield* Effect.forEach(names, (host) => steadfast(hosts.delay(host)))
  const known = new Map(names.map((host, at) => [host, delays[at] ?? 0]))
  return plans.map((it) => ({ ...it, pace_ms: known.get(it.job.host) ?? 0 }))
})

/** What a poll came to. One without a link to follow is told, also where there are links: without articles among them there is nothing to do. */
const tellLinks = (work: Work<Scored>, followed: number, fresh: number) => {
  const { job, links, raw } = work.value
  if (links.length === 0) return tellPoll(work, "nothing_found", `${raw.final_url} holds no link`)
  const isOfUse = job.follow.lists || links.some((it) => it.looks === "article" || it.looks === "sitemap")
  return isOfUse
    ? notePoll(work, {
        outcome: "found",
        message: `links to follow: ${followed}, new: ${fresh}`,
        links: followed,
        fresh
      })
    : tellPoll(
        work,
        "nothing_found",
        `${raw.final_url} holds ${links.length} links, none of which looks like an article's`
      )
}

/**
 * A page nobody knew the kind of, that is no article and leads nowhere, ends here: what became of it is kept, as of every page that ends
 * without an article. A poll's own page is told of by its source.
 */
const deadEnd = Effect.fnUntraced(function* ({ article, job, kind, links, raw, rejected, verdict }: Scored) {
  if (article !== null || rejected.length > 0 || job.target.type !== "auto" || isReparse(job)) return
  const evidence = { status: raw.status, kind, links: links.length }
  const record = { raw_id: raw.id, url: job.target.url, host: job.host, verdict, evidence, codes: ["nothing_found"] }
  yield* stored((yield* Pages).saveOutcomes([{ ...record, at: raw.fetched_at }]))
})

/** Only now may a later fetch of this URL be answered with "unchanged": everything that follows from it is stored. */
const followedThrough = Effect.fnUntraced(function* ({ job, raw }: Scored) {
  yield* stored((yield* Pages).saveValidators([seenOf(job, raw)]))
})

const routePage = Effect.fnUntraced(function* (work: Work<Scored>) {
  const { value: page } = work
  const frontier = yield* Frontier
  const { revisits } = yield* Policy
  const now = yield* Clock.currentTimeMillis
  yield* deliver(page)
  if (page.article !== null) yield* offerSummary(page.article)
  const again = page.article === null ? [] : planRevisit(page, revisits.map(Duration.toMillis), now)
  const followed = planLinks(page, now)
  yield* Metric.update(linkCount("followed"), followed.length)
  yield* Metric.update(traps, page.links.filter((it) => trapReason(it.url) !== null).length)
  yield* Metric.update(linkCount("unfollowed"), page.links.length - followed.length)
  const links = yield* linksKnown(page.job, followed)
  if (links !== null) {
    yield* turnPage(page.job, links)
    yield* listAnswered(
      page.job,
      page.links.filter((it) => it.looks === "article").length,
      links.keys.filter((it) => !links.known.has(it))
    )
  }
  const plans = [...followed, ...again]
  for (const { job } of plans) yield* Metric.update(priorityDecisions(job.priority.value, job.priority.by), 1)
  const paced = plans.length === 0 ? [] : yield* pace(plans)
  let fresh = 0
  for (let from = 0; from < paced.length; from += linksPerMessageMax) {
    const part = paced.slice(from, from + linksPerMessageMax)
    fresh += (yield* stored(frontier.enqueue(part))).filter(Boolean).length
  }
  if (page.more === undefined) {
    if (followed.length === 0) yield* deadEnd(page)
    yield* tellLinks(work, followed.length, fresh)
  }
  if (!isReparse(page.job)) yield* followedThrough(page)
  return Option.none<never>()
})

/** Feeds outputs, drops links already known, resolves each new link's priority and enqueues it at its host's pace. */
export const router = (
  policy: Policy["Service"]
): Stage<Scored, never, Bus | Frontier | Hosts | Outputs | Pages | Policy | Runs | Sources> =>
  stage("router", policy.fetchConcurrency, routePage)
