import { Option, Schema } from "effect"
import { Verdict } from "./article.ts"
import { Priority } from "./crawl.ts"
import { Fetched } from "./fetching.ts"
import { Charset, DocumentKind, Link } from "./reading.ts"

/** Payload of topic `validated`: a fetched page that may become an article or links, with its verdict. */
export const Validated = Schema.Struct({
  ...Fetched.fields,
  verdict: Verdict,
  kind: DocumentKind,
  charset: Charset
})
export type Validated = typeof Validated.Type

/** What the parser made of an article page: a reference to the stored article, and what storing it found. */
export const ArticleRef = Schema.Struct({
  id: Schema.String,
  saved: Schema.Literals(["new", "revision", "duplicate"]),
  /** publish→detect lag in ms (S1.5); null where the page states no date. */
  lag_ms: Schema.NullOr(Schema.Finite),
  /** Code points of its text. */
  chars: Schema.optionalKey(Schema.Int)
})
export type ArticleRef = typeof ArticleRef.Type

const About = Schema.Struct({ target: Schema.Struct({ url: Schema.String }) })
const decodeAbout = Schema.decodeUnknownOption(Schema.Union([About, Schema.Struct({ job: About })]))
/** The address of the page that a payload of the crawl's topics is about; null: it is about none. */
export const addressOf = (payload: unknown): string | null =>
  Option.match(decodeAbout(payload), {
    onNone: () => null,
    onSome: (it) => ("job" in it ? it.job : it).target.url
  })

/** Payload of topic `parsed`. Articles by reference; links in parts of at most `linksPerMessageMax`. */
export const Parsed = Schema.Struct({
  ...Fetched.fields,
  verdict: Verdict,
  kind: DocumentKind,
  article: Schema.NullOr(ArticleRef),
  /** Codes of the article validation that failed. */
  rejected: Schema.Array(Schema.String),
  links: Schema.Array(Link),
  /** More links of a page whose first part travels as a message of its own: that one tells of the page. */
  more: Schema.optionalKey(Schema.Literal(true))
})
export type Parsed = typeof Parsed.Type

/** Payload of topic `scored`: the parsed page with the facts the priority chain needs of its links' hosts. */
export const Scored = Schema.Struct({
  ...Parsed.fields,
  scores: Schema.Record(
    Schema.String,
    Schema.Struct({
      /** null: no score (cold start, or one older than its window). */
      value: Schema.NullOr(Schema.Finite),
      threshold: Schema.Finite,
      /** Only an override that holds now. */
      override: Schema.NullOr(Priority),
      /** Default priorities of parsing rules, by path prefix. */
      rules: Schema.Array(Schema.Struct({ path: Schema.String, priority: Priority }))
    })
  )
})
export type Scored = typeof Scored.Type
