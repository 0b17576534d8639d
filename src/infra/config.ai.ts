import { decimal, duration, flag, optional, optionalUrl, text, whole } from "./setting.ts"

/** Settings of AI work (S3.8, S3.21–S3.25). `docs/ai.md` tells what they do together. */
export const aiSettings = {
  OPENAI_API_KEY: optional("an API key", "Switches AI work on; never logged.", true),
  OPENAI_BASE_URL: optionalUrl(
    "http",
    "A compatible server instead of OpenAI's, to its /v1; switches AI work on as well."
  ),
  OPENAI_MODEL: text("gpt-4o-mini", "The model asked."),
  OPENAI_TIMEOUT: duration("20s", { min: "100ms", max: "10m" }, "One call; less than AI_JOB_TIMEOUT."),
  OPENAI_MAX_OUTPUT_TOKENS: whole(3000, { min: 100, max: 100_000 }, "Tokens of an answer; doubled after a cut one."),
  OPENAI_TEMPERATURE: decimal(0.2, { min: 0, max: 2 }, "Low: summaries should say what the article says."),
  AI_ENQUEUE: flag(true, "New articles get a SUMMARY job, where AI work is on."),
  AI_WORKER_ENABLED: flag(true, "The enricher works, where AI work is on."),
  AI_WORKER_CRON: text(
    "*/30 * * * * *",
    "Six fields, UTC: when to look for jobs nobody told of; new ones wake at once."
  ),
  AI_WORKER_BATCH_SIZE: whole(5, { min: 1, max: 1000 }, "Jobs of one type taken at once."),
  AI_WORKER_CONCURRENCY: whole(8, { min: 1, max: 1000 }, "Jobs worked on at once by this process."),
  AI_LEASE: duration("60s", { min: "1s", max: "10m" }, "Life of a claim without a heartbeat, one each third of it."),
  AI_JOB_TIMEOUT: duration(
    "50s",
    { min: "200ms", max: "9m" },
    "One run of a job with all its calls; less than AI_LEASE."
  ),
  AI_RETRY_MAX_ATTEMPTS: whole(5, { min: 0, max: 100 }, "Retries of a job before it is FAILED."),
  AI_RETRY_BASE_DELAY: duration("30s", { min: "10ms", max: "1h" }, "Wait before the first retry, doubled per retry."),
  AI_RETRY_MAX_DELAY: duration(
    "10m",
    { min: "10ms", max: "24h" },
    "Longest wait of our own; Retry-After may ask for more."
  ),
  AI_SWEEPER_ENABLED: flag(true, "Stuck and due jobs are looked for."),
  AI_SWEEPER_CRON: text("0 */1 * * * *", "Six fields, UTC: when they are."),
  AI_SWEEPER_STUCK_THRESHOLD: duration(
    "10m",
    { min: "2s", max: "24h" },
    "RUNNING longer is stuck; more than AI_LEASE."
  ),
  AI_INPUT_CHARS: whole(
    20_000,
    { min: 500, max: 500_000 },
    "Characters of an article that are sent; halved when too long."
  ),
  AI_BUDGET_DAILY_USD: decimal(
    0,
    { min: 0, max: 1_000_000 },
    "US dollars a UTC day, then jobs wait for the next; 0 = none."
  ),
  AI_PRICE_INPUT: decimal(0.15, { min: 0, max: 10_000 }, "US dollars per million input tokens of OPENAI_MODEL."),
  AI_PRICE_OUTPUT: decimal(0.6, { min: 0, max: 10_000 }, "US dollars per million output tokens of OPENAI_MODEL."),
  AI_PROMPTS_DIR: optional("a folder", "Prompts here (summary.md, …) replace those embedded."),
  RULE_LEARNING: flag(
    false,
    "Hosts without a parsing rule get one proposed by the model and tried, where AI work is on."
  ),
  RULE_LEARNING_PAGES: whole(
    8,
    { min: 8, max: 1000 },
    "Articles of a host read without a rule, or against its rule, in a day before one is asked for."
  ),
  RULE_LEARNING_DRIFT_PAGES: whole(
    20,
    { min: 5, max: 1000 },
    "Pages over which a learned rule is watched: when over 30 % disagree it is disabled and another asked for."
  ),
  MIN_CONTENT_LENGTH_FOR_AI: whole(
    1000,
    { min: 0, max: 1_000_000 },
    "Code points an article has at least to be summarised."
  )
} as const

/** Whether a model is configured: AI work is on at all. */
export const hasModel = (it: {
  readonly OPENAI_API_KEY: string | null
  readonly OPENAI_BASE_URL: string | null
}): boolean => it.OPENAI_API_KEY !== null || it.OPENAI_BASE_URL !== null
