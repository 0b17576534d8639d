import { Clock, Effect, Metric, Option, Semaphore } from "effect"
import type { Content } from "../domain/article.ts"
import type { FetcherRules } from "../domain/fetcherrules.ts"
import type { ArticleRef, Parsed, Validated } from "../domain/flow.ts"
import { articleId, articleOf, type Named } from "../domain/identity.ts"
import { articleLag, articles } from "../domain/metrics.ts"
import { Policy } from "../domain/policy.ts"
import { Pages, type Reader } from "../domain/ports.ts"
import type { Link, Reading } from "../domain/reading.ts"
import { isReparse } from "../domain/reparse.ts"
import { ParsingRules } from "../domain/ruling.ts"
import type { Upgrades, Windows } from "../domain/upgrade.ts"
import { identityOf, normaliseUrl, registrableDomain, urlKey } from "../domain/url.ts"
import { lengthOf, validateArticle } from "../domain/validate.ts"
import { learnRules } from "./relearn.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"
import { named as twinOf } from "./twins.ts"
import { closeRepublish, learn } from "./upgrade.ts"
import { judgedAt, readPage } from "./validate.ts"

/**
 * Which article a page is. A canonical that pages with different titles share names none of them, so such a page is
 * known by its own address; unless the canonical is where the article was first found, and its headline was edited since.
 * @source DESIGN "Identity of a page"
 */
const nameOf = Effect.fnUntraced(function* (page: Validated, content: Content) {
  const url = page.raw.final_url
  const rules = yield* Effect.serviceOption(ParsingRules)
  const rule = Option.isNone(rules) ? null : yield* steadfast(rules.value.find(url, "article"))
  const rulePattern = rule?.identity_pattern ?? null
  // A source that numbers its articles names them wherever they stand; all others are told apart by domain.
  const scope = rulePattern === null ? registrableDomain(page.raw.host) : (rule?.source_name ?? page.raw.host)
  const { identity, by } = identityOf({ url, canonical: content.canonical_url, rulePattern })
  const own = { scope, identity: normaliseUrl(url) }
  if (by === "rule") return { scope, identity, numbered: true }
  if (by !== "canonical" || identity === own.identity) return { scope, identity }
  const [other] = yield* steadfast((yield* Pages).articles({ ids: [articleId(scope, identity)], limit: 1 }))
  const first = other === undefined ? null : normaliseUrl(other.url)
  const shared = first !== null && other?.title !== content.title && first !== own.identity && first !== identity
  return shared ? own : { scope, identity }
})

const saveArticle = Effect.fnUntraced(function* (page: Validated, content: Content) {
  const pages = yield* Pages
  const now = yield* Clock.currentTimeMillis
  const own: Named & { readonly numbered?: boolean } = yield* nameOf(page, content)
  // A source's own numbers know best; elsewhere the same text is the same article.
  const named = own.numbered === true ? own : yield* twinOf(page, content, own)
  const article = articleOf(page.job, page.raw, content, page.verdict, named, now)
  const url_key = urlKey(normaliseUrl(page.job.target.url))
  const [saved] = yield* stored(pages.saveArticles([{ article, url_key, job_id: page.job.id }]))
  const published = article.published_at === null ? null : Date.parse(article.published_at)
  const ref: ArticleRef = {
    id: article.id,
    saved: saved ?? "duplicate",
    lag_ms: published === null ? null : Math.max(0, now - published),
    chars: lengthOf(article.text)
  }
  yield* Metric.update(articles(ref.saved), 1)
  if (ref.saved === "new" && ref.lag_ms !== null) yield* Metric.update(articleLag, ref.lag_ms / 1000)
  return ref
})

const reject = Effect.fnUntraced(function* (
  { job, raw, verdict }: Validated,
  codes: ReadonlyArray<string>,
  reading: Reading
) {
  const pages = yield* Pages
  yield* Metric.update(articles("rejected"), 1)
  const record = { raw_id: raw.id, url: job.target.url, host: job.host, verdict, evidence: reading.evidence, codes }
  yield* stored(pages.saveOutcomes([{ ...record, at: judgedAt(job, raw) }]))
})

/**
 * Links of a list, feed, sitemap or front page; an article's own links lead away from the news it tells. Navigation is
 * counted apart, so that a long menu never crowds out the news.
 */
const linksOf = (page: Validated, reading: Reading, max: number) => {
  if (page.job.follow.hops === 0 || reading.kind === "article") return []
  const isNews = (it: Link) => it.looks === "article"
  const others = reading.links.filter((it) => !isNews(it)).slice(0, max)
  return [...reading.links.filter(isNews).slice(0, max), ...others]
}

const parsePage = Effect.fnUntraced(function* (
  bodies: Semaphore.Semaphore,
  { envelope, value: page }: Work<Validated>
) {
  const { linksMax, article: bounds } = yield* Policy
  const reading = yield* bodies.withPermit(readPage(page))
  const { content } = reading
  const expected = page.job.target.type === "article"
  const isArticle = reading.kind === "article" && content !== null
  const codes = isArticle ? validateArticle(content, bounds).map((it) => it.code) : expected ? ["required"] : []
  const article = isArticle && codes.length === 0 ? yield* saveArticle(page, content) : null
  if (codes.length > 0) yield* reject(page, codes, reading)
  if (article === null && !isReparse(page.job)) yield* learn(page, reading)
  yield* learnRules(page, reading)
  yield* closeRepublish(envelope, page.job)
  const { job, raw, verdict, kind } = page
  return Option.some<Parsed>({
    job,
    raw,
    verdict,
    kind,
    article,
    rejected: codes,
    links: linksOf(page, reading, linksMax)
  })
})

/** Pages at once, for each reader's thread: most of them are read and wait for their articles to be stored, together. */
const perReader = 32
/** Of them those that are being read, or wait for it: each holds its body, which may be large. */
const bodiesPerReader = 8

/** Turns a validated page into a stored article, or into the links of a list, feed or sitemap. */
export const parse = (
  policy: Policy["Service"]
): Stage<Validated, Parsed, FetcherRules | Pages | Policy | Reader | Upgrades | Windows> => {
  const bodies = Semaphore.makeUnsafe(policy.readers * bodiesPerReader)
  return stage("parser", policy.readers * perReader, (work) => parsePage(bodies, work))
}
