import { Clock, Context, Duration, Effect, Layer, Option, Random } from "effect"
import type { CrawlJob } from "../domain/crawl.ts"
import { Fatal, type FetchError, Retryable } from "../domain/errors.ts"
import { headerOptOuts, type OptOut } from "../domain/optout.ts"
import type { Hosts, RawBody, Robots } from "../domain/ports.ts"
import { retryAfter } from "../domain/retryafter.ts"
import { selectorsOf } from "../domain/rule.ts"
import { ParsingRules, type Ruling } from "../domain/ruling.ts"
import { gatekeepers } from "./browser/gatekeeper.ts"
import { type Answered, type Visit, type Visited, visitPage } from "./browser/page.ts"
import { Browsers } from "./browser/pool.ts"
import { Settings } from "./config.ts"
import { idOf } from "./fetcher.http.ts"
import { Guard } from "./guard.ts"

type Arrived = Extract<Visited, { readonly tag: "page" | "answer" }>

/** Fetches one page by a browser: what scripts made of it, as UTF-8 markup. */
export class BrowserFetcher extends Context.Service<
  BrowserFetcher,
  {
    readonly fetch: (job: CrawlJob) => Effect.Effect<RawBody, FetchError>
    /** false: Chromium does not start. */
    readonly usable: () => boolean
  }
>()("crawler/BrowserFetcher") {}

const crash = (job: CrawlJob, message: string) =>
  new Retryable({ code: "browser", message: `${job.target.url}: ${message}` })

/** 408, 429 and 5xx: the page may be there later; as with plain HTTP. */
const passing = (job: CrawlJob, { headers, status }: Answered, now: number): Retryable | null => {
  if (status !== 408 && status !== 429 && status < 500) return null
  const after = retryAfter(headers["retry-after"] ?? null, now)
  const code = status === 429 ? "http_429" : "http_5xx"
  return new Retryable({ code, message: `${job.host} answered ${status}`, ...(after === null ? {} : { after }) })
}

const failureOf = (job: CrawlJob, visited: Exclude<Visited, { tag: "page" | "answer" | "refused" }>) => {
  const { url } = job.target
  if (visited.tag === "too_large") return new Fatal({ code: "body_too_large", message: `${url}: too much markup` })
  const { message, why } = visited
  if (why === "crash") return crash(job, message)
  if (/ERR_TOO_MANY_REDIRECTS/.test(message)) return new Fatal({ code: "redirects", message: `${url}: ${message}` })
  return new Retryable({ code: why, message: `${url}: ${message}` })
}

const rawOf = (
  job: CrawlJob,
  { answer, ...visited }: Arrived,
  id: string,
  at: { started: number; now: number },
  ai_opt_outs: ReadonlyArray<OptOut>
): RawBody => {
  const body = new TextEncoder().encode(visited.tag === "page" ? visited.html : "")
  const stated = answer.headers["content-type"] ?? "application/octet-stream"
  return {
    body,
    raw: {
      id,
      url: job.target.url,
      final_url: answer.url,
      host: job.host,
      status: answer.status,
      content_type: visited.tag === "page" ? "text/html; charset=utf-8" : stated,
      fetcher: "browser",
      fetched_at: at.now,
      elapsed_ms: at.now - at.started,
      bytes: body.length,
      truncated: false,
      hops: answer.hops,
      // What scripts made is not what the site's validators speak of.
      validators: { etag: null, last_modified: null },
      ai_opt_outs
    }
  }
}

/** A page is there when its rule finds the article's text, or an item of the list. */
const readyOf = (rule: Ruling | null): string | null => {
  if (rule === null) return null
  const fields = rule.target_type === "list" ? (["item_container", "item_link"] as const) : (["main_content"] as const)
  const found = fields.map((field) => selectorsOf(rule, field)).find((it) => it.length > 0) ?? []
  return found.length === 0 ? null : found.map(({ css }) => css).join(", ")
}

const make = Effect.gen(function* () {
  const settings = yield* Settings
  const browsers = yield* Browsers
  const guard = yield* Guard
  const keeperOf = yield* gatekeepers
  const rules = yield* Effect.serviceOption(ParsingRules)
  /** What the rule of this URL reads its text or its links from. */
  const readyFor = ({ target }: CrawlJob) =>
    Option.isNone(rules) ? Effect.succeed(null) : Effect.map(rules.value.find(target.url, target.type), readyOf)
  const fetch = Effect.fn("BrowserFetcher.fetch")(function* (job: CrawlJob) {
    yield* guard.check(job.target.url)
    const started = yield* Clock.currentTimeMillis
    const keeper = keeperOf(job)
    const visit: Visit = {
      url: job.target.url,
      userAgent: settings.USER_AGENT,
      timeoutMs: Duration.toMillis(settings.FETCH_TIMEOUT),
      settleMs: Duration.toMillis(settings.BROWSER_SETTLE),
      ready: yield* readyFor(job),
      charsMax: settings.FETCH_INFLATED_MAX_BYTES,
      single: job.target.type === "article",
      admit: keeper.admit
    }
    const visited = yield* browsers
      .use((chromium, broken) => Effect.promise(() => visitPage(chromium, visit, broken)))
      .pipe(Effect.ensuring(keeper.free))
    if (visited.tag === "refused") return yield* keeper.failure() ?? crash(job, "stopped")
    if (visited.tag !== "page" && visited.tag !== "answer") return yield* failureOf(job, visited)
    const now = yield* Clock.currentTimeMillis
    const trouble = passing(job, visited.answer, now)
    if (trouble !== null) return yield* trouble
    const { headers } = visited.answer
    const stated = [...keeper.stated(), ...headerOptOuts((name) => headers[name], settings.USER_AGENT_TOKEN)]
    return rawOf(job, visited, idOf(job, now, yield* Random.next), { started, now }, stated)
  })
  return BrowserFetcher.of({ fetch, usable: browsers.usable })
})

/** Pages by Chromium: guarded, polite where redirects lead, bounded in time and size. Its own failures are Retryable `browser`. */
export const layer: Layer.Layer<BrowserFetcher, never, Browsers | Guard | Hosts | Robots | Settings> = Layer.effect(
  BrowserFetcher,
  make
)
