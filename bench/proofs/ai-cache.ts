/** Proof ai-cache: an unchanged re-run of 20 articles through all five job types costs 0 calls and 0 tokens. */
import { join } from "node:path"
import { Effect } from "effect"
import * as enricher from "../../src/streams/worker.ts"
import { article, articleText } from "../../test/support/ai.ts"
import { openai } from "../../test/support/openai.ts"
import * as stand from "../jobs/stand.ts"
import { prove } from "./proof.ts"

const ARTICLES = 20
const JOBS = ARTICLES * 5
const tokens = "select coalesce(sum(input_tokens + output_tokens), 0)::int as n, count(*)::int as calls from llm_usage"

await prove(async (bench) => {
  const stub = openai()
  bench.later(stub.stop)
  const articles = Array.from({ length: ARTICLES }, (_, at) =>
    article(`a${at}`, { text: `${at}번째 소식을 전한다.\n${articleText}` })
  )
  const pass = Effect.gen(function* () {
    yield* stand.ask(articles)
    const finished = yield* stand.until(stand.done(), JOBS, 120)
    const [used] = yield* stand.rows<{ n: number; calls: number }>(tokens)
    return { finished, tokens: used?.n ?? 0, calls: stub.requests.length }
  })
  const { first, second } = await Effect.runPromise(
    Effect.gen(function* () {
      yield* stand.save(articles)
      yield* Effect.forkScoped(Effect.provide(enricher.worker, stand.worker(8)))
      const first = yield* pass
      // The work is asked for anew, as after a lost job table: what was answered is still known.
      yield* stand.rows("delete from ai_jobs")
      const second = yield* pass
      return { first, second }
    }).pipe(Effect.scoped, Effect.provide(stand.store(join(bench.folder, "data"), stub.url)))
  )
  const more = { tokens: second.tokens - first.tokens, calls: second.calls - first.calls }
  return {
    rows: [
      { run: "first", jobs: first.finished, calls: first.calls, tokens: first.tokens },
      { run: "again", jobs: second.finished, ...more }
    ],
    figure: `ai-cache: ${first.finished} jobs cost ${first.tokens} tokens, again ${second.finished} jobs cost ${more.tokens} tokens in ${more.calls} calls`,
    holds:
      first.finished === JOBS && second.finished === JOBS && more.tokens === 0 && more.calls === 0 && first.tokens > 0
  }
})
