import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Layer, Random } from "effect"
import { type Cookie, cookieHeader, keep } from "../domain/cookies.ts"
import type { CrawlJob, Millis } from "../domain/crawl.ts"
import { Fatal, Retryable } from "../domain/errors.ts"
import type { RawPage, Validators } from "../domain/fetching.ts"
import type { OptOut } from "../domain/optout.ts"
import { Fetcher, Hosts, type RawBody, Robots } from "../domain/ports.ts"
import { Settings } from "./config.ts"
import { Dialler } from "./dial.ts"
import { hostOf, visiting } from "./hop.ts"
import { type Arrived, type BodyLimits, type Step, stepOf } from "./page.http.ts"

/** Length of a raw page's id in bytes, before base64: enough that no two fetches ever share one. */
const ID_BYTES = 16

/** A redirect chain on its way. Its cookies end with it. */
interface Chain {
  readonly url: string
  readonly jar: ReadonlyArray<Cookie>
  readonly hops: RawPage["hops"]
}

/** Unique per fetch, so that a page fetched again is another raw; the same under a seeded Random and a test's clock. */
export const idOf = (job: CrawlJob, now: Millis, random: number): string =>
  createHash("sha256")
    .update(`${job.id}\n${job.visit}\n${now}\n${random}`)
    .digest()
    .subarray(0, ID_BYTES)
    .toString("base64url")

const headersFor = (agent: string, validators: Validators | null, cookie: string | null): Record<string, string> => {
  const { etag, last_modified } = validators ?? { etag: null, last_modified: null }
  return {
    "User-Agent": agent,
    Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    // The very same with every request: an entity tag belongs to one coding (field case B23).
    "Accept-Encoding": "gzip, br, zstd",
    ...(etag === null ? {} : { "If-None-Match": etag }),
    ...(last_modified === null ? {} : { "If-Modified-Since": last_modified }),
    ...(cookie === null ? {} : { Cookie: cookie })
  }
}

const path = (chain: Chain): string => [...chain.hops.map(({ url }) => url), chain.url].join(" → ")

/** The chain after a redirect, or why it ends here. */
const advance = (chain: Chain, seen: Set<string>, max: number, now: Millis, step: Step & { tag: "redirect" }) => {
  const { url, jar, hops } = chain
  const next: Chain = {
    url: step.to,
    jar: keep(jar, url, step.setCookie, now),
    hops: [...hops, { url, status: step.status }]
  }
  // With other cookies the same address may well answer: that is how consent walls work.
  seen.add(`${url} ${cookieHeader(jar, url)}`)
  const loops = seen.has(`${next.url} ${cookieHeader(next.jar, next.url)}`)
  if (!loops && next.hops.length <= max) return Effect.succeed(next)
  const why = loops ? "redirects in a loop" : `more than ${max} redirects`
  return Effect.fail(new Fatal({ code: "redirects", message: `${why}: ${path(next)}` }))
}

/**
 * robots.txt at one hop. Where it could not be had the host is in trouble: another try, when it is asked for again.
 * The crawl-delay of the job's own host is kept by the stage. Answers what the file says of use by AI.
 */
export const obey = Effect.fnUntraced(function* (
  robots: Robots["Service"],
  hosts: Hosts["Service"],
  url: string,
  home: string
) {
  const { ai_opt_outs, allowed, reason, until, crawl_delay_ms } = yield* robots.check(url)
  if (crawl_delay_ms !== null && hostOf(url) !== home) yield* hosts.setDelay(hostOf(url), crawl_delay_ms)
  if (allowed) return ai_opt_outs ?? []
  const why = { code: "robots", message: `${url}: ${reason}` } as const
  if (until === undefined) return yield* new Fatal(why)
  return yield* new Retryable({ ...why, after: Math.max(0, until - (yield* Clock.currentTimeMillis)) })
})

/** A page with what its origin's robots.txt says besides. */
const noted = (page: Arrived, stated: ReadonlyArray<OptOut>): Arrived =>
  stated.length === 0 ? page : { ...page, ai_opt_outs: [...stated, ...(page.ai_opt_outs ?? [])] }

/** The time was up while `host` was asked. */
const late = ({ target, ...job }: CrawlJob, limit: Duration.Duration, host: string) =>
  new Retryable({
    code: "timeout",
    message: `${target.url}: not whole within ${Duration.format(limit)}`,
    ...(host === job.host ? {} : { host })
  })

const make = Effect.gen(function* () {
  const settings = yield* Settings
  const dialler = yield* Dialler
  const robots = yield* Robots
  const hosts = yield* Hosts
  const limits: BodyLimits = {
    wireMax: settings.FETCH_BODY_MAX_BYTES,
    bytesMax: settings.FETCH_INFLATED_MAX_BYTES,
    ratioMax: settings.FETCH_RATIO_MAX
  }

  const visit = (job: CrawlJob, { url, jar }: Chain, validators: Validators | null) => {
    const headers = headersFor(settings.USER_AGENT, validators, cookieHeader(jar, url))
    const get = dialler.get(url, headers, (answer) =>
      stepOf(answer, url, validators, limits, settings.USER_AGENT_TOKEN)
    )
    const hop = { home: job.host, url, waitMax: settings.FETCH_WAIT_MAX }
    const arrive = Effect.flatMap(obey(robots, hosts, url, job.host), (stated) =>
      Effect.map(get, (step) => (step.tag === "page" ? { ...step, page: noted(step.page, stated) } : step))
    )
    return visiting(hosts, hop, arrive)
  }

  const follow = Effect.fnUntraced(function* (
    job: CrawlJob,
    validators: Validators | null,
    asking: (host: string) => void
  ) {
    let chain: Chain = { url: job.target.url, jar: [], hops: [] }
    const seen = new Set<string>()
    while (true) {
      asking(hostOf(chain.url))
      const step: Step = yield* visit(job, chain, validators)
      if (step.tag === "page") return { page: step.page, hops: chain.hops }
      const now = yield* Clock.currentTimeMillis
      chain = yield* advance(chain, seen, settings.FETCH_REDIRECTS_MAX, now, step)
    }
  })

  const limit = settings.FETCH_TIMEOUT
  const fetch = Effect.fnUntraced(function* (job: CrawlJob, validators: Validators | null) {
    const started = yield* Clock.currentTimeMillis
    let asked = job.host
    const chain = follow(job, validators, (host) => {
      asked = host
    })
    const { page, hops } = yield* Effect.timeoutOrElse(chain, {
      duration: limit,
      orElse: () => Effect.fail(late(job, limit, asked))
    })
    const now = yield* Clock.currentTimeMillis
    const { body, ...facts } = page
    const id = idOf(job, now, yield* Random.next)
    const raw = { id, url: job.target.url, host: job.host, fetched_at: now, elapsed_ms: now - started, hops, ...facts }
    const result: RawBody = { raw, body }
    return result
  })
  return Fetcher.of({ fetch })
})

/** Plain HTTP(S): guarded, polite also where redirects lead, bounded in time and bytes. */
export const layer: Layer.Layer<Fetcher, never, Dialler | Hosts | Robots | Settings> = Layer.effect(Fetcher, make)
