/** Every way a provider can answer, and what becomes of a job: over real HTTP, in virtual time. */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { AiJob } from "../../src/domain/ai/job.ts"
import { AiJobs } from "../../src/domain/ai/ports.ts"
import * as model from "../../src/infra/model.openai.ts"
import { worker } from "../../src/streams/worker.ts"
import { aiWorld, article, newJob } from "../../test/support/ai.ts"
import { type Behaviour, openai } from "../../test/support/openai.ts"
import { settings } from "../../test/support/world.ts"

/** What a job came to after one answer, or after the same answer for as long as it was asked. */
export interface Came {
  readonly answer: string
  readonly state: string
  readonly code: string
  /** Seconds before each retry. */
  readonly waits: string
  readonly calls: number
}

const error = (status: number, code?: string, retryAfter?: string): Behaviour => ({
  as: "error",
  status,
  ...(code === undefined ? {} : { code }),
  ...(retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } })
})
const text = (words: string, finish?: "length" | "content_filter"): Behaviour => ({
  as: "text",
  text: words,
  ...(finish === undefined ? {} : { finish })
})

/** @source S3.15–S3.18 and the codes of REQUIREMENTS, "AI error codes" */
const once: ReadonlyArray<readonly [Behaviour, Omit<Came, "calls">]> = [
  [error(429, "rate_limit_exceeded"), { answer: "429", state: "RETRY_WAIT", code: "rate_limited", waits: "30" }],
  [
    error(429, undefined, "90"),
    { answer: "429, Retry-After 90", state: "RETRY_WAIT", code: "rate_limited", waits: "90" }
  ],
  [
    error(429, undefined, "5"),
    { answer: "429, Retry-After 5", state: "RETRY_WAIT", code: "rate_limited", waits: "30" }
  ],
  [error(500), { answer: "500", state: "RETRY_WAIT", code: "server", waits: "30" }],
  [error(503), { answer: "503", state: "RETRY_WAIT", code: "server", waits: "30" }],
  [error(408), { answer: "408", state: "RETRY_WAIT", code: "timeout", waits: "30" }],
  [{ as: "silence" }, { answer: "no answer", state: "RETRY_WAIT", code: "timeout", waits: "30" }],
  [{ as: "reset" }, { answer: "connection lost", state: "RETRY_WAIT", code: "network", waits: "30" }],
  [
    error(429, "insufficient_quota"),
    { answer: "429 insufficient_quota", state: "SUSPENDED", code: "quota", waits: "" }
  ],
  [error(402), { answer: "402", state: "SUSPENDED", code: "balance", waits: "" }],
  [error(401, "invalid_api_key"), { answer: "401", state: "SUSPENDED", code: "bad_key", waits: "" }],
  [error(403), { answer: "403", state: "SUSPENDED", code: "denied", waits: "" }],
  [error(404, "model_not_found"), { answer: "404 model_not_found", state: "SUSPENDED", code: "no_model", waits: "" }],
  [error(400), { answer: "400", state: "FAILED", code: "bad_request", waits: "" }],
  [
    error(400, "context_length_exceeded"),
    { answer: "400, too long", state: "RETRY_WAIT", code: "too_long", waits: "30" }
  ],
  [
    { as: "refusal", text: "no" },
    { answer: "refusal", state: "FAILED", code: "refused", waits: "" }
  ],
  [text("{", "content_filter"), { answer: "filtered", state: "FAILED", code: "refused", waits: "" }],
  [text("{", "length"), { answer: "cut off", state: "RETRY_WAIT", code: "truncated", waits: "30" }],
  [text(""), { answer: "nothing", state: "RETRY_WAIT", code: "empty", waits: "30" }],
  [text("```json\n{\n```"), { answer: "broken in a fence", state: "RETRY_WAIT", code: "fenced", waits: "30" }],
  [text("certainly!"), { answer: "no JSON", state: "RETRY_WAIT", code: "unparsable", waits: "30" }],
  [text('{"summary3":[]}'), { answer: "another form", state: "RETRY_WAIT", code: "schema", waits: "30" }]
]
/** Answers that never change. */
const forever: ReadonlyArray<readonly [Behaviour, Came]> = [
  [error(500), { answer: "500 for ever", state: "FAILED", code: "server", waits: "30 60 120 240 480", calls: 6 }],
  [text("certainly!"), { answer: "no JSON for ever", state: "FAILED", code: "unparsable", waits: "30 60", calls: 3 }]
]

/** Real time, ms: the stub answers in it, whatever the clock of the jobs says. */
const real = (ms: number) => Effect.promise(() => Bun.sleep(ms))
const looksMax = 500

/** The job once it is not being worked on any more, with at least so many retries behind it. */
const settled = Effect.fnUntraced(function* (retries: number) {
  const jobs = yield* AiJobs
  let job: AiJob | null = null
  for (let look = 0; look < looksMax; look += 1) {
    yield* TestClock.adjust(0)
    job = yield* jobs.find("1")
    const done = job !== null && job.status !== "PENDING" && job.status !== "RUNNING"
    if (done && (job?.status !== "RETRY_WAIT" || job.retry_count >= retries)) return job
    yield* real(5)
  }
  return job
})

const live = (behave: Behaviour, toTheEnd: boolean): Promise<Omit<Came, "answer">> => {
  const stub = openai({ behave: () => behave })
  const own = settings({ OPENAI_BASE_URL: stub.url, OPENAI_TIMEOUT: "300ms" })
  const program = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(worker)
    yield* (yield* AiJobs).enqueue([newJob("a")])
    const waits: Array<number> = []
    let now = 0
    let job = yield* settled(1)
    while (job?.status === "RETRY_WAIT") {
      const wait = (job.next_run_at ?? 0) - now
      waits.push(wait / 1000)
      if (!toTheEnd) break
      yield* TestClock.adjust(wait)
      now += wait
      job = yield* settled(waits.length + 1)
    }
    yield* Fiber.interrupt(fiber)
    return {
      state: job?.status ?? "none",
      code: job?.last_error_code ?? "none",
      waits: waits.join(" "),
      calls: stub.requests.length
    }
  })
  const layer = Layer.merge(aiWorld([article("a")]), model.layer).pipe(Layer.provide(own))
  const run = program.pipe(Effect.provide(layer), Effect.scoped, Effect.provide(TestClock.layer()))
  return Effect.runPromise(run).finally(() => stub.stop())
}

/** Every answer with what came of it, and whether that is what it should be. */
export const everyAnswer = async (): Promise<ReadonlyArray<Came & { readonly right: boolean }>> => {
  const rows: Array<Came & { readonly right: boolean }> = []
  for (const [behave, wanted] of once) {
    const came = await live(behave, false)
    const right = came.state === wanted.state && came.code === wanted.code && came.waits === wanted.waits
    rows.push({ answer: wanted.answer, ...came, right })
  }
  for (const [behave, wanted] of forever) {
    const came = await live(behave, true)
    const { calls, code, state, waits } = wanted
    const right = came.state === state && came.code === code && came.waits === waits && came.calls === calls
    rows.push({ answer: wanted.answer, ...came, right })
  }
  return rows
}
