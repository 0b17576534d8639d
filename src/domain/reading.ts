import { Schema } from "effect"
import { Content, Verdict } from "./article.ts"
import { TargetType } from "./crawl.ts"

/** A link as a page, feed or sitemap states it: absolute, entities decoded once, never rewritten. */
export const Link = Schema.Struct({
  url: Schema.String,
  /** What it looks like from here: by URL shape, repetition and what surrounds it. */
  looks: Schema.Literals(["article", "list", "feed", "sitemap", "other"]),
  title: Schema.NullOr(Schema.String),
  /** ISO 8601 UTC, where the list, feed or sitemap dates it. */
  published_at: Schema.NullOr(Schema.String)
})
export type Link = typeof Link.Type

export const Charset = Schema.Struct({
  /** WHATWG name, lower case. */
  name: Schema.String,
  source: Schema.Literals(["bom", "header", "meta", "xml", "detected", "default"]),
  /** 0..1; 1 for a declaration that decoded without a replacement character. */
  confidence: Schema.Finite
})

/** The document kinds the reader tells apart. */
export const DocumentKind = Schema.Literals(["article", "list", "feed", "sitemap", "sitemap_index", "unknown"])
export type DocumentKind = typeof DocumentKind.Type

/** All that reading one document gives: a pure function of its bytes, its hints and its rule. */
export const Reading = Schema.Struct({
  kind: DocumentKind,
  verdict: Verdict,
  /** Facts behind the verdict, by name: `{"status": 403, "marker": "captcha"}`. */
  evidence: Schema.Record(Schema.String, Schema.Unknown),
  charset: Charset,
  content: Schema.NullOr(Content),
  links: Schema.Array(Link),
  /** Faults that were recovered from: `feed_truncated`, `links_capped`, `title_cut`. */
  flags: Schema.Array(Schema.String)
})
export type Reading = typeof Reading.Type

/** What is known of a document besides its bytes. */
export const Hints = Schema.Struct({
  /** The URL the bytes came from (after redirects): links resolve against it. */
  url: Schema.String,
  expected: TargetType,
  status: Schema.Int,
  content_type: Schema.NullOr(Schema.String),
  truncated: Schema.Boolean,
  /** Instant of the fetch in ms: relative dates hang on it, later dates are refused. */
  fetched_at: Schema.Finite,
  zone: Schema.optionalKey(Schema.String),
  country: Schema.optionalKey(Schema.String),
  /** What a feed or list said, used where the page is silent. */
  title: Schema.optionalKey(Schema.String),
  published_at: Schema.optionalKey(Schema.String),
  /** Give cleaned HTML too. */
  html: Schema.Boolean
})
export type Hints = typeof Hints.Type
