import { Context, Result } from "effect"
import { aiSettings } from "./config.ai.ts"
import { crawlSettings } from "./config.crawl.ts"
import { fetcherSettings } from "./config.fetcher.ts"
import { scoringSettings } from "./config.scoring.ts"
import {
  choice,
  contact,
  decimal,
  duration,
  durations,
  flag,
  header,
  list,
  optional,
  optionalUrl,
  type Setting,
  text,
  url,
  whole
} from "./setting.ts"

/** Stands where an operator's own page belongs. */
export const placeholder = "https://crawler.example/bot"

/**
 * Every setting and every bound, declared once: name, form, default, reason. `docs/configuration.md` is made from this
 * table, `crawler config` prints it, and a value that does not fit stops the start (exit 78) with all its siblings.
 */
export const settings = {
  CRAWLER_DATA_DIR: text("./data", "Embedded store, lock, address and token of the running process."),
  HTTP_HOST: text("127.0.0.1", "Loopback unless said otherwise; another address needs ADMIN_TOKEN."),
  HTTP_PORT: whole(8080, { min: 0, max: 65_535 }, "Health, metrics and API; 0 = off."),
  HTTP_BODY_MAX_BYTES: whole(1_048_576, { min: 1024, max: 67_108_864 }, "Bytes read of a request body; more is 413."),
  ADMIN_TOKEN: list("secrets of at least 16 characters between commas", "Scope admin; a list, for rotation.", true),
  READ_TOKEN: list("secrets of at least 16 characters between commas", "Scope read; a list, for rotation.", true),
  LOG_LEVEL: choice("info", ["debug", "info", "warn", "error"], "Least severe line that is written."),
  LOG_FORMAT: choice("auto", ["auto", "pretty", "json"], "auto: pretty on a terminal, JSON lines otherwise."),
  CRAWLER_CONTACT: contact("Where sites reach you: the default USER_AGENT names it, in place of the example's page."),
  USER_AGENT: header(`crawler/0.1 (+${placeholder})`, "Who we say we are; name a page that explains you."),
  USER_AGENT_TOKEN: text("crawler", "The product token that robots.txt groups are matched against."),
  ALLOW_PRIVATE_CIDRS: list(
    "networks such as 127.0.0.0/8, between commas",
    "Private targets that may be dialled: tests and the demo."
  ),
  FETCH_CONCURRENCY: whole(64, { min: 1, max: 1024 }, "Requests in flight, over all hosts."),
  FETCH_PER_HOST: whole(1, { min: 1, max: 256 }, "Requests in flight to one host: one is polite."),
  FETCH_DELAY: duration("1s", { min: "0ms", max: "1h" }, "Least time between two requests to one host."),
  FETCH_TIMEOUT: duration(
    "30s",
    { min: "100ms", max: "5m" },
    "From first packet to last byte, all redirects together."
  ),
  FETCH_CONNECT_TIMEOUT: duration(
    "5s",
    { min: "50ms", max: "1m" },
    "Name resolution of one hop, and the connection to each address that is tried."
  ),
  FETCH_FIRST_BYTE_TIMEOUT: duration(
    "8s",
    { min: "50ms", max: "2m" },
    "From connection to the answer's headers of one hop."
  ),
  FETCH_WAIT_MAX: duration("5s", { min: "0ms", max: "1m" }, "A longer wait for a host goes back to `messages`."),
  FETCH_REDIRECTS_MAX: whole(5, { min: 0, max: 20 }, "Hops followed, each checked like a first request."),
  FETCH_BODY_MAX_BYTES: whole(10_485_760, { min: 1024, max: 268_435_456 }, "Bytes on the wire."),
  FETCH_INFLATED_MAX_BYTES: whole(52_428_800, { min: 1024, max: 1_073_741_824 }, "Bytes after inflating."),
  FETCH_RATIO_MAX: whole(200, { min: 2, max: 10_000 }, "Inflated to wire bytes: more is a bomb."),
  ...fetcherSettings,
  ...crawlSettings,
  ROBOTS_TTL: duration("24h", { min: "1m", max: "24h" }, "Life of a robots.txt that answered (RFC 9309 2.4)."),
  ROBOTS_ERROR_TTL: duration("5m", { min: "1s", max: "1h" }, "Life of a disallow after 5xx, 429 or a network failure."),
  BREAKER_FAILURES: whole(
    5,
    { min: 1, max: 100 },
    "Failures in a row that open a host's breaker; those of one page are one."
  ),
  BREAKER_OPEN: duration("60s", { min: "1s", max: "1h" }, "First open time, doubled per failed probe up to 1h."),
  ...scoringSettings,
  SOURCE_BACKLOG: duration("48h", { min: "0ms", max: "3650d" }, "A source's first poll takes no older links."),
  ARTICLE_REVISITS: durations("1h,24h", "When an article is visited again after its first fetch; `off` for never."),
  RAW_TTL: duration("24h", { min: "1m", max: "90d" }, "Life of a parsed raw page."),
  READER_TIMEOUT: duration(
    "30s",
    { min: "100ms", max: "5m" },
    "Time one page may take to read; then its worker is ended."
  ),
  READER_MEMO: whole(256, { min: 1, max: 10_000 }, "Readings remembered, so that one process reads a page once."),
  STORE_BATCH: whole(100, { min: 1, max: 500 }, "Rows of one statement."),
  STORE_LINGER: duration("50ms", { min: "0ms", max: "1s" }, "Time a row may wait for others; an end, twice that."),
  BUS_LEASE: duration("60s", { min: "1s", max: "10m" }, "Life of a lease without renewal."),
  BUS_POLL: duration("500ms", { min: "10ms", max: "30s" }, "Look for messages of other processes this often."),
  DRAIN_TIMEOUT: duration("20s", { min: "1s", max: "25s" }, "SIGTERM to hand-back of what is still in flight."),
  SCHEDULER_TICK: duration("1s", { min: "50ms", max: "1m" }, "How often due sources are looked for."),
  LINKS_MAX: whole(1000, { min: 1, max: 50_000 }, "Links taken from one list or feed, newest first."),
  MIN_TITLE_LENGTH: whole(10, { min: 1, max: 500 }, "Article validation: code points."),
  MAX_TITLE_LENGTH: whole(500, { min: 10, max: 5000 }, "Article validation: code points."),
  MIN_CONTENT_LENGTH: whole(100, { min: 1, max: 10_000 }, "Article validation: code points."),
  MAX_CONTENT_LENGTH: whole(50_000, { min: 100, max: 1_000_000 }, "Article validation: code points."),
  MIN_QUALITY: decimal(0.5, { min: 0, max: 1 }, "Article validation: least quality."),
  ARTICLES_JSONL: optional(
    "a file path",
    "Append each finished article here as a JSON line; a crash may repeat its last lines, `id` tells them."
  ),
  CHROMIUM_PATH: optional("a file path", "Chromium; else it is looked for on PATH."),
  BROWSER_SANDBOX: flag(true, "Chromium's sandbox; root needs false."),
  GOOGLE_SEARCH_URL: url("https://www.googleapis.com/customsearch/v1", "Google Programmable Search JSON API."),
  GOOGLE_API_KEY: optional(
    "an API key",
    "Key of Google Programmable Search; without it google_search answers nothing.",
    true
  ),
  GOOGLE_CSE_ID: optional("a search engine id", "Which programmable search engine is asked (cx)."),
  CRTSH_URL: url("https://crt.sh/", "Certificate transparency search that answers crt.sh's JSON."),
  WAYBACK_URL: url("https://web.archive.org/cdx/search/cdx", "Wayback Machine CDX server."),
  DNS_SERVERS: list(
    "addresses such as 9.9.9.9 or 127.0.0.1:53, between commas",
    "Asked by DNS enumeration; the system's when empty."
  ),
  RESEARCH_ENVIRONMENT: choice(
    "none",
    ["none", "dev", "staging", "prod"],
    "Prefix of every dataset path (dev/research/…)."
  ),
  RESEARCH_RESULTS_MAX: whole(100, { min: 1, max: 10_000 }, "URLs taken of one answer of one discovery source."),
  RESEARCH_TIMEOUT: duration(
    "30s",
    { min: "100ms", max: "5m" },
    "One answer of a discovery source: crt.sh thinks long."
  ),
  RESEARCH_AUDIT_GIT: optional(
    "a git URL or path",
    "Remote that dataset metadata is committed and pushed to; none when unset."
  ),
  RESEARCH_AUDIT_BRANCH: text("main", "Branch of RESEARCH_AUDIT_GIT."),
  LIVENESS_TIMEOUT: duration("10s", { min: "100ms", max: "2m" }, "One liveness check, all redirects together."),
  DATABASE_URL: optionalUrl("postgres", "Postgres ≥ 15 instead of the embedded store.", true),
  DATABASE_CONNECTIONS: whole(8, { min: 1, max: 100 }, "Connections to DATABASE_URL; the embedded store has one."),
  KAFKA_BROKERS: list("host:port between commas", "Kafka instead of the table bus."),
  KAFKA_PREFIX: text("crawler.", "Before the name of each topic and consumer group."),
  KAFKA_PARTITIONS: whole(12, { min: 1, max: 1000 }, "Partitions of a topic that `crawler migrate` makes."),
  KAFKA_RESEND: duration(
    "10m",
    { min: "1s", max: "24h" },
    "A message that Kafka kept this long untaken is sent again."
  ),
  REDIS_URL: optionalUrl("redis", "Redis instead of memory.", true),
  REDIS_PREFIX: text("crawler:", "Before each key."),
  S3_BUCKET: optional("a bucket's name", "Datasets as objects of this bucket instead of files."),
  RAWS: choice(
    "database",
    ["database", "s3"],
    "Where bodies of raw pages are: in the database (beside an embedded one, in files), or objects of S3_BUCKET."
  ),
  S3_ENDPOINT: url("https://s3.amazonaws.com", "Where the bucket is, by path: the endpoint, then the bucket."),
  S3_REGION: text("us-east-1", "The region that requests are signed for."),
  S3_PREFIX: optional("a text", "Before the name of each object."),
  S3_ACCESS_KEY_ID: optional("a key's id", "Whose requests these are.", true),
  S3_SECRET_ACCESS_KEY: optional("a secret", "Signs requests.", true),
  ...aiSettings
} as const

type Values = { readonly [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer A> ? A : never }

/** The settings of this process, decoded. */
export class Settings extends Context.Service<Settings, Values>()("crawler/Settings") {}

export interface Problem {
  readonly name: string
  readonly value: string
  readonly form: string
}

/** A User-Agent that leads to whoever crawls. */
const named = (values: Values): Values =>
  values.CRAWLER_CONTACT === null
    ? values
    : { ...values, USER_AGENT: values.USER_AGENT.replace(placeholder, values.CRAWLER_CONTACT) }

/** Is this variable set? An empty one is not: `NAME=` in an env file or a compose file means that nothing is wanted. */
export const isSet = (given: string | undefined): given is string => given !== undefined && given.trim() !== ""

/** All problems at once, or all values; what is not set has its default. Secrets are never repeated. */
export const load = (
  env: Readonly<Record<string, string | undefined>>
): Result.Result<Values, ReadonlyArray<Problem>> => {
  const problems: Array<Problem> = []
  const read = (name: string, setting: Setting<unknown>): unknown => {
    const given = env[name]
    if (!isSet(given)) return setting.standard
    const result = setting.parse(given)
    if (Result.isSuccess(result)) return result.success
    problems.push({ name, value: setting.secret ? "<hidden>" : given.slice(0, 100), form: result.failure })
    return setting.standard
  }
  // The mapped type follows from the table; entries lose it, so it is restated once, here.
  const values = Object.fromEntries(Object.entries(settings).map(([name, it]) => [name, read(name, it)])) as Values
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(named(values))
}
