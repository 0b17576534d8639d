import { Schema } from "effect"
import { Millis, Priority } from "./crawl.ts"

export const SourceKind = Schema.Literals(["list", "feed", "sitemap"])
export type SourceKind = typeof SourceKind.Type

/** What the last poll of a source that was asked came to. */
export const PollResult = Schema.Struct({
  at: Millis,
  /** `found`, `nothing_found`, `unchanged` (304), the verdict of a document that is no list, or the code of a failure. */
  outcome: Schema.String,
  /** The same in words. */
  message: Schema.String,
  /** Links that are followed, and those of them that nobody knew; null: no list was read. */
  links: Schema.NullOr(Schema.Int),
  fresh: Schema.NullOr(Schema.Int)
})
export type PollResult = typeof PollResult.Type

/**
 * A page that is polled for links. Either `every_ms` or `cron` (five fields, in `zone`) says when.
 * A slot is one wall-clock firing: one poll per (source, slot), however many schedulers run.
 */
export const Source = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  url: Schema.String,
  kind: SourceKind,
  every_ms: Schema.NullOr(Schema.Int),
  cron: Schema.NullOr(Schema.String),
  zone: Schema.String,
  category: Schema.NullOr(Schema.String),
  country: Schema.NullOr(Schema.String),
  section: Schema.NullOr(Schema.String),
  /** Address of further pages of a list, `{page}` for their number and `{yyyyMMdd}` for the day in `zone`; null: it has one. */
  page_url: Schema.NullOr(Schema.String),
  /** List pages read per poll; null: CRAWL_MAX_PAGES. */
  max_pages: Schema.NullOr(Schema.Int),
  priority: Schema.NullOr(Priority),
  enabled: Schema.Boolean,
  created_at: Millis,
  next_poll_at: Millis,
  /** When its last poll was queued; `last` says when it was asked. */
  polled_at: Schema.NullOr(Millis),
  last: Schema.NullOr(PollResult)
})
export type Source = typeof Source.Type

/** What an operator states; the rest is filled with defaults. */
export const SourceInput = Schema.Struct({
  url: Schema.String,
  name: Schema.optionalKey(Schema.String),
  kind: Schema.optionalKey(SourceKind),
  every_ms: Schema.optionalKey(Schema.Int),
  cron: Schema.optionalKey(Schema.String),
  zone: Schema.optionalKey(Schema.String),
  category: Schema.optionalKey(Schema.String),
  country: Schema.optionalKey(Schema.String),
  section: Schema.optionalKey(Schema.String),
  page_url: Schema.optionalKey(Schema.String),
  max_pages: Schema.optionalKey(Schema.Int),
  priority: Schema.optionalKey(Priority),
  enabled: Schema.optionalKey(Schema.Boolean)
})
export type SourceInput = typeof SourceInput.Type
