import { Effect, Option } from "effect"
import type { Content } from "../domain/article.ts"
import type { CrawlJob } from "../domain/crawl.ts"
import type { Validated } from "../domain/flow.ts"
import type { Named } from "../domain/identity.ts"
import { Pages } from "../domain/ports.ts"
import { learnedKey, patternOf, Traits, twinMin } from "../domain/traits.ts"
import { normaliseUrl } from "../domain/url.ts"
import { steadfast, stored } from "./stage.ts"

/** Articles of a host that a pattern is held against. */
const heldAgainst = 500

/** Says that an article of this name was fetched: its other addresses need not be. */
const mark = Effect.fnUntraced(function* ({ job, raw }: Validated, key: string) {
  const { fetched_at, status } = raw
  const validators = { etag: null, last_modified: null }
  const row = { url_key: key, url: job.target.url, host: job.host, validators, fetched_at, status }
  yield* stored((yield* Pages).saveValidators([row]))
})

/**
 * A text that its host showed under another address before is that article; addresses of one text teach which part of them
 * names it (field case B15).
 */
export const named = Effect.fnUntraced(function* (page: Validated, content: Content, own: Named) {
  const traits = Option.getOrNull(yield* Effect.serviceOption(Traits))
  if (traits === null || content.text.length < twinMin) return own
  const { host } = page.job
  const url = normaliseUrl(page.job.target.url)
  const before = yield* traits.twins(host, `${content.title}\n${content.text}`, { ...own, url })
  const [first] = before
  let known = yield* steadfast(traits.of(host))
  if (first !== undefined && known.identity === null) {
    const articles = yield* steadfast((yield* Pages).articles({ host, limit: heldAgainst }))
    const identity = patternOf([...before.map((it) => it.url), url], articles)
    if (identity !== null) {
      yield* Effect.logInfo(`${host}: addresses that agree in ${identity} are one article`)
      yield* steadfast(traits.learn(host, { identity }))
      known = { ...known, identity }
    }
  }
  const key = learnedKey(known, url)
  if (key !== null) yield* mark(page, key)
  return first === undefined ? own : { scope: first.scope, identity: first.identity }
})

/** Is this another address of an article that was fetched already? Then there is nothing to fetch. */
export const isVariant = Effect.fnUntraced(function* ({ host, target, visit }: CrawlJob) {
  const traits = Option.getOrNull(yield* Effect.serviceOption(Traits))
  if (traits === null || visit !== 0 || (target.type !== "article" && target.type !== "auto")) return false
  const key = learnedKey(yield* steadfast(traits.of(host)), target.url)
  if (key === null) return false
  const record = yield* steadfast((yield* Pages).url(key))
  return record !== null && record.fetched_at !== null && normaliseUrl(record.url) !== normaliseUrl(target.url)
})
