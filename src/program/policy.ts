import { Duration, Effect, Layer } from "effect"
import { Policy } from "../domain/policy.ts"
import { chromiumPath } from "../infra/browser/chromium.ts"
import { Settings } from "../infra/config.ts"
import { scaleOf } from "../infra/scale.ts"

/** A one-shot crawl tries a failing page again after 5 s and after 10 s, then says that it failed. */
const oneShotAttempts = 2

/** What a command may say beside the settings. */
export interface Choices {
  readonly readers: number
  readonly html: boolean
  readonly oneShot: boolean
}

/** The numbers the stages go by, from the settings and the command. */
export const policy = ({ readers, html, oneShot }: Choices) =>
  Layer.effect(
    Policy,
    Effect.map(Settings, (it) =>
      Policy.of({
        fetchConcurrency: it.FETCH_CONCURRENCY,
        fetchPerHost: it.FETCH_PER_HOST,
        browserPages: it.BROWSER_PAGES,
        fetchWaitMax: oneShot ? Duration.hours(1) : it.FETCH_WAIT_MAX,
        readers,
        revisits: oneShot ? [] : it.ARTICLE_REVISITS,
        linksMax: it.LINKS_MAX,
        html,
        conditional: !oneShot,
        deliverKnown: oneShot,
        attemptsMax: oneShot ? oneShotAttempts : Number.POSITIVE_INFINITY,
        pollStretch: it.POLL_STRETCH_MAX,
        schedulerTick: it.SCHEDULER_TICK,
        sourceBacklog: it.SOURCE_BACKLOG,
        crawl: {
          maxPages: it.CRAWL_MAX_PAGES,
          stopAfterSeenStreak: it.CRAWL_STOP_AFTER_SEEN_STREAK,
          timeout: it.CRAWL_TIMEOUT,
          sleepMin: it.CRAWL_SLEEP_MIN,
          sleepMax: it.CRAWL_SLEEP_MAX,
          runMax: it.CRAWL_RUN_MAX
        },
        article: {
          titleMin: it.MIN_TITLE_LENGTH,
          titleMax: it.MAX_TITLE_LENGTH,
          textMin: it.MIN_CONTENT_LENGTH,
          textMax: it.MAX_CONTENT_LENGTH,
          qualityMin: it.MIN_QUALITY
        },
        upgrade: {
          enabled: it.FETCHER_AUTO_UPGRADE_ENABLED && !oneShot,
          browser: chromiumPath(it.CHROMIUM_PATH) !== null,
          threshold: it.FETCHER_AUTO_UPGRADE_THRESHOLD,
          window: it.FETCHER_AUTO_UPGRADE_WINDOW,
          titleMin: it.FETCHER_EMPTY_BODY_TITLE_MIN,
          contentMin: it.FETCHER_EMPTY_BODY_CONTENT_MIN,
          republishMax: it.FETCHER_REPUBLISH_MAX,
          republishSpacing: it.FETCHER_REPUBLISH_SPACING
        },
        scoring: {
          interval: it.SCORING_INTERVAL,
          hostLabels: it.PRIORITY_HOST_LABELS,
          scale: scaleOf(it)
        },
        untilDrained: oneShot
      })
    )
  )
