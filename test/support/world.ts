import { Duration, Effect, Layer } from "effect"
import type { Article } from "../../src/domain/article.ts"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import { Fatal, Retryable } from "../../src/domain/errors.ts"
import { Policy } from "../../src/domain/policy.ts"
import { Fetcher, Outputs, type RawBody, Robots } from "../../src/domain/ports.ts"
import { evenWeights } from "../../src/domain/score.ts"
import { chainStages } from "../../src/domain/stages.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import * as reader from "../../src/infra/reader.inline.ts"
import * as store from "../../src/infra/store.memory.ts"
import { Run } from "../../src/streams/chain.ts"

/** What the fake web answers to the n-th request (1 is the first) of a URL. */
export type Answer =
  | string
  | Retryable
  | Fatal
  | { readonly status: number; readonly body: string; readonly truncated?: boolean }
export type Web = (url: string, request: number) => Answer

const encoder = new TextEncoder()

const rawOf = (job: CrawlJob, answer: Exclude<Answer, Retryable | Fatal>, request: number, at: number): RawBody => {
  const {
    status,
    body,
    truncated = false
  } = typeof answer === "string" ? { status: 200, body: answer } : { truncated: false, ...answer }
  const bytes = encoder.encode(body)
  const url = job.target.url
  return {
    body: bytes,
    raw: {
      id: `${job.id}#${request}`,
      url,
      final_url: url,
      host: job.host,
      status,
      content_type: body.startsWith("<?xml") ? "application/xml" : "text/html; charset=utf-8",
      fetcher: "http",
      fetched_at: at,
      elapsed_ms: 20,
      bytes: bytes.length,
      truncated,
      hops: [],
      validators: { etag: `"${Bun.hash(bytes)}"`, last_modified: null }
    }
  }
}

/** The world outside, in memory: every page a function of its URL and how often it was asked for. */
export const fetcherOf = (web: Web, asked: Map<string, number> = new Map(), took = Duration.millis(20)) =>
  Layer.succeed(
    Fetcher,
    Fetcher.of({
      fetch: (job, known) =>
        Effect.gen(function* () {
          const request = (asked.get(job.target.url) ?? 0) + 1
          asked.set(job.target.url, request)
          yield* Effect.sleep(took)
          const answer = web(job.target.url, request)
          if (answer instanceof Retryable || answer instanceof Fatal) return yield* answer
          const page = rawOf(job, answer, request, yield* Effect.clockWith((clock) => clock.currentTimeMillis))
          if (known === null || known.etag !== page.raw.validators.etag) return page
          return { body: new Uint8Array(), raw: { ...page.raw, status: 304, bytes: 0 } }
        })
    })
  )

export const openRobots = Layer.succeed(
  Robots,
  Robots.of({
    known: () => Effect.succeed(true),
    check: () => Effect.succeed({ allowed: true, reason: "no robots.txt", crawl_delay_ms: null })
  })
)

/** Remembers what was delivered. */
export const outputsTo = (delivered: Array<Article>) =>
  Layer.succeed(
    Outputs,
    Outputs.of({
      enabled: true,
      deliver: (articles) =>
        Effect.sync(() => {
          delivered.push(...articles)
        })
    })
  )

export const settings = (env: Readonly<Record<string, string>> = {}) => {
  const values = load(env)
  if (values._tag === "Failure") throw new Error(JSON.stringify(values.failure))
  return Layer.succeed(Settings, values.success)
}

export const policyOf = (over: Partial<Policy["Service"]> = {}) =>
  Layer.succeed(
    Policy,
    Policy.of({
      fetchConcurrency: 16,
      fetchPerHost: 1,
      browserPages: 4,
      fetchWaitMax: Duration.seconds(5),
      readers: 2,
      revisits: [],
      linksMax: 1000,
      html: false,
      conditional: false,
      deliverKnown: false,
      attemptsMax: Number.POSITIVE_INFINITY,
      pollStretch: 4,
      schedulerTick: Duration.seconds(1),
      sourceBacklog: Duration.hours(48),
      crawl: {
        maxPages: 1,
        stopAfterSeenStreak: 8,
        timeout: Duration.seconds(8),
        sleepMin: Duration.millis(250),
        sleepMax: Duration.millis(700),
        runMax: Duration.minutes(10)
      },
      article: { titleMin: 10, titleMax: 500, textMin: 100, textMax: 50_000, qualityMin: 0.5 },
      upgrade: {
        enabled: true,
        browser: true,
        threshold: 5,
        window: Duration.hours(1),
        titleMin: 5,
        contentMin: 100,
        republishMax: 20,
        republishSpacing: Duration.seconds(5)
      },
      scoring: {
        interval: Duration.minutes(5),
        hostLabels: 20,
        scale: { weights: evenWeights, window_ms: 6 * 3_600_000, samplesMin: 20 }
      },
      untilDrained: true,
      ...over
    })
  )

const chain: ReadonlySet<string> = new Set(chainStages)

/** Everything the pipeline needs, in memory and in virtual time, around a given web. */
export const world = (
  web: Web,
  options: {
    readonly asked?: Map<string, number>
    readonly delivered?: Array<Article>
    readonly policy?: Partial<Policy["Service"]>
    readonly env?: Readonly<Record<string, string>>
    readonly stages?: ReadonlySet<string>
    /** Hosts may be asked for addresses they cannot have. */
    readonly probes?: boolean
  } = {}
) => {
  const config = Layer.merge(settings({ FETCH_DELAY: "100ms", ...options.env }), policyOf(options.policy))
  const outside = Layer.mergeAll(fetcherOf(web, options.asked), openRobots, outputsTo(options.delivered ?? []))
  return Layer.mergeAll(
    store.layer({ probes: options.probes ?? false }),
    hosts.layer(),
    reader.layer,
    Run.layer(options.stages ?? chain),
    outside
  ).pipe(Layer.provideMerge(config))
}
