import { Option } from "effect"
import type { CrawlJob, TargetType } from "./crawl.ts"
import type { Scored } from "./flow.ts"
import type { Planned } from "./ports.ts"
import { chainFacts, type HostFacts } from "./priority.facts.ts"
import { isListing, noFacts, prioritise } from "./priority.ts"
import type { Link } from "./reading.ts"
import { isReparse } from "./reparse.ts"
import { crawlTopic } from "./topics.ts"
import { normaliseUrl, parseHttpUrl, registrableDomain, trapReason, urlKey } from "./url.ts"

const targets: Readonly<Record<Link["looks"], TargetType>> = {
  article: "article",
  list: "list",
  feed: "feed",
  sitemap: "sitemap",
  other: "auto"
}

/** Is this link one to follow from this job? The rules of `Follow`, and no trap. */
const wanted = (job: CrawlJob, link: Link, host: string): boolean => {
  const { within, lists, since } = job.follow
  const near = within === null || registrableDomain(host) === within
  const kind = link.looks === "article" || link.looks === "sitemap" || lists
  const dated = link.published_at === null ? null : Date.parse(link.published_at)
  const fresh = since === null || dated === null || dated >= since
  return near && kind && fresh && trapReason(link.url) === null
}

/** A page given to every poll anew (a child sitemap) is another visit; an article is taken once. */
const visitOf = (parent: CrawlJob, type: TargetType): number =>
  type === "sitemap" || type === "feed" ? parent.visit : 0

const pathOf = (url: string): string => {
  const parsed = parseHttpUrl(url, { anyPort: true })
  return parsed._tag === "Failure" ? "" : parsed.success.path
}

/** The priority of a job as the chain has it now: its own facts, and what is known of its host. */
const priorityOf = (job: Pick<CrawlJob, "target" | "source_priority">, listing: boolean, host: HostFacts | undefined) =>
  prioritise({
    ...noFacts,
    listing,
    category: Option.fromNullishOr(job.target.category),
    source: Option.fromNullishOr(job.source_priority),
    ...chainFacts(host, host === undefined || host.rules.length === 0 ? "" : pathOf(job.target.url))
  })

/** A planned job as the chain sees it now, whatever decided it before. */
export const reprioritise = (planned: Planned, host: HostFacts | undefined): Planned => {
  const priority = priorityOf(planned.job, isListing(planned.job.target.type), host)
  return { ...planned, job: { ...planned.job, priority }, topic: crawlTopic(priority.value) }
}

const jobOf = (page: Scored, link: Link, host: string, now: number): Planned => {
  const { job } = page
  // A guess from a URL alone is only a guess where lists are followed too: there the document decides.
  const guess = targets[link.looks]
  const type = job.follow.lists && (guess === "article" || guess === "list") ? "auto" : guess
  const visit = visitOf(job, type)
  const url_key = urlKey(normaliseUrl(link.url))
  const { category, country, zone, section } = job.target
  const target: CrawlJob["target"] = {
    url: link.url,
    type,
    ...(category === undefined ? {} : { category }),
    ...(country === undefined ? {} : { country }),
    ...(zone === undefined ? {} : { zone }),
    ...(section === undefined ? {} : { section }),
    ...(link.title === null ? {} : { title: link.title }),
    ...(link.published_at === null ? {} : { published_at: link.published_at })
  }
  const asked = job.source_priority ?? (job.priority.by === "source" ? job.priority.value : undefined)
  const wish = asked === undefined ? {} : { source_priority: asked }
  // By what its URL looks like: `type` may leave that open.
  const priority = priorityOf({ target, ...wish }, isListing(guess), page.scores[host])
  const child: CrawlJob = {
    id: `${url_key}.${visit}`,
    source_id: job.source_id,
    target,
    host,
    priority,
    ...wish,
    fetcher: "auto",
    follow: { ...job.follow, hops: job.follow.hops - 1 },
    visit,
    scheduled_at: now,
    retry_count: 0
  }
  return { job: child, url_key, topic: crawlTopic(priority.value), pace_ms: 0, not_before: now }
}

/**
 * The links of a page that are worth a visit, each as a job with its priority. Links that no crawler may take (scheme,
 * user name, port, trap) are left out; `pace_ms` is filled by the router, who knows the host's delay.
 */
export const planLinks = (page: Scored, now: number): ReadonlyArray<Planned> =>
  page.links.flatMap((link) => {
    const url = parseHttpUrl(link.url, { anyPort: true })
    if (url._tag === "Failure") return []
    return wanted(page.job, link, url.success.hostname) ? [jobOf(page, link, url.success.hostname, now)] : []
  })

/**
 * The next visit of an article, or nothing when it was visited often enough (ARTICLE_REVISITS). Its priority is decided
 * anew: a retry's Normal, or a score of yesterday, says nothing of tomorrow.
 */
export const planRevisit = (
  { job, scores }: Pick<Scored, "job" | "scores">,
  revisits: ReadonlyArray<number>,
  now: number
): ReadonlyArray<Planned> => {
  const wait = isReparse(job) ? undefined : revisits[job.visit]
  if (wait === undefined) return []
  const url_key = urlKey(normaliseUrl(job.target.url))
  const visit = job.visit + 1
  const next: CrawlJob = { ...job, id: `${url_key}.${visit}`, visit, retry_count: 0, scheduled_at: now + wait }
  const planned = { job: next, url_key, topic: crawlTopic(job.priority.value), pace_ms: 0, not_before: now + wait }
  return [reprioritise(planned, scores[job.host])]
}
