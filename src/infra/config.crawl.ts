import { duration, whole } from "./setting.ts"

/** Settings of section lists (S3.21): part of the table in `config.ts`. */
export const crawlSettings = {
  CRAWL_MAX_PAGES: whole(
    1,
    { min: 1, max: 100 },
    "List pages read per poll of a source that states `page_url`; the newest stand on the first."
  ),
  CRAWL_STOP_AFTER_SEEN_STREAK: whole(
    8,
    { min: 1, max: 1000 },
    "Known links in a row after which no further list page is read."
  ),
  CRAWL_TIMEOUT: duration("8s", { min: "100ms", max: "5m" }, "One scheduled list page; the others have FETCH_TIMEOUT."),
  CRAWL_SLEEP_MIN: duration("250ms", { min: "0ms", max: "1m" }, "Least wait before a further list page."),
  CRAWL_SLEEP_MAX: duration("700ms", { min: "0ms", max: "1m" }, "Longest one; drawn evenly between the two."),
  CRAWL_RUN_MAX: duration(
    "10m",
    { min: "10s", max: "24h" },
    "When the run of a host's lists is judged at the latest: retries of a list take about as long."
  )
} as const
