import { Context, type Effect, type Stream } from "effect"
import type { Article, Verdict } from "./article.ts"
import type { CrawlJob, Millis } from "./crawl.ts"
import type { BadData, Fatal, FetchError, Retryable, Suspendable, Unavailable } from "./errors.ts"
import type { RawPage, RawQuery, Validators } from "./fetching.ts"
import type { Ended } from "./hosts.ts"
import type { OptOut } from "./optout.ts"
import type { Hints, Reading } from "./reading.ts"
import type { ParsingRule } from "./rule.ts"
import type { PollResult, Source } from "./source.ts"
import type { DeadLetter, Envelope, Outgoing, Topic } from "./topics.ts"

/** One leased message. Until its receipt is settled nobody else sees it; when its lease runs out, somebody does. */
export interface Delivery {
  readonly envelope: Envelope
  /** How often work on it began and its holder died. */
  readonly crashes: number
  readonly receipt: Receipt
}
export interface Receipt {
  readonly id: string
  readonly topic: Topic
  /** Fences a late settlement: only the holder of the latest lease settles. */
  readonly lease: number
}

/** The end of one delivery: what it leads to is stored together with its acknowledgement, or not at all. */
export interface Settlement {
  readonly receipt: Receipt
  readonly publish: ReadonlyArray<Outgoing>
  readonly dead: ReadonlyArray<DeadLetter>
}

export interface Subscription {
  readonly topics: ReadonlyArray<{ readonly topic: Topic; readonly weight: number }>
  /** Deliveries that may be out and unsettled at once. */
  readonly limit: number
  /** Deliveries of one key that may be out at once: a host that is not ready never blocks another. */
  readonly perKey: number
  /** End once no message is left, neither visible, due later nor leased (a one-shot run). */
  readonly untilDrained: boolean
}

/**
 * Carries messages between stages: at least once, each leased to one consumer.
 * `publish` leaves a message whose id is already there as it is. `settle` is one atomic step per call; a settlement whose
 * lease is no longer held does nothing. `release` hands leases back unworked (a drain), charging nothing.
 * `begin` says that work on a delivery begins now; one that was only waiting is nobody's crash. A message begun `crashesMax`
 * times without an outcome goes to the dead letters (`crash_loop`).
 * Fails only with Unavailable; a message that cannot be stored is the caller's BadData, the rest of its batch is kept.
 */
export class Bus extends Context.Service<
  Bus,
  {
    readonly publish: (messages: ReadonlyArray<Outgoing>) => Effect.Effect<void, Unavailable | BadData>
    /** Endless (unless `untilDrained`); ends when `stop` completes. Leases are renewed while deliveries are out. */
    readonly consume: (subscription: Subscription, stop: Effect.Effect<void>) => Stream.Stream<Delivery, Unavailable>
    readonly begin: (receipts: ReadonlyArray<Receipt>) => Effect.Effect<void, Unavailable>
    readonly settle: (settlements: ReadonlyArray<Settlement>) => Effect.Effect<void, Unavailable | BadData>
    readonly release: (receipts: ReadonlyArray<Receipt>) => Effect.Effect<void, Unavailable>
    /** Messages by topic: visible now, due later, leased. */
    readonly backlog: Effect.Effect<
      ReadonlyArray<{ readonly topic: Topic; readonly ready: number; readonly later: number; readonly leased: number }>,
      Unavailable
    >
  }
>()("crawler/Bus") {}

/** A raw page and its body (charset untouched). */
export interface RawBody {
  readonly raw: RawPage
  readonly body: Uint8Array
}
export type Saved = "new" | "revision" | "duplicate"
export interface OutcomeRecord {
  readonly raw_id: string
  readonly url: string
  readonly host: string
  /** `refused`: never dialled, by the address guard, by robots.txt or as a poll that nobody wants any more; the code says which. */
  readonly verdict: Verdict | "refused"
  readonly evidence: Readonly<Record<string, unknown>>
  /** Codes of the article validation that failed; empty for a document that ended at its verdict. */
  readonly codes: ReadonlyArray<string>
  readonly at: Millis
}

/**
 * The store of pages and what became of them. Every write takes many rows, is idempotent by key and is one statement.
 * `saveArticles` answers per row, in order: stored for the first time, stored as a revision (its text changed), or the same as
 * before. Only an article's primary URL (its first) writes revisions. Asked again by the same job (a replay after a crash) it
 * answers as it did the first time, so that what follows from a new article is never lost.
 */
export class Pages extends Context.Service<
  Pages,
  {
    readonly saveRaws: (pages: ReadonlyArray<RawBody>) => Effect.Effect<void, Unavailable | BadData>
    /** null: purged by its TTL, or never stored. */
    readonly raw: (id: string) => Effect.Effect<RawBody | null, Unavailable>
    /** The latest stored page of each URL of a host, newest first; bodies over `bytesMax` are left out. */
    readonly raws: (query: RawQuery) => Effect.Effect<ReadonlyArray<RawBody>, Unavailable>
    readonly saveArticles: (
      rows: ReadonlyArray<{ readonly article: Article; readonly url_key: string; readonly job_id: string }>
    ) => Effect.Effect<ReadonlyArray<Saved>, Unavailable | BadData>
    readonly articles: (query: {
      readonly ids?: ReadonlyArray<string>
      readonly host?: string
      readonly since?: Millis
      readonly after?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Article>, Unavailable>
    /** `validation_outcomes`: survive their raws. */
    readonly saveOutcomes: (outcomes: ReadonlyArray<OutcomeRecord>) => Effect.Effect<void, Unavailable | BadData>
    /** Validators and history of one URL. */
    readonly url: (key: string) => Effect.Effect<UrlRecord | null, Unavailable>
    readonly saveValidators: (
      rows: ReadonlyArray<{
        readonly url_key: string
        readonly url: string
        readonly host: string
        readonly validators: Validators
        readonly fetched_at: Millis
        readonly status: number
      }>
    ) => Effect.Effect<void, Unavailable | BadData>
  }
>()("crawler/Pages") {}

export interface UrlRecord {
  readonly url_key: string
  readonly url: string
  readonly host: string
  readonly article_id: string | null
  readonly validators: Validators
  readonly first_seen_at: Millis
  readonly fetched_at: Millis | null
  readonly status: number | null
  readonly visits: number
}

/** A link whose priority is resolved: what the router asks the frontier to take. */
export interface Planned {
  readonly job: CrawlJob
  /** Hash of the normalised URL; with `job.visit` the identity of this visit. */
  readonly url_key: string
  readonly topic: Topic
  /** Least gap between requests to this host (ms): due times are dealt out this far apart. */
  readonly pace_ms: number
  /** Not due before this instant. */
  readonly not_before: Millis
}

/**
 * The frontier: which URLs are known, and when each host's next one is due. `enqueue` drops known (url, visit) pairs,
 * deals out due times per host and priority, and inserts the crawl messages: one statement. Answers how many were new.
 * `known`: which of these URL keys were asked for before (visit 0). `repace` deals the waiting links of a host out anew, one
 * gap apart from now on: those that were dealt by another gap.
 */
export class Frontier extends Context.Service<
  Frontier,
  {
    /** Answers of each link, in order, whether it was new. */
    readonly enqueue: (links: ReadonlyArray<Planned>) => Effect.Effect<ReadonlyArray<boolean>, Unavailable | BadData>
    readonly known: (url_keys: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, Unavailable>
    readonly repace: (host: string, pace_ms: number) => Effect.Effect<void, Unavailable>
  }
>()("crawler/Frontier") {}

/**
 * Sources and their slots. `put` leaves `last` as it is: only `ended` writes it, and never an earlier result over a later one.
 * `fire` inserts one poll per (source, slot) and moves `next_poll_at`, in one statement.
 */
export class Sources extends Context.Service<
  Sources,
  {
    readonly list: Effect.Effect<ReadonlyArray<Source>, Unavailable>
    readonly find: (id: string) => Effect.Effect<Source | null, Unavailable>
    readonly ended: (id: string, result: PollResult) => Effect.Effect<void, Unavailable>
    readonly put: (sources: ReadonlyArray<Source>) => Effect.Effect<void, Unavailable | BadData>
    readonly remove: (id: string) => Effect.Effect<boolean, Unavailable>
    readonly due: (now: Millis, limit: number) => Effect.Effect<ReadonlyArray<Source>, Unavailable>
    readonly fire: (
      polls: ReadonlyArray<{
        readonly source: Source
        readonly slot: Millis
        readonly next: Millis
        readonly message: Outgoing
      }>
    ) => Effect.Effect<number, Unavailable | BadData>
  }
>()("crawler/Sources") {}

/**
 * Brings one page. Checks the address, robots.txt, every redirect hop and every bound; never decides a charset.
 * `validators` are replayed; a 304 comes back with status 304 and an empty body.
 * Any HTTP answer that has a body worth judging is a RawPage (also 404: the validator judges it); 429, 5xx and
 * broken connections are Retryable, refused addresses and robots are Fatal.
 */
export class Fetcher extends Context.Service<
  Fetcher,
  {
    readonly fetch: (job: CrawlJob, validators: Validators | null) => Effect.Effect<RawBody, FetchError>
    /** There is a browser here: `job.fetcher` may be `browser`, else it is plain HTTP all the same. */
    readonly renders?: boolean
  }
>()("crawler/Fetcher") {}

/** What robots.txt (and the manners it asks for) says of a URL. */
export interface RobotsAnswer {
  readonly allowed: boolean
  /** Why, in words: `allowed by robots.txt`, `disallow: /private/`, `robots.txt answered 503`. */
  readonly reason: string
  readonly crawl_delay_ms: number | null
  readonly ai_opt_outs?: ReadonlyArray<OptOut>
  /** Set where the file could not be had: the refusal is not the site's word but trouble, Retryable at this instant. */
  readonly until?: Millis
}
/** robots.txt per origin (RFC 9309), cached at most 24 h; an unreachable one disallows for a short while. */
export class Robots extends Context.Service<
  Robots,
  {
    readonly check: (url: string) => Effect.Effect<RobotsAnswer, Unavailable>
    /** Can `check` answer without a request? */
    readonly known: (url: string) => Effect.Effect<boolean, Unavailable>
  }
>()("crawler/Robots") {}

export type Slot =
  | { readonly tag: "granted"; readonly token: string }
  | { readonly tag: "wait"; readonly until: Millis; readonly reason: "delay" | "in_flight" | "retry_after" | "breaker" }

/** What a request's end did to its host. */
export interface Released {
  /** The breaker opened now (S1.8). */
  readonly tripped: boolean
}

/**
 * Host state: one in flight (a setting), the delay between requests, Retry-After, the breaker. Shared by all processes
 * (Redis) or owned by one (memory). `acquire` never sleeps: it grants or says until when to wait.
 */
export class Hosts extends Context.Service<
  Hosts,
  {
    /** `page`: what is asked for. While the breaker waits for its probe, a page that failed gives way to others. */
    readonly acquire: (host: string, page?: string) => Effect.Effect<Slot, Unavailable>
    /** Ends a request. */
    readonly release: (host: string, token: string, outcome: Ended) => Effect.Effect<Released, Unavailable>
    /** The least gap a host asks for (robots crawl-delay, a rule): the strictest of these and the setting holds. */
    readonly setDelay: (host: string, delay_ms: number) => Effect.Effect<void, Unavailable>
    /** The gap in force, ms. */
    readonly delay: (host: string) => Effect.Effect<number, Unavailable>
  }
>()("crawler/Hosts") {}

type Read = Effect.Effect<Reading, Fatal | Unavailable>

/**
 * Reads a document: charset, kind, verdict, content, links. Pure in its inputs and remembered for a short while by raw id,
 * so that one process reads a page once. `rule`: by this one (null: by none), not that in force. Too long: `reader_limit`.
 */
export class Reader extends Context.Service<
  Reader,
  { readonly read: (id: string, body: Uint8Array, hints: Hints, rule?: ParsingRule | null) => Read }
>()("crawler/Reader") {}

/** Where finished articles go besides the store: JSON lines, a webhook, a topic. At least once; ids tell repeats apart. */
export class Outputs extends Context.Service<
  Outputs,
  {
    /** False: nobody listens, so articles need not be read back from the store. */
    readonly enabled: boolean
    readonly deliver: (articles: ReadonlyArray<Article>) => Effect.Effect<void, Retryable | Suspendable | Unavailable>
  }
>()("crawler/Outputs") {}

/** Per-host events as a time series (S1.4): the scorer's input. */
export interface Signal {
  readonly host: string
  readonly at: Millis
  /** `trip`: the breaker opened; `relearn`: a parsing rule was learnt anew. Both cost or worry, whatever the page. */
  readonly kind: "fetch" | "article" | "rejected" | "detected" | "trip" | "relearn"
  readonly fetcher: "http" | "browser" | "file"
  readonly status: number
  readonly latency_ms: number
  /** publish→detect lag in ms, where both are known. */
  readonly lag_ms: number | null
  readonly category: string | null
}
export class Signals extends Context.Service<
  Signals,
  { readonly record: (signals: ReadonlyArray<Signal>) => Effect.Effect<void, Unavailable | BadData> }
>()("crawler/Signals") {}

/** What a store must do for itself now and then: checkpoints, vacuums, partitions, expiries. No step over 200 ms; each fails alone. */
export class Upkeep extends Context.Service<Upkeep, { readonly run: Effect.Effect<void> }>()("crawler/Upkeep") {}
