import { expect } from "bun:test"
import { Clock, Duration, Effect, type Layer } from "effect"
import type { AiJob } from "../../../src/domain/ai/job.ts"
import { AiJobs, AiLedger, type AiOutcome, type NewAiJob, probeEvery } from "../../../src/domain/ai/ports.ts"
import { newJob } from "../ai.ts"
import { type ClockName, pass, sentences } from "./clock.ts"

type It = ReturnType<typeof sentences<AiJobs | AiLedger, unknown>>

/** What every table of AI jobs promises. The layer must start empty and have AI_LEASE=1s. */
export const aiJobsSuite = <E>(
  name: string,
  layer: Layer.Layer<AiJobs | AiLedger, E>,
  options: { readonly clock: ClockName }
): void => {
  const it = sentences(name, options.clock, layer)
  claiming(it, options.clock)
  ending(it)
  operating(it)
  gate(it)
}

const types = [{ type: "SUMMARY" as const, max: 100 }]
const claim = Effect.fnUntraced(function* (limit = 100) {
  const jobs = yield* AiJobs
  return yield* jobs.claim({ types, limit, now: yield* Clock.currentTimeMillis })
})
const settle = Effect.fnUntraced(function* (job: AiJob, outcome: AiOutcome) {
  const jobs = yield* AiJobs
  const receipt = { id: job.id, epoch: job.lease_epoch }
  const [done] = yield* jobs.settle([{ receipt, model: "m", outcome, usage: [] }])
  return done
})
const success = (result: unknown = { a: 1 }, followUps: ReadonlyArray<NewAiJob> = []): AiOutcome => ({
  tag: "success",
  result,
  flags: ["ungrounded"],
  cache_key: "k",
  followUps
})

const claiming = (it: It, clock: ClockName) => {
  it("a job asked for twice is one job", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      expect(yield* jobs.enqueue([newJob("a"), newJob("b"), newJob("a")])).toBe(2)
      expect(yield* jobs.enqueue([newJob("a"), newJob("a", { prompt_version: "2" })])).toBe(1)
    }))

  it("claimed jobs are running, in order of arrival, and are claimed once", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue(["a", "b", "c"].map((id) => newJob(id)))
      const first = yield* claim(2)
      expect(first.map((job) => [job.article_id, job.status, job.lease_epoch]).toSorted()).toEqual([
        ["a", "RUNNING", 1],
        ["b", "RUNNING", 1]
      ])
      expect((yield* claim()).map((job) => job.article_id)).toEqual(["c"])
      expect(yield* claim()).toEqual([])
    }))

  it("two claims at once share the jobs without an overlap", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue(Array.from({ length: 60 }, (_, at) => newJob(`a${at}`)))
      const taken = yield* Effect.all([claim(30), claim(30), claim(30)], { concurrency: "unbounded" })
      const ids = taken.flat().map((job) => job.id)
      expect([ids.length, new Set(ids).size]).toEqual([60, 60])
    }))

  it("a lease that runs out gives the job to another, and the first one's outcome is fenced", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      const [late] = yield* claim()
      yield* pass(clock, 1100)
      expect(yield* jobs.recover(yield* Clock.currentTimeMillis)).toBe(1)
      const [again] = yield* claim()
      if (late === undefined || again === undefined) return yield* Effect.die(new Error("nothing was claimed"))
      expect([again.id, again.lease_epoch, again.retry_count]).toEqual([late.id, 2, 0])
      expect(yield* settle(late, success())).toBe(false)
      expect(yield* jobs.result("a", "SUMMARY")).toBe(null)
      expect(yield* settle(again, success())).toBe(true)
    }))

  it("a heartbeat keeps a lease", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      const [job] = yield* claim()
      if (job === undefined) return yield* Effect.die(new Error("nothing was claimed"))
      const receipt = { id: job.id, epoch: job.lease_epoch }
      for (const _ of [1, 2, 3]) {
        yield* pass(clock, 500)
        expect(yield* jobs.renew([receipt])).toEqual(new Set([job.id]))
      }
      expect(yield* jobs.recover(yield* Clock.currentTimeMillis)).toBe(0)
      expect(yield* jobs.renew([{ ...receipt, epoch: 7 }])).toEqual(new Set())
    }))
}

const ending = (it: It) => {
  it("a result and the jobs that follow from it are stored with the end of their job", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      const [job] = yield* claim()
      if (job === undefined) return yield* Effect.die(new Error("nothing was claimed"))
      const followUps = [newJob("a", { type: "INSIGHT" }), newJob("a", { type: "TERM_CARDS" })]
      expect(yield* settle(job, success({ b: "가\0" }, followUps))).toBe(true)
      const stored = yield* jobs.result("a", "SUMMARY")
      expect([stored?.flags, stored?.model]).toEqual([["ungrounded"], "m"])
      expect(yield* jobs.cached("k")).toEqual(stored)
      const all = yield* jobs.list({ limit: 10 })
      expect(all.map((it) => [it.type, it.status])).toEqual([
        ["SUMMARY", "SUCCESS"],
        ["INSIGHT", "PENDING"],
        ["TERM_CARDS", "PENDING"]
      ])
    }))

  it("a job that waits is claimed when it is due, not before", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      const [job] = yield* claim()
      if (job === undefined) return yield* Effect.die(new Error("nothing was claimed"))
      const now = yield* Clock.currentTimeMillis
      const wait = { tag: "retry", code: "server", message: "503", retry_count: 1, bad_outputs: 0 } as const
      yield* settle(job, { ...wait, next_run_at: now + 5000 })
      expect(yield* jobs.nextDue).toBe(now + 5000)
      expect(yield* jobs.claim({ types, limit: 9, now: now + 4999 })).toEqual([])
      const [again] = yield* jobs.claim({ types, limit: 9, now: now + 5000 })
      expect([again?.retry_count, again?.last_error_code]).toEqual([1, "server"])
    }))

  it("a job handed back is pending as before", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      const [job] = yield* claim()
      if (job === undefined) return yield* Effect.die(new Error("nothing was claimed"))
      yield* settle(job, { tag: "release" })
      expect((yield* jobs.find(job.id))?.status).toBe("PENDING")
    }))

  it("the sweeper takes jobs that run for too long, charging an attempt, and frees those that are due", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      const [job] = yield* claim()
      if (job === undefined) return yield* Effect.die(new Error("nothing was claimed"))
      const now = yield* Clock.currentTimeMillis
      const policy = { base: Duration.seconds(30), cap: Duration.seconds(600), attempts: 5, jitter: 0 }
      expect(yield* jobs.sweep(now + 600_001, now + 1, policy)).toEqual({ stuck: 1, due: 0 })
      const waiting = yield* jobs.find(job.id)
      expect([waiting?.status, waiting?.retry_count, waiting?.next_run_at]).toEqual(["RETRY_WAIT", 1, now + 630_001])
      expect(yield* settle(job, success())).toBe(false)
      expect(yield* jobs.sweep(now + 630_001, 0, policy)).toEqual({ stuck: 0, due: 1 })
      expect((yield* jobs.find(job.id))?.status).toBe("PENDING")
    }))
}

const operating = (it: It) => {
  const suspended = Effect.fnUntraced(function* (id: string, code: "quota" | "bad_key") {
    const jobs = yield* AiJobs
    yield* jobs.enqueue([newJob(id)])
    const [job] = yield* claim()
    if (job === undefined) return yield* Effect.die(new Error("nothing was claimed"))
    yield* settle(job, { tag: "suspend", code, message: code })
    return job.id
  })

  it("a suspended job is resumed by id with no retry counted; one that is not suspended is left", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      const id = yield* suspended("a", "quota")
      const first = yield* jobs.resume(id, "test")
      expect([first.changed, first.job?.status, first.job?.retry_count]).toEqual([true, "PENDING", 0])
      expect((yield* jobs.resume(id, "test")).changed).toBe(false)
      expect(yield* jobs.resume("999999", "test")).toEqual({ changed: false, job: null })
    }))

  it("jobs are resumed by reason", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* suspended("a", "quota")
      yield* suspended("b", "bad_key")
      expect(yield* jobs.resumeAll("QUOTA", "test")).toBe(1)
      expect((yield* jobs.list({ status: "SUSPENDED", limit: 9 })).map((it) => it.article_id)).toEqual(["b"])
    }))

  it("a cancelled job has failed, and its worker's outcome is fenced", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      yield* jobs.enqueue([newJob("a")])
      const [job] = yield* claim()
      if (job === undefined) return yield* Effect.die(new Error("nothing was claimed"))
      const answer = yield* jobs.cancel(job.id, "test")
      expect([answer.job?.status, answer.job?.last_error_code]).toEqual(["FAILED", "cancelled"])
      expect(yield* settle(job, success())).toBe(false)
      expect((yield* jobs.cancel(job.id, "test")).changed).toBe(false)
    }))

  it("what was spent is counted once per call, also for an outcome that was fenced", () =>
    Effect.gen(function* () {
      const jobs = yield* AiJobs
      const ledger = yield* AiLedger
      const at = yield* Clock.currentTimeMillis
      const counts = { input_tokens: 10, output_tokens: 5, cost_usd: 0.25, latency_ms: 3 }
      const usage = { id: "1.1.1", job_id: "1", type: "SUMMARY" as const, host: "a.kr", model: "m", ...counts, at }
      const settlement = { receipt: { id: "1", epoch: 9 }, model: "m", outcome: success(), usage: [usage] }
      expect(yield* jobs.settle([settlement])).toEqual([false])
      yield* jobs.settle([settlement])
      expect(yield* ledger.spent(at - 1)).toBe(0.25)
      expect(yield* ledger.spent(at + 1)).toBe(0)
    }))
}

const gate = (it: It) => {
  it("a closed provider lets one caller through each minute, whoever asks, and all when it is opened", () =>
    Effect.gen(function* () {
      const ledger = yield* AiLedger
      const now = 1_700_000_000_000
      expect(yield* ledger.pass(now)).toEqual({ tag: "open" })
      yield* ledger.close("quota", now)
      expect(yield* ledger.pass(now + 1)).toEqual({ tag: "closed", code: "quota", until: now + probeEvery })
      const asked = yield* Effect.all(
        [1, 2, 3, 4].map(() => ledger.pass(now + probeEvery)),
        { concurrency: "unbounded" }
      )
      expect(asked.map((it) => it.tag).toSorted()).toEqual(["closed", "closed", "closed", "probe"])
      yield* ledger.open
      expect(yield* ledger.look(now)).toEqual({ tag: "open" })
    }))
}
