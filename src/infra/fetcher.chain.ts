import { Effect, Layer, Option } from "effect"
import { Fetcher } from "../domain/ports.ts"
import { BrowserFetcher } from "./fetcher.browser.ts"

/** Kinds that are data, not pages: a browser would only show them. */
const data = new Set(["feed", "sitemap"])

/**
 * Plain HTTP and, where there is one, a browser, as one Fetcher: `job.fetcher` says which, as the stage chose. Without a
 * browser its jobs are fetched plainly, which is said once. Feeds and sitemaps are always plain.
 */
export const layer: Layer.Layer<Fetcher, never, Fetcher> = Layer.effect(
  Fetcher,
  Effect.gen(function* () {
    const http = yield* Fetcher
    const browser = yield* Effect.serviceOption(BrowserFetcher)
    let said = false
    const absent = Effect.suspend(() => {
      if (said) return Effect.void
      said = true
      return Effect.logWarning("a page needs a browser and there is none: it is fetched by plain HTTP (CHROMIUM_PATH)")
    })
    return Fetcher.of({
      get renders() {
        return Option.isSome(browser) && browser.value.usable()
      },
      fetch: (job, validators) => {
        if (job.fetcher !== "browser" || data.has(job.target.type)) return http.fetch(job, validators)
        return Option.match(browser, {
          onNone: () => Effect.andThen(absent, http.fetch(job, validators)),
          // One that does not even start is as good as none.
          onSome: (it) =>
            it
              .fetch(job)
              .pipe(
                Effect.catchTag("Retryable", (error) =>
                  it.usable() ? Effect.fail(error) : Effect.andThen(absent, http.fetch(job, validators))
                )
              )
        })
      }
    })
  })
)
