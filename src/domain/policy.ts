import { Context, type Duration } from "effect"
import type { Scale } from "./score.ts"

/**
 * The numbers the stages go by, given by the settings of the process: declared here because `streams` may not see
 * configuration. Meanings, defaults and reasons stand in `infra/config.ts` under the names in brackets.
 */
export class Policy extends Context.Service<
  Policy,
  {
    /** Requests in flight over all hosts (FETCH_CONCURRENCY). */
    readonly fetchConcurrency: number
    /** Requests in flight to one host (FETCH_PER_HOST). */
    readonly fetchPerHost: number
    /** Pages open in browsers over all hosts (BROWSER_PAGES). */
    readonly browserPages: number
    /** A longer wait for a host goes back to `messages` (FETCH_WAIT_MAX). */
    readonly fetchWaitMax: Duration.Duration
    /** Pages read at once: the worker threads of the parser (`parser:N`). */
    readonly readers: number
    /** When an article is visited again after its first fetch (ARTICLE_REVISITS). */
    readonly revisits: ReadonlyArray<Duration.Duration>
    /** Links taken from one list or feed (LINKS_MAX). */
    readonly linksMax: number
    /** Keep cleaned HTML beside the text. */
    readonly html: boolean
    /** A validator known from an earlier fetch is replayed (off in a one-shot run, which always fetches). */
    readonly conditional: boolean
    /** An unchanged source is polled after at most so many of its intervals (POLL_STRETCH_MAX). */
    readonly pollStretch: number
    /** How often due sources are looked for (SCHEDULER_TICK), and how long a source's backlog is (SOURCE_BACKLOG). */
    readonly schedulerTick: Duration.Duration
    readonly sourceBacklog: Duration.Duration
    /** Outputs are also told of articles that the store knew before (a one-shot run tells what it saw). */
    readonly deliverKnown: boolean
    /** Sections (CRAWL_*, S3.21): list pages per poll, known links in a row that end it, time of one page, waits between pages. */
    readonly crawl: {
      readonly maxPages: number
      readonly stopAfterSeenStreak: number
      readonly timeout: Duration.Duration
      readonly sleepMin: Duration.Duration
      readonly sleepMax: Duration.Duration
      /** A run not over by then is (CRAWL_RUN_MAX). */
      readonly runMax: Duration.Duration
    }
    /** Bounds of article validation, in code points. */
    readonly article: {
      readonly titleMin: number
      readonly titleMax: number
      readonly textMin: number
      readonly textMax: number
      readonly qualityMin: number
    }
    /** When a host is given a browser (FETCHER_*); `browser`: there is one to give. Lengths in code points. */
    readonly upgrade: {
      readonly enabled: boolean
      readonly browser: boolean
      readonly threshold: number
      readonly window: Duration.Duration
      readonly titleMin: number
      readonly contentMin: number
      readonly republishMax: number
      readonly republishSpacing: Duration.Duration
    }
    /** How hosts are scored (SCORING_*), and how many of them metrics name (PRIORITY_HOST_LABELS). */
    readonly scoring: { readonly interval: Duration.Duration; readonly scale: Scale; readonly hostLabels: number }
    /** Retries of one input at most; fewer than a stage's own in a one-shot run, whose user is waiting. */
    readonly attemptsMax: number
    /** End the pipeline once nothing is left to do (a one-shot run). */
    readonly untilDrained: boolean
  }
>()("crawler/Policy") {}
