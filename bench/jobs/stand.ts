/** The enricher with its real adapters on an embedded store, for proofs that need no crawling. */
import { Clock, Effect, Layer, Result } from "effect"
import { AiJobs } from "../../src/domain/ai/ports.ts"
import type { Article } from "../../src/domain/article.ts"
import { Pages } from "../../src/domain/ports.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as postgres from "../../src/infra/database.postgres.ts"
import { Database } from "../../src/infra/database.ts"
import * as jobs from "../../src/infra/jobs.sql.ts"
import * as ledger from "../../src/infra/ledger.sql.ts"
import * as model from "../../src/infra/model.openai.ts"
import * as pages from "../../src/infra/pages.sql.ts"
import * as prompts from "../../src/infra/prompts.embedded.ts"
import { Run } from "../../src/streams/chain.ts"
import { aiPolicy, learning, newJob } from "../../test/support/ai.ts"

/** Everything but the model and the ledger, which each worker has for itself. */
export const store = (dataDir: string, baseUrl: string, env: Readonly<Record<string, string>> = {}) => {
  const values = load({ CRAWLER_DATA_DIR: dataDir, OPENAI_BASE_URL: baseUrl, LOG_LEVEL: "error", ...env })
  if (Result.isFailure(values)) throw new Error(JSON.stringify(values.failure))
  const base = postgres.layer.pipe(Layer.provideMerge(Layer.succeed(Settings, values.success)))
  return Layer.mergeAll(jobs.layer, pages.layer, prompts.layer, learning, Run.layer(new Set(["enricher"]))).pipe(
    Layer.provideMerge(base)
  )
}

export const worker = (concurrency: number) =>
  Layer.fresh(Layer.mergeAll(ledger.layer, model.layer, aiPolicy({ concurrency, batch: 5, charsMin: 0 })))

/** Stores articles, as the parser would. */
export const save = (articles: ReadonlyArray<Article>) =>
  Effect.gen(function* () {
    const store = yield* Pages
    for (let from = 0; from < articles.length; from += 100) {
      const rows = articles
        .slice(from, from + 100)
        .map((article) => ({ article, url_key: article.id, job_id: article.id }))
      yield* store.saveArticles(rows)
    }
  })

/** A summary asked for, per article. */
export const ask = (articles: ReadonlyArray<Article>) =>
  Effect.gen(function* () {
    const requested_at = yield* Clock.currentTimeMillis
    return yield* (yield* AiJobs).enqueue(articles.map((it) => newJob(it.id, { requested_at })))
  })

export const rows = <Row>(sql: string) => Database.use((it) => it.query<Row>(sql))

/** Waits until a count is reached; answers the last one seen. */
export const until = (sql: string, wanted: number, secondsMax: number) =>
  Effect.gen(function* () {
    for (let waited = 0; ; waited += 0.2) {
      const [row] = yield* rows<{ n: number }>(sql)
      const n = row?.n ?? 0
      if (n >= wanted || waited > secondsMax) return n
      yield* Effect.sleep("200 millis")
    }
  })
export const done = (where = "true") => `select count(*)::int as n from ai_jobs where status = 'SUCCESS' and ${where}`
