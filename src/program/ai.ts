import { Duration, Effect, Layer } from "effect"
import { AiPolicy } from "../domain/ai/ports.ts"
import { isCron } from "../domain/slots.ts"
import { hasModel } from "../infra/config.ai.ts"
import { Settings } from "../infra/config.ts"
import { Refusal } from "../infra/exit.ts"
import * as model from "../infra/model.openai.ts"
import * as prompts from "../infra/prompts.embedded.ts"

type Values = Settings["Service"]

/** Each of these must be shorter than the next, or one would end what the next still waits for. */
const ordered = ["OPENAI_TIMEOUT", "AI_JOB_TIMEOUT", "AI_LEASE", "AI_SWEEPER_STUCK_THRESHOLD"] as const
const crons = ["AI_WORKER_CRON", "AI_SWEEPER_CRON"] as const

const problemOf = (values: Values): string | null => {
  const at = ordered.findIndex((name, i) => {
    const after = ordered[i + 1]
    return after !== undefined && Duration.toMillis(values[name]) >= Duration.toMillis(values[after])
  })
  const [shorter, longer] = [ordered[at], ordered[at + 1]]
  if (shorter !== undefined && longer !== undefined) {
    return `${shorter} ${Duration.format(values[shorter])} must be shorter than ${longer} ${Duration.format(values[longer])}`
  }
  const bad = crons.find((name) => !isCron(values[name], "UTC"))
  if (bad !== undefined) return `${bad}=${JSON.stringify(values[bad])}: expected a cron of five or six fields`
  return null
}

/** The numbers AI work goes by. Switches are on where a model is configured (settled 20). */
const policy = Layer.effect(
  AiPolicy,
  Effect.gen(function* () {
    const it = yield* Settings
    const problem = problemOf(it)
    if (problem !== null) return yield* new Refusal({ exit: "configuration", message: problem })
    const configured = hasModel(it)
    return AiPolicy.of({
      enqueues: configured && it.AI_ENQUEUE,
      works: configured && it.AI_WORKER_ENABLED,
      sweeps: configured && it.AI_SWEEPER_ENABLED,
      charsMin: it.MIN_CONTENT_LENGTH_FOR_AI,
      batch: it.AI_WORKER_BATCH_SIZE,
      concurrency: it.AI_WORKER_CONCURRENCY,
      workerCron: it.AI_WORKER_CRON,
      sweeperCron: it.AI_SWEEPER_CRON,
      retry: {
        base: it.AI_RETRY_BASE_DELAY,
        cap: it.AI_RETRY_MAX_DELAY,
        attempts: it.AI_RETRY_MAX_ATTEMPTS,
        jitter: 0
      },
      lease: it.AI_LEASE,
      jobTimeout: it.AI_JOB_TIMEOUT,
      stuckAfter: it.AI_SWEEPER_STUCK_THRESHOLD,
      outputTokensMax: it.OPENAI_MAX_OUTPUT_TOKENS,
      inputCharsMax: it.AI_INPUT_CHARS,
      budgetUsd: it.AI_BUDGET_DAILY_USD,
      learning: {
        enabled: configured && it.RULE_LEARNING,
        pages: it.RULE_LEARNING_PAGES,
        driftPages: it.RULE_LEARNING_DRIFT_PAGES
      },
      price: { input: it.AI_PRICE_INPUT, output: it.AI_PRICE_OUTPUT }
    })
  })
)

/** What the enricher needs besides its store. */
export const ai = Layer.mergeAll(policy, prompts.layer, model.layer)
