import { Duration, Effect, Layer } from "effect"
import type { NewAiJob } from "../../src/domain/ai/ports.ts"
import { AiPolicy } from "../../src/domain/ai/ports.ts"
import type { Article } from "../../src/domain/article.ts"
import { Pages } from "../../src/domain/ports.ts"
import * as jobs from "../../src/infra/jobs.memory.ts"
import * as ledger from "../../src/infra/ledger.memory.ts"
import * as locks from "../../src/infra/locks.memory.ts"
import * as rules from "../../src/infra/parsingrules.memory.ts"
import * as prompts from "../../src/infra/prompts.embedded.ts"
import * as reader from "../../src/infra/reader.inline.ts"
import * as signals from "../../src/infra/signals.memory.ts"
import { Run } from "../../src/streams/chain.ts"
import { policyOf } from "./world.ts"

/** A Korean article of more than a thousand characters, with numbers and a name. */
export const articleText = Array.from(
  { length: 14 },
  (_, at) =>
    `한국은행은 ${at + 11}일 기준금리를 연 ${at + 2}.50%로 동결한다고 밝혔다. 이창용 총재는 물가와 환율의 흐름을 더 지켜보아야 한다고 설명했다. 시장에서는 ${at + 30}조 원 규모의 자금이 움직일 것으로 내다봤다.`
).join("\n")

export const article = (id: string, more: Partial<Article> = {}): Article => ({
  id,
  url: `https://news.kr/article/${id}`,
  canonical_url: null,
  host: "news.kr",
  identity: id,
  title: "한국은행, 기준금리 동결",
  text: articleText,
  html: null,
  authors: [],
  published_at: null,
  published_source: null,
  zone_source: null,
  modified_at: null,
  language: "ko",
  section: null,
  tags: [],
  image: null,
  description: null,
  site_name: null,
  extraction: { by: "generic", rule: null, version: 1, confidence: 1 },
  verdict: "ok",
  fetched_at: "2026-11-30T00:00:00.000Z",
  detected_at: "2026-11-30T00:00:00.000Z",
  fetcher: "http",
  priority: { value: "normal", by: "default" },
  ...more
})

export const newJob = (article_id: string, more: Partial<NewAiJob> = {}): NewAiJob => ({
  article_id,
  type: "SUMMARY",
  prompt_version: "1",
  max_retries: 5,
  requested_at: 0,
  ...more
})

/** Articles that are simply there. */
export const pagesOf = (articles: ReadonlyArray<Article>) =>
  Layer.succeed(
    Pages,
    Pages.of({
      saveRaws: () => Effect.void,
      raw: () => Effect.succeed(null),
      raws: () => Effect.succeed([]),
      saveArticles: () => Effect.succeed([]),
      articles: ({ ids }) => Effect.succeed(articles.filter((it) => ids?.includes(it.id) ?? true)),
      saveOutcomes: () => Effect.void,
      url: () => Effect.succeed(null),
      saveValidators: () => Effect.void
    })
  )

export const aiPolicy = (more: Partial<AiPolicy["Service"]> = {}) =>
  Layer.succeed(
    AiPolicy,
    AiPolicy.of({
      enqueues: true,
      works: true,
      sweeps: true,
      charsMin: 1000,
      batch: 5,
      concurrency: 4,
      workerCron: "*/30 * * * * *",
      sweeperCron: "0 */1 * * * *",
      retry: { base: Duration.seconds(30), cap: Duration.seconds(600), attempts: 5, jitter: 0 },
      lease: Duration.seconds(60),
      jobTimeout: Duration.seconds(50),
      stuckAfter: Duration.minutes(10),
      outputTokensMax: 3000,
      inputCharsMax: 20_000,
      budgetUsd: 0,
      learning: { enabled: false, pages: 8, driftPages: 20 },
      price: { input: 0.15, output: 0.6 },
      ...more
    })
  )

/** What a worker needs besides: locks, and for learning rules no rules yet, pages read in the calling thread. */
export const learning = Layer.mergeAll(
  locks.layer,
  rules.layer,
  signals.layer,
  policyOf(),
  reader.layer.pipe(Layer.provide(rules.layer))
)

/** Jobs and ledger in memory, the embedded prompts, a process that runs the enricher. */
export const aiWorld = (articles: ReadonlyArray<Article>, more: Partial<AiPolicy["Service"]> = {}) => {
  const memory = new jobs.AiMemory()
  return Layer.mergeAll(
    jobs.layerOf(memory),
    ledger.layerOf(memory),
    prompts.layer,
    aiPolicy(more),
    pagesOf(articles),
    learning,
    Run.layer(new Set(["enricher"]))
  )
}
