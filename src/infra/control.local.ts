import { Clock, Duration, Effect, Layer, Option } from "effect"
import { AiJobs, AiLedger } from "../domain/ai/ports.ts"
import type { Article } from "../domain/article.ts"
import { FetcherRules } from "../domain/fetcherrules.ts"
import { reprioritise } from "../domain/links.ts"
import { Bus, Frontier, Pages, type Sources } from "../domain/ports.ts"
import type { HostFacts } from "../domain/priority.facts.ts"
import { Scores } from "../domain/priority.ports.ts"
import { ParsingRules } from "../domain/ruling.ts"
import { seedJob } from "../domain/seed.ts"
import { Upgrades } from "../domain/upgrade.ts"
import { normaliseUrl, urlKey } from "../domain/url.ts"
import { sift } from "./cli/seeds.ts"
import { Settings } from "./config.ts"
import { candidateOperations } from "./control.candidates.ts"
import { explain } from "./control.explain.ts"
import { jobOperations, noJobs } from "./control.jobs.ts"
import { noOverview, overviewOperation } from "./control.overview.ts"
import { boundsOf, noParsing, parsingOperations } from "./control.parsing.ts"
import { letterOperations, noRecords, recordOperations } from "./control.records.ts"
import { noReparse, reparseOperation } from "./control.reparse.ts"
import { optionalResearch } from "./control.research.ts"
import { noRules, ruleOperations } from "./control.rules.ts"
import { sourceOperations, stored } from "./control.sources.ts"
import { Control, controlError } from "./control.ts"
import { Database } from "./database.ts"
import { DeadLetters } from "./deadletters.ts"

/** Rows when no limit is given. */
const LIMIT = 20
/** Jobs of one statement. */
const ENQUEUE_MAX = 500

type Enqueue = Control["Service"]["enqueue"]

/** URLs of an operator are taken alone: what a front page leads to is a source's or a one-shot crawl's business. */
const enqueue = Effect.fnUntraced(function* (
  input: Parameters<Enqueue>[0],
  settings: Settings["Service"],
  scores: Scores["Service"] | null
) {
  const frontier = yield* Frontier
  const now = yield* Clock.currentTimeMillis
  const { urls, refused, repeated } = sift(
    input.urls.map((text, at) => ({ where: `urls.${at}`, text })),
    settings.ALLOW_PRIVATE_CIDRS
  )
  const pace_ms = Duration.toMillis(settings.FETCH_DELAY)
  const seeding = { type: "auto", hops: 0, lists: false, category: input.category ?? null, visit: 0 } as const
  const hosts = [...new Set(urls.map((it) => it.hostname))]
  const facts = scores === null ? new Map<string, HostFacts>() : yield* stored(scores.facts(hosts))
  const jobs = urls.map((url) => reprioritise({ ...seedJob(url, seeding, now), pace_ms }, facts.get(url.hostname)))
  let accepted = 0
  for (let from = 0; from < jobs.length; from += ENQUEUE_MAX) {
    const isFresh = yield* stored(frontier.enqueue(jobs.slice(from, from + ENQUEUE_MAX)))
    accepted += isFresh.filter(Boolean).length
  }
  const rejected = refused.map(({ input: text, code, message }) => ({ input: text, code, message }))
  return { accepted, known: jobs.length - accepted + repeated, rejected }
})

const withoutHtml = (articles: ReadonlyArray<Article>, html: boolean): ReadonlyArray<Article> =>
  html ? articles : articles.map((it) => ({ ...it, html: null }))

const listArticles = Effect.fnUntraced(function* (input: Parameters<Control["Service"]["articles.list"]>[0]) {
  const pages = yield* Pages
  const { after, host, html, since, url } = input
  const limit = input.limit ?? LIMIT
  if (url !== undefined) {
    const record = yield* stored(pages.url(urlKey(normaliseUrl(url))))
    const ids = record?.article_id === undefined || record.article_id === null ? [] : [record.article_id]
    const found = ids.length === 0 ? [] : yield* stored(pages.articles({ ids, limit: 1 }))
    return { articles: withoutHtml(found, html ?? false), next: null }
  }
  const articles = yield* stored(
    pages.articles({
      limit,
      ...(host === undefined ? {} : { host }),
      ...(since === undefined ? {} : { since: Date.parse(since) }),
      ...(after === undefined ? {} : { after })
    })
  )
  const last = articles.at(-1)
  return {
    articles: withoutHtml(articles, html ?? false),
    next: articles.length < limit || last === undefined ? null : last.id
  }
})

/** What is answered where nothing but memory is there. */
const withoutStore = { ...noRecords, ...noJobs, ...noParsing, ...noReparse, ...noOverview }

/** The operations over the ports of this process. Those of the database answer `unsupported` where there is none. */
export const layer = (version: string): Layer.Layer<Control, never, Pages | Frontier | Sources | Bus | Settings> =>
  Layer.effect(
    Control,
    Effect.gen(function* () {
      const context = yield* Effect.context<Pages | Frontier | Sources | Bus>()
      const settings = yield* Settings
      const database = yield* Effect.serviceOption(Database)
      const rules = Option.all([yield* Effect.serviceOption(FetcherRules), yield* Effect.serviceOption(Upgrades)])
      const scores = Option.getOrNull(yield* Effect.serviceOption(Scores))
      const letters = yield* Effect.serviceOption(DeadLetters)
      const parsing = Option.getOrNull(yield* Effect.serviceOption(ParsingRules))
      const jobs = Option.getOrNull(yield* Effect.serviceOption(AiJobs))
      const ledger = Option.getOrNull(yield* Effect.serviceOption(AiLedger))
      const pages = yield* Pages
      const bus = yield* Bus
      const sources = yield* sourceOperations(settings.ALLOW_PRIVATE_CIDRS)
      const research = yield* optionalResearch
      return Control.of({
        ...sources,
        ...(yield* candidateOperations(sources["sources.import"])),
        ...research,
        ...withoutStore,
        ...(parsing === null ? {} : parsingOperations(parsing, pages, boundsOf(settings))),
        ...(jobs === null || ledger === null ? {} : jobOperations(jobs, ledger, settings.AI_BUDGET_DAILY_USD)),
        ...Option.match(rules, {
          onNone: () => noRules,
          onSome: ([it, upgrades]) => ruleOperations(it, upgrades, settings, Option.getOrNull(database))
        }),
        ...Option.match(database, {
          onNone: () => ({}),
          onSome: (it) => ({
            ...recordOperations(it, settings, scores),
            ...reparseOperation(it, bus, pages),
            ...overviewOperation({ version, settings, database: it, bus, jobs, ledger })
          })
        }),
        ...Option.match(letters, { onNone: () => ({}), onSome: letterOperations }),
        enqueue: (input) => Effect.provideContext(enqueue(input, settings, scores), context),
        "articles.list": (input) => Effect.provideContext(listArticles(input), context),
        "articles.show": ({ id }) =>
          Effect.flatMap(stored(pages.articles({ ids: [id], limit: 1 })), ([article]) =>
            article === undefined
              ? Effect.fail(controlError("not_found", `there is no article ${id}`, "id"))
              : Effect.succeed(article)
          ),
        explain: ({ url }) =>
          Effect.provideContext(
            Effect.provideService(explain(url, settings.ALLOW_PRIVATE_CIDRS), Settings, settings),
            context
          ),
        status: () => stored(Effect.map(bus.backlog, (backlog) => ({ version, backlog })))
      })
    })
  )
