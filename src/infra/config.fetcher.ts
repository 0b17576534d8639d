import { duration, flag, whole } from "./setting.ts"

/** Settings of what fetching learns by itself, and of the browser: part of the table in `config.ts`. */
export const fetcherSettings = {
  FETCHER_AUTO_UPGRADE_ENABLED: flag(
    true,
    "A host whose articles keep coming empty gets a browser; `crawler fetcher-rules upgrades off` stops that while it runs."
  ),
  SOFT_404_PROBES: flag(
    true,
    "A host whose article does not look like one is asked, at most once a day, for an address that it cannot have."
  ),
  FETCHER_AUTO_UPGRADE_THRESHOLD: whole(5, { min: 1, max: 10_000 }, "Failed article pages within the window."),
  FETCHER_AUTO_UPGRADE_WINDOW: duration("1h", { min: "1m", max: "24h" }, "Sliding window of a host's failed pages."),
  FETCHER_EMPTY_BODY_TITLE_MIN: whole(5, { min: 0, max: 100 }, "Code points; a shorter title is an empty body."),
  FETCHER_EMPTY_BODY_CONTENT_MIN: whole(100, { min: 0, max: 10_000 }, "Code points; a shorter text is an empty body."),
  FETCHER_REPUBLISH_MAX: whole(20, { min: 0, max: 1000 }, "Failed pages of a host that its upgrade fetches again."),
  FETCHER_REPUBLISH_SPACING: duration("5s", { min: "0ms", max: "10m" }, "Between the due times of two of them."),
  POLL_STRETCH_MAX: whole(
    3,
    { min: 1, max: 100 },
    "A source that answers `unchanged` is polled later and later, after at most so many of its intervals; 1 = never later."
  ),
  BROWSER_PAGES: whole(4, { min: 1, max: 32 }, "Pages open at once, all hosts together: about 150 MB each."),
  BROWSER_RECYCLE_PAGES: whole(200, { min: 1, max: 100_000 }, "Pages after which Chromium is started anew: it leaks."),
  BROWSER_RECYCLE_BYTES: whole(
    1_073_741_824,
    { min: 104_857_600, max: 17_179_869_184 },
    "Memory of Chromium's processes (PSS) above which it is started anew."
  ),
  BROWSER_SETTLE: duration("5s", { min: "0ms", max: "1m" }, "Longest wait for a loaded page's network to fall silent."),
  BROWSER_IDLE: duration("60s", { min: "1s", max: "1h" }, "Chromium is closed after this long without a page.")
} as const
