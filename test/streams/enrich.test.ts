import { expect } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { AiCode } from "../../src/domain/ai/codes.ts"
import type { AiJobStatus } from "../../src/domain/ai/job.ts"
import { AiLocks } from "../../src/domain/ai/locks.ts"
import { AiJobs, AiLedger, Model, type ModelFailure } from "../../src/domain/ai/ports.ts"
import { worker } from "../../src/streams/worker.ts"
import { aiWorld, article, newJob } from "../support/ai.ts"
import { effect } from "../support/effect.ts"
import { good } from "../support/openai.ts"
import { settings } from "../support/world.ts"

type Ask = Model["Service"]["ask"]
type Said = string | { readonly failure: ModelFailure } | { readonly finish: "length" }

/** A model that says what it is told, call by call; after the script it answers well. */
const scripted = (script: ReadonlyArray<Said>, asked: Array<Parameters<Ask>[0]> = []) =>
  Layer.succeed(
    Model,
    Model.of({
      name: "stub",
      ask: (question) =>
        Effect.suspend(() => {
          asked.push(question)
          const said =
            script[asked.length - 1] ??
            JSON.stringify(good({ schema: question.type.toLowerCase(), user: question.user }))
          if (typeof said !== "string" && "failure" in said) return Effect.fail(said.failure)
          const answer =
            typeof said === "string"
              ? { text: said, finish: "stop" as const, refusal: null }
              : { text: "{", finish: said.finish, refusal: null }
          return Effect.succeed({ answer, model: "stub-1", input_tokens: 100, output_tokens: 50 })
        })
    })
  )

const failing = (code: AiCode, after: number | null = null): Said => ({ failure: { code, message: code, after } })
const pass = (seconds: number) => TestClock.adjust(`${seconds} seconds`)

const story = <A, E>(
  script: ReadonlyArray<Said>,
  program: (asked: Array<Parameters<Ask>[0]>) => Effect.Effect<A, E, AiJobs | AiLedger | AiLocks>,
  more: Parameters<typeof aiWorld>[1] = {}
) => {
  const asked: Array<Parameters<Ask>[0]> = []
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(worker)
    yield* program(asked)
    yield* Fiber.interrupt(fiber)
  }).pipe(
    Effect.provide(
      Layer.merge(
        aiWorld(
          ["a", "b", "c"].map((id) => article(id)),
          more
        ),
        scripted(script, asked)
      ).pipe(Layer.provide(settings()))
    )
  )
}

const stateOf = Effect.fnUntraced(function* (id = "1") {
  const jobs = yield* AiJobs
  const job = yield* jobs.find(id)
  if (job === null) return yield* Effect.die(new Error(`no job ${id}`))
  return job
})

effect("a summary leads to all five results, each after its predecessor", () =>
  story([], () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      yield* pass(1)
      const all = yield* jobs.list({ limit: 100 })
      expect(all.map((it) => [it.type, it.status])).toEqual([
        ["SUMMARY", "SUCCESS"],
        ["TERM_CARDS", "SUCCESS"],
        ["INSIGHT", "SUCCESS"],
        ["QUIZ_CONTENT", "SUCCESS"],
        ["QUIZ_TERM", "SUCCESS"]
      ])
    })
  )
)

/** S3.15–S3.18: the code, the state it leads to, and the wait before the first retry in seconds. */
const table: ReadonlyArray<readonly [AiCode, number | null, AiJobStatus, number | null]> = [
  ["rate_limited", null, "RETRY_WAIT", 30],
  ["rate_limited", 45_000, "RETRY_WAIT", 45],
  ["rate_limited", 5000, "RETRY_WAIT", 30],
  ["server", null, "RETRY_WAIT", 30],
  ["timeout", null, "RETRY_WAIT", 30],
  ["network", null, "RETRY_WAIT", 30],
  ["too_long", null, "RETRY_WAIT", 30],
  ["quota", null, "SUSPENDED", null],
  ["balance", null, "SUSPENDED", null],
  ["bad_key", null, "SUSPENDED", null],
  ["denied", null, "SUSPENDED", null],
  ["no_model", null, "SUSPENDED", null],
  ["bad_request", null, "FAILED", null],
  ["refused", null, "FAILED", null]
]
for (const [code, after, status, wait] of table) {
  effect(`${code}${after === null ? "" : `, Retry-After ${after} ms`} leads to ${status}`, () =>
    story([failing(code, after)], () =>
      Effect.gen(function* () {
        yield* (yield* AiJobs).enqueue([newJob("a")])
        yield* TestClock.adjust(0)
        const job = yield* stateOf()
        expect([job.status, job.last_error_code, job.next_run_at]).toEqual([
          status,
          code,
          wait === null ? null : wait * 1000
        ])
      })
    )
  )
}

effect("retries wait 30, 60, 120, 240 and 480 s to the millisecond, then the job has failed", () => {
  const script = Array.from({ length: 6 }, () => failing("server"))
  return story(script, (asked) =>
    Effect.gen(function* () {
      yield* (yield* AiJobs).enqueue([newJob("a")])
      yield* TestClock.adjust(0)
      let calls = 1
      for (const wait of [30, 60, 120, 240, 480]) {
        expect(asked.length).toBe(calls)
        yield* TestClock.adjust(wait * 1000 - 1)
        expect(asked.length).toBe(calls)
        yield* TestClock.adjust(1)
        calls += 1
        expect(asked.length).toBe(calls)
      }
      expect((yield* stateOf()).status).toBe("FAILED")
      yield* pass(3600)
      expect(asked.length).toBe(6)
    })
  )
})

effect("a cut answer is asked for with twice the room, twice, then the job has failed", () =>
  story([{ finish: "length" }, { finish: "length" }, { finish: "length" }], (asked) =>
    Effect.gen(function* () {
      yield* (yield* AiJobs).enqueue([newJob("a")])
      yield* pass(300)
      expect(asked.map((it) => it.outputTokensMax)).toEqual([3000, 6000, 12_000])
      const job = yield* stateOf()
      expect([job.status, job.last_error_code]).toEqual(["FAILED", "truncated"])
    })
  )
)

const unusable: ReadonlyArray<readonly [string, string, AiCode]> = [
  ["prose", "Here is your summary: it is fine.", "unparsable"],
  ["an empty answer", "  ", "empty"],
  ["a fence around prose", "```json\nnot json\n```", "fenced"],
  ["NaN", '{"summary3": NaN}', "unparsable"],
  ["a missing field", '{"summary3": ["a", "b", "c"]}', "schema"],
  ["a key twice", '{"summaryFull": "가", "summaryFull": "나", "summary3": ["가", "나", "다"]}', "unparsable"],
  [
    "another language",
    '{"summary3": ["one two", "three four", "five six"], "summaryFull": "seven eight nine"}',
    "language"
  ]
]
for (const [name, text, code] of unusable) {
  effect(`${name} is ${code}, asked for again, and never stored`, () =>
    story([text], () =>
      Effect.gen(function* () {
        const jobs = yield* AiJobs
        yield* jobs.enqueue([newJob("a")])
        yield* TestClock.adjust(0)
        const job = yield* stateOf()
        expect([job.status, job.last_error_code, job.bad_outputs]).toEqual(["RETRY_WAIT", code, 1])
        expect(yield* jobs.result("a", "SUMMARY")).toBe(null)
        yield* pass(31)
        expect((yield* stateOf()).status).toBe("SUCCESS")
      })
    )
  )
}

effect("a fenced result is taken out of its fence", () => {
  const text = `\`\`\`json\n${JSON.stringify({ summary3: ["금리", "동결", "한국은행"], summaryFull: "금리를 동결했다." })}\n\`\`\``
  return story([text], () =>
    Effect.gen(function* () {
      yield* (yield* AiJobs).enqueue([newJob("a")])
      yield* pass(1)
      expect((yield* stateOf()).status).toBe("SUCCESS")
    })
  )
})

effect("a summary with a number its article does not have is asked for once more, then stored flagged", () => {
  const made = JSON.stringify({ summary3: ["금리", "동결", "한국은행"], summaryFull: "금리는 98765%이다." })
  return story([made, made], (asked) =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      yield* TestClock.adjust(0)
      expect((yield* jobs.result("a", "SUMMARY"))?.flags).toEqual(["ungrounded"])
      expect(asked.slice(0, 2).map((it) => it.type)).toEqual(["SUMMARY", "SUMMARY"])
    })
  )
})

effect("after a suspension one job a minute is tried; resumed by reason, all go on", () => {
  const script = [failing("quota"), failing("quota"), failing("quota")]
  return story(
    script,
    (asked) =>
      Effect.gen(function* () {
        const jobs = yield* AiJobs
        const ledger = yield* AiLedger
        yield* jobs.enqueue(["a", "b", "c"].map((id) => newJob(id)))
        yield* TestClock.adjust(0)
        expect(asked.length).toBe(1)
        yield* pass(59)
        expect(asked.length).toBe(1)
        yield* pass(1)
        expect(asked.length).toBe(2)
        yield* pass(60)
        expect(asked.length).toBe(3)
        expect((yield* jobs.list({ status: "SUSPENDED", limit: 9 })).length).toBe(3)
        expect(yield* jobs.resumeAll("AUTH", "test")).toBe(0)
        yield* ledger.open
        expect(yield* jobs.resumeAll("QUOTA", "test")).toBe(3)
        yield* pass(1)
        expect((yield* jobs.list({ status: "SUCCESS", limit: 99 })).length).toBe(15)
      }),
    { concurrency: 1 }
  )
})

effect("a spent budget leaves jobs pending until the next day", () =>
  story(
    [],
    (asked) =>
      Effect.gen(function* () {
        const jobs = yield* AiJobs
        yield* jobs.enqueue([newJob("a")])
        yield* pass(60)
        expect(asked.length).toBe(1)
        expect((yield* jobs.list({ status: "PENDING", limit: 9 })).length).toBe(3)
        yield* TestClock.adjust("24 hours")
        expect(asked.length).toBeGreaterThan(1)
      }),
    { budgetUsd: 0.000_000_1, concurrency: 1 }
  )
)

effect("the same words are answered from what is stored, without a call", () =>
  story([], (asked) =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      yield* pass(1)
      const calls = asked.length
      yield* jobs.enqueue([newJob("b")])
      yield* pass(1)
      expect(asked.length).toBe(calls)
      expect((yield* jobs.list({ status: "SUCCESS", article_id: "b", limit: 9 })).length).toBe(5)
    })
  )
)

effect("an article that is gone fails its job", () =>
  story([], () =>
    Effect.gen(function* () {
      yield* (yield* AiJobs).enqueue([newJob("gone")])
      yield* pass(1)
      expect((yield* stateOf()).last_error_code).toBe("input_missing")
    })
  )
)

effect("a job that somebody else is still at waits until that must be over, and nothing is counted against it", () =>
  story([], (asked) =>
    Effect.gen(function* () {
      const locks = yield* AiLocks
      yield* locks.take("1", 20_000)
      yield* (yield* AiJobs).enqueue([newJob("a")])
      yield* pass(1)
      const { last_error_code, next_run_at, retry_count, status } = yield* stateOf()
      expect([status, last_error_code, retry_count, next_run_at]).toEqual(["RETRY_WAIT", "lease_lost", 0, 20_000])
      expect(asked.length).toBe(0)
      yield* pass(20)
      expect((yield* stateOf()).status).toBe("SUCCESS")
      // What a run held it has given back.
      expect((yield* locks.take("1", 1000)).tag).toBe("taken")
    })
  )
)
