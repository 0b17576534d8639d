import { Effect, Option, Result, Schema } from "effect"
import type { Article } from "../domain/article.ts"
import { CrawlJob, type Priority } from "../domain/crawl.ts"
import { Pages, Robots, Sources, type UrlRecord } from "../domain/ports.ts"
import { ruleFor } from "../domain/priority.facts.ts"
import { explainPriority, prioritise } from "../domain/priority.ts"
import type { Source } from "../domain/source.ts"
import { normaliseUrl, registrableDomain, urlKey } from "../domain/url.ts"
import type { Explanation } from "./api/answers.ts"
import { checkUrl } from "./cli/seeds.ts"
import type { Settings } from "./config.ts"
import { ground } from "./control.ground.ts"
import { stored } from "./control.sources.ts"
import { type ControlError, controlError } from "./control.ts"
import { Database } from "./database.ts"
import { hostPriority } from "./dossier.ts"

/** Rows of history of one kind. */
const HISTORY_MAX = 20

/** The sources whose links this URL could be: those of its registrable domain, the URL's own first. */
const sourcesOf = (all: ReadonlyArray<Source>, key: string, hostname: string): ReadonlyArray<Source> => {
  const scope = registrableDomain(hostname)
  const near = all.filter((it) => registrableDomain(new URL(it.url).hostname) === scope)
  return [...near].sort(
    (a, b) => Number(urlKey(normaliseUrl(b.url)) === key) - Number(urlKey(normaliseUrl(a.url)) === key)
  )
}

type Event = Explanation["history"][number]
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const urlEvents = (record: UrlRecord | null): ReadonlyArray<Event> =>
  record === null
    ? []
    : [
        { at: iso(record.first_seen_at), event: "first_seen", facts: { visits: record.visits } },
        ...(record.fetched_at === null
          ? []
          : [
              {
                at: iso(record.fetched_at),
                event: "fetched",
                facts: { status: record.status, etag: record.validators.etag }
              }
            ])
      ]

const articleEvents = (articles: ReadonlyArray<Article>): ReadonlyArray<Event> =>
  articles.map(({ id, title, verdict, priority, extraction, detected_at }) => ({
    at: detected_at,
    event: "article",
    facts: { id, title, verdict, priority, extraction }
  }))

/** Outcomes of validation, waiting messages and dead letters: what only a database keeps. */
const recorded = (database: Database["Service"], url: string, key: string) =>
  stored(
    database.query<{ readonly at: number; readonly event: string; readonly facts: Record<string, unknown> }>(
      `(select ms_of(at) as at, 'outcome' as event,
          jsonb_build_object('verdict', verdict, 'codes', codes, 'evidence', evidence) as facts
        from validation_outcomes where url = $1 order by at desc limit ${HISTORY_MAX})
       union all
       (select ms_of(not_before), case when leased then 'in_progress' else 'waiting' end,
          jsonb_build_object('topic', topic, 'attempt', attempt, 'message', id)
        from messages where starts_with(id, $2) order by not_before limit ${HISTORY_MAX})
       union all
       (select ms_of(at), 'dead_letter', jsonb_build_object('id', id, 'stage', stage, 'code', code, 'message', message)
        from dead_letters where starts_with(id, $2) order by at desc limit ${HISTORY_MAX})`,
      [url, `${key}.`]
    )
  ).pipe(Effect.map((rows) => rows.map(({ at, event, facts }): Event => ({ at: iso(at), event, facts }))))

const decodeJob = Schema.decodeUnknownOption(CrawlJob)
/** The job of this URL that waits for its next visit; crawl messages carry it whole. */
const waitingJob = (database: Database["Service"], key: string) =>
  stored(
    database.query<{ readonly payload: unknown }>(
      "select payload from messages where starts_with(id, $1) and topic like 'crawl.%' order by not_before limit 1",
      [`${key}.`]
    )
  ).pipe(Effect.map(([row]) => Option.getOrNull(decodeJob(row?.payload))))

const fetcherOf = (database: Database["Service"], host: string) =>
  stored(
    database.query<{ readonly fetcher: string; readonly reason: string | null }>(
      "select fetcher, reason from fetcher_rules where host_pattern = $1 and fetcher <> 'auto'",
      [host]
    )
  )

const rulesOf = (database: Database["Service"], host: string, path: string) =>
  stored(
    database.query<{ readonly rule: Record<string, unknown> }>(
      `select jsonb_build_object('id', id, 'source_name', source_name, 'path_pattern', path_pattern,
         'target_type', target_type, 'version', version, 'priority', priority) as rule
       from parsing_rules where enabled and host_pattern = $1 and starts_with($2, path_pattern)
       order by length(path_pattern) desc, version desc limit 1`,
      [host, path]
    )
  )

/** The rules of a host that carry a priority, as the router reads them: which of them speaks is decided there and here alike. */
const priorityRulesOf = (database: Database["Service"], host: string) =>
  stored(
    database.query<{ readonly id: string; readonly path: string; readonly priority: Priority }>(
      `select id::text as id, path_pattern as path, priority from parsing_rules
       where enabled and host_pattern = $1 and priority is not null order by version desc`,
      [host]
    )
  )

/** A site that does not answer must not hold the explanation back. */
const ROBOTS_TIMEOUT = "5 seconds"

/**
 * Which rule, fetcher and priority a URL gets if its link were found now, why, and what happened to it so far. Asks
 * robots.txt only where this process can (a running crawler has it cached).
 */
export const explain = Effect.fn("Control.explain")(function* (
  given: string,
  cidrs: ReadonlyArray<string>
): Effect.fn.Return<Explanation, ControlError, Pages | Settings | Sources> {
  const checked = checkUrl(given, cidrs)
  if (Result.isFailure(checked)) {
    return yield* controlError("invalid", `url: ${checked.failure.code}: ${checked.failure.message}`, "url")
  }
  const { href, hostname, path } = checked.success
  const key = urlKey(normaliseUrl(href))
  const pages = yield* Pages
  const database = Option.getOrNull(yield* Effect.serviceOption(Database))
  const robots = yield* Effect.serviceOption(Robots)
  const record = yield* stored(pages.url(key))
  const near = sourcesOf(yield* stored((yield* Sources).list), key, hostname)
  const known = database === null ? null : yield* hostPriority(database, hostname)
  const job = database === null ? null : yield* waitingJob(database, key)
  const [rule] = database === null ? [] : yield* rulesOf(database, hostname, path)
  const speaking = database === null ? null : ruleFor(yield* priorityRulesOf(database, hostname), path)
  const read = record !== null && record.article_id !== null
  const { changes, facts, shown } = ground({ url: href, near, key, job, read, known, rule: speaking })
  const [fetcher] = database === null ? [] : yield* fetcherOf(database, hostname)
  const id = record?.article_id ?? null
  const articles = id === null ? [] : yield* stored(pages.articles({ ids: [id], limit: 1 }))
  const events = [
    ...urlEvents(record),
    ...articleEvents(articles),
    ...(database === null ? [] : yield* recorded(database, href, key))
  ]
  const answered = Option.isNone(robots)
    ? Option.none()
    : Option.flatten(yield* Effect.option(Effect.timeoutOption(robots.value.check(href), ROBOTS_TIMEOUT)))
  return {
    url: href,
    host: hostname,
    priority: prioritise(facts),
    chain: explainPriority(facts).map(({ by, opinion }) => ({ by, verdict: opinion, facts: shown[by] ?? {} })),
    changes,
    fetcher:
      fetcher === undefined
        ? { value: "auto", by: "default" }
        : { value: fetcher.fetcher, by: `fetcher_rules${fetcher.reason === null ? "" : `: ${fetcher.reason}`}` },
    rule: rule?.rule ?? null,
    robots: Option.getOrNull(answered),
    history: events.sort((a, b) => (a.at ?? "").localeCompare(b.at ?? ""))
  }
})
