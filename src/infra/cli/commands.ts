import { LIMIT_MAX } from "../api/answers.ts"
import { jobbing } from "./commands.jobs.ts"
import { parsing } from "./commands.parsing.ts"
import { researching } from "./commands.research.ts"
import { ruling } from "./commands.rules.ts"
import { choice, type Flags, millis, since, stages, toggle, type Values, whole, word } from "./flag.ts"

/** The words of a command that are no flags. */
export interface Positionals {
  /** As shown in help: `URL…`; empty for none. */
  readonly label: string
  readonly min: number
  readonly max: number
}

/** What one command takes, and what its help says. */
export interface Shape<F extends Flags> {
  readonly help: string
  readonly words: Positionals
  readonly flags: F
  readonly examples: ReadonlyArray<string>
  /** What no single flag can say: which of them go together. null when all is well. */
  readonly check?: (words: ReadonlyArray<string>, flags: Values<F>) => string | null
}

const shape = <F extends Flags>(it: Shape<F>): Shape<F> => it
const none: Positionals = { label: "", min: 0, max: 0 }
const one = (label: string): Positionals => ({ label, min: 1, max: 1 })
/** Words of one command line: beyond this the shell itself gives up; a file serves better. */
const WORDS_MAX = 10_000
const some = (label: string): Positionals => ({ label: `${label}…`, min: 1, max: WORDS_MAX })
const any = (label: string): Positionals => ({ label: `[${label}…]`, min: 0, max: WORDS_MAX })

const json = toggle("Answer as JSON.")
/** Rows of one answer, where it is not paged. */
const rows = whole("N", 1, LIMIT_MAX, "At most (50).")
const limit = (help: string) => whole("N", 1, 1_000_000, help)
const strict = toggle("Stop at the first list with a bad line (exit 65) instead of leaving the line out.")
const seeds = word("FILE", "URLs, one a line; `-` reads standard input.")
const priorities = ["high", "normal", "low"] as const

const crawling = {
  run: shape({
    help: "Run the crawler until it is told to stop (also: crawler [--stages …]).",
    words: none,
    flags: {
      stages: stages("Stages to run, with their parallelism; all when not given."),
      port: whole("N", 0, 65_535, "HTTP port instead of HTTP_PORT; 0 = off.")
    },
    examples: ["crawler", "crawler --stages fetcher,parser:2", "crawler run --port 9090"]
  }),
  crawl: shape({
    help: "Crawl once: front, list, feed, sitemap or article URLs in, one JSON article a line out.",
    words: any("URL"),
    flags: {
      seeds,
      limit: limit("Articles at most."),
      out: word("FILE", "Write articles here instead of standard output."),
      concurrency: whole("N", 1, 1024, "Requests in flight, over all hosts (FETCH_CONCURRENCY)."),
      "per-host": whole("N", 1, 256, "Requests in flight to one host (FETCH_PER_HOST)."),
      delay: millis("MS", "0ms", "1h", "Least time between two requests to one host (FETCH_DELAY).", true),
      store: toggle("Keep pages and articles in the data directory instead of a temporary store."),
      html: toggle("Also give each article's cleaned HTML."),
      strict
    },
    examples: [
      "crawler crawl https://news.example/ --limit 20",
      "crawler crawl --seeds seeds.txt --out articles.jsonl"
    ],
    check: (words, flags) => (words.length === 0 && flags.seeds === null ? "give a URL or --seeds FILE" : null)
  }),
  enqueue: shape({
    help: "Give article URLs to the crawler of this data directory, running or to be started. Links are not followed: for lists there is `sources add`.",
    words: any("URL"),
    flags: { seeds, strict, category: word("C", "Category of these URLs."), json },
    examples: ["crawler enqueue https://news.example/politics/1"],
    check: (words, flags) => (words.length === 0 && flags.seeds === null ? "give a URL or --seeds FILE" : null)
  }),
  extract: shape({
    help: "Read saved HTML, without network: one JSON article a line.",
    words: any("FILE|-"),
    flags: {
      url: word("URL", "Where the page came from."),
      batch: word("MANIFEST", "JSON lines {id, path, url}; `-` reads standard input."),
      out: word("FILE", "Write articles here instead of standard output."),
      html: toggle("Also give each article's cleaned HTML.")
    },
    examples: ["crawler extract page.html --url https://news.example/1", "crawler extract --batch manifest.jsonl"],
    check: (words, flags) =>
      flags.batch !== null
        ? words.length > 0 || flags.url !== null
          ? "--batch names its files itself: leave out FILE and --url"
          : null
        : flags.url === null
          ? "give --url URL (where the page came from) or --batch MANIFEST"
          : null
  }),
  explain: shape({
    help: "Which rule, fetcher and priority a URL gets and why, and what happened to it so far.",
    words: one("URL"),
    flags: { json },
    examples: ["crawler explain https://news.example/politics/1 --json"]
  })
} as const

const keeping = {
  "sources add": shape({
    help: "Poll a list, feed or sitemap for new articles: links that look like articles are followed, sections are not.",
    words: { label: "[URL]", min: 0, max: 1 },
    flags: {
      preset: word("NAME", "A ready-made set of sources instead of a URL."),
      name: word("TEXT", "Name shown; the URL's host when not given."),
      kind: choice(["list", "feed", "sitemap"], "What the URL is; told by its form when not given."),
      every: millis("TIME", "10s", "30d", "Poll this often (5m when neither --every nor --cron is given)."),
      cron: word("C", "Poll at these times: five fields."),
      tz: word("ZONE", "IANA time zone of --cron and of dates without one."),
      category: word("C", "Category of its articles."),
      section: word("S", "Section of its articles."),
      "page-url": word("URL", "Address of a list's further pages, {page} for their number, {yyyyMMdd} for the day."),
      "max-pages": whole("N", 1, 100, "List pages read per poll; CRAWL_MAX_PAGES when not given."),
      country: word("CC", "Country, two letters."),
      priority: choice(priorities, "Priority of its articles where nothing else decides."),
      json
    },
    examples: ["crawler sources add https://news.example/rss --every 5m", "crawler sources add --preset naver-economy"],
    check: (words, flags) =>
      (words.length === 1) === (flags.preset !== null)
        ? "give either a URL or --preset NAME"
        : flags.every !== null && flags.cron !== null
          ? "give either --every or --cron"
          : null
  }),
  "sources list": shape({ help: "All sources.", words: none, flags: { json }, examples: ["crawler sources list"] }),
  "sources show": shape({
    help: "One source.",
    words: one("ID"),
    flags: { json },
    examples: ["crawler sources show deb3566fe1be2f3e"]
  }),
  "sources import": shape({
    help: "Take sources from a list of URLs, from JSON lines (url, kind, every, category, …) or from a dataset of research.",
    words: one("FILE|-|DATASET"),
    flags: { strict, enable: toggle("Poll a dataset's sites at once; else they wait, disabled."), json },
    examples: ["crawler sources import sources.jsonl", "crawler sources import sg-news-2026-01-25-0001"]
  }),
  "sources enable": shape({
    help: "Poll again.",
    words: some("ID"),
    flags: { json },
    examples: ["crawler sources enable deb3566fe1be2f3e"]
  }),
  "sources disable": shape({
    help: "Poll no more; keep the source.",
    words: some("ID"),
    flags: { json },
    examples: ["crawler sources disable deb3566fe1be2f3e"]
  }),
  "sources remove": shape({
    help: "Forget sources; their articles stay.",
    words: some("ID"),
    flags: { json },
    examples: ["crawler sources remove deb3566fe1be2f3e"]
  }),
  "articles list": shape({
    help: "Articles in the store, one line each, in the order of their ids.",
    words: none,
    flags: { host: word("H", "Of this host."), since: since("Fetched since."), limit: limit("At most (20)."), json },
    examples: ["crawler articles list --since 24h"]
  }),
  "articles show": shape({
    help: "One article, by id or URL.",
    words: one("ID|URL"),
    flags: { json },
    examples: ["crawler articles show https://news.example/politics/1"]
  }),
  "articles export": shape({
    help: "Articles as JSON lines.",
    words: none,
    flags: {
      host: word("H", "Of this host."),
      since: since("Fetched since."),
      limit: limit("At most; all when not given."),
      out: word("FILE", "Write here instead of standard output."),
      html: toggle("Also give each article's cleaned HTML.")
    },
    examples: ["crawler articles export --since 2026-11-01 --out november.jsonl"]
  })
} as const

const operating = {
  status: shape({
    help: "What goes on: articles, backlog, dead letters, hosts, sources and AI, in twenty lines.",
    words: none,
    flags: { json },
    examples: ["crawler status"]
  }),
  "dlq list": shape({
    help: "Dead letters: inputs that could never be worked on.",
    words: none,
    flags: { topic: word("T", "Of this topic."), limit: rows, json },
    examples: ["crawler dlq list --topic crawl.normal"]
  }),
  "dlq show": shape({
    help: "One dead letter with its input.",
    words: one("ID"),
    flags: { json },
    examples: ["crawler dlq show tInX7CkLT8K92nj--KrxB14xbw5dyQ-qUwOwZ6oEBLE.0~fetcher"]
  }),
  "dlq replay": shape({
    help: "Work on dead letters again.",
    words: some("ID"),
    flags: { json },
    examples: ["crawler dlq replay tInX7CkLT8K92nj--KrxB14xbw5dyQ-qUwOwZ6oEBLE.0~fetcher"]
  }),
  "dlq drop": shape({
    help: "Delete dead letters.",
    words: some("ID"),
    flags: { json },
    examples: ["crawler dlq drop tInX7CkLT8K92nj--KrxB14xbw5dyQ-qUwOwZ6oEBLE.0~fetcher"]
  }),
  "hosts list": shape({
    help: "Hosts and how they do.",
    words: none,
    flags: { limit: rows, json },
    examples: ["crawler hosts list"]
  }),
  "hosts show": shape({
    help: "One host: pages, articles, its pace where it was slowed, and until when it is left alone.",
    words: one("HOST"),
    flags: { json },
    examples: ["crawler hosts show news.example"]
  }),
  "hosts priority": shape({
    help: "What decides the priority of a host: score, signals, override, config, and what of it was dropped.",
    words: one("HOST"),
    flags: { json },
    examples: ["crawler hosts priority news.example"]
  }),
  "hosts rate": shape({
    help: "Rate a host from 0 (no trust) to 1; `none` takes the rating back. Half of its trust, from the next scoring on.",
    words: { label: "HOST 0..1|none", min: 2, max: 2 },
    flags: { json },
    examples: ["crawler hosts rate news.example 0.9", "crawler hosts rate news.example none"]
  }),
  sql: shape({
    help: "Run SQL on the store, as its administrator; `-` reads it from standard input.",
    words: one("SQL|-"),
    flags: { json },
    examples: ["crawler sql 'select host, count(*) from articles group by 1'"]
  }),
  migrate: shape({
    help: "Bring the database to this version's schema.",
    words: none,
    flags: { json },
    examples: ["crawler migrate"]
  }),
  config: shape({
    help: "Every setting, its value and where it came from; secrets hidden.",
    words: none,
    flags: { json },
    examples: ["crawler config", "crawler config --json"]
  }),
  doctor: shape({
    help: "Check what the crawler needs, and say what to do about what is missing.",
    words: none,
    flags: { json },
    examples: ["crawler doctor"]
  }),
  version: shape({ help: "The version.", words: none, flags: { json }, examples: ["crawler version"] }),
  help: shape({
    help: "Help on a command.",
    words: { label: "[COMMAND]", min: 0, max: 2 },
    flags: {},
    examples: ["crawler help crawl"]
  })
} as const

/** Every command. A name of two words is a verb of a group. Adding a row adds its parsing, its help and its type. */
export const commands = {
  ...crawling,
  ...keeping,
  ...researching,
  ...ruling,
  ...parsing,
  ...jobbing,
  ...operating
} as const

export type CommandName = keyof typeof commands
/** A command line as understood: `words` in order, `flags` with their defaults filled in (null: not given). */
export type Command = {
  [N in CommandName]: {
    readonly name: N
    readonly words: ReadonlyArray<string>
    readonly flags: (typeof commands)[N] extends Shape<infer F> ? Values<F> : never
  }
}[CommandName]
