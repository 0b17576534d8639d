import { Schema } from "effect"
import { PriorityDecision } from "./crawl.ts"
import { OptOut } from "./optout.ts"

/** The one verdict on a fetched document (before parsing), with evidence beside it. */
export const Verdict = Schema.Literals([
  "ok",
  "empty",
  "blocked",
  "consent",
  "paywall",
  "soft_404",
  "charset_uncertain",
  "partial",
  "not_html",
  "trap"
])
export type Verdict = typeof Verdict.Type

/** Where a zone came from: written in the page, a rule of the host, the country's default, or nowhere (UTC assumed). */
export const ZoneSource = Schema.Literals(["explicit", "rule", "country", "assumed"])

/**
 * A date as found: an instant in UTC (ISO 8601, `Z`), the offset of the clocks it was read from and who stated it. The day
 * that the page means is the one its own clocks show (`ownDay`); a date without a time of day has `precision` `day`, and its
 * `at` is the first instant of that date both there and in UTC.
 */
export const Dated = Schema.Struct({
  at: Schema.String,
  /** Minutes east of UTC; null where nothing tells the page's clocks (UTC is assumed). */
  offset_minutes: Schema.NullOr(Schema.Int),
  precision: Schema.Literals(["day", "time"]),
  zone_source: ZoneSource,
  /** e.g. `json-ld`, `meta:article:published_time`, `time`, `text`, `url`, `feed`. */
  source: Schema.String
})
export type Dated = typeof Dated.Type

/** The calendar day of a date on the page's own clocks, `YYYY-MM-DD`. */
export const ownDay = ({ at, offset_minutes }: Dated): string =>
  new Date(Date.parse(at) + (offset_minutes ?? 0) * 60_000).toISOString().slice(0, 10)

export const Extraction = Schema.Struct({
  /** `rule` when a parsing rule filled title and body, else `generic`. */
  by: Schema.Literals(["rule", "generic"]),
  rule: Schema.NullOr(Schema.String),
  version: Schema.Int,
  confidence: Schema.Finite
})

/**
 * What the reader found in one page, before it has an identity: all a page says of its article.
 * `text` has paragraphs separated by a blank line; `html` is cleaned (no script, style, event handler).
 */
export const Content = Schema.Struct({
  title: Schema.String,
  text: Schema.String,
  html: Schema.NullOr(Schema.String),
  authors: Schema.Array(Schema.String),
  published: Schema.NullOr(Dated),
  modified: Schema.NullOr(Dated),
  language: Schema.NullOr(Schema.String),
  section: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  image: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  site_name: Schema.NullOr(Schema.String),
  /** Absolute, as the page states it; whether it may serve as identity is decided by `url.ts`. */
  canonical_url: Schema.NullOr(Schema.String),
  /** What its meta tags say of use by AI. */
  ai_opt_outs: Schema.optionalKey(Schema.Array(OptOut)),
  extraction: Extraction
})
export type Content = typeof Content.Type

/** The article as stored, exported and shown: one line of output. Instants are ISO 8601 in UTC. */
export const Article = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  canonical_url: Schema.NullOr(Schema.String),
  host: Schema.String,
  identity: Schema.String,
  title: Schema.String,
  text: Schema.String,
  html: Schema.NullOr(Schema.String),
  authors: Schema.Array(Schema.String),
  published_at: Schema.NullOr(Schema.String),
  /** The day of `published_at` on the page's own clocks, `YYYY-MM-DD`: compare days with this one. */
  published_day: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Minutes east of UTC of those clocks; null where nothing tells them. */
  published_offset_minutes: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  /** `day`: the page states no time of day. */
  published_precision: Schema.optionalKey(Schema.NullOr(Schema.Literals(["day", "time"]))),
  published_source: Schema.NullOr(Schema.String),
  zone_source: Schema.NullOr(ZoneSource),
  modified_at: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  section: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  image: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  site_name: Schema.NullOr(Schema.String),
  /** What the page, its answer and its origin's robots.txt say of use by AI; empty: nothing. */
  ai_opt_outs: Schema.optionalKey(Schema.Array(OptOut)),
  extraction: Extraction,
  verdict: Verdict,
  fetched_at: Schema.String,
  detected_at: Schema.String,
  fetcher: Schema.Literals(["http", "browser", "file"]),
  priority: PriorityDecision
})
export type Article = typeof Article.Type
