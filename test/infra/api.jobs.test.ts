import { beforeEach, describe, expect, test } from "bun:test"
import type { AiCode } from "../../src/domain/ai/codes.ts"
import { newJob } from "../support/ai.ts"
import { aiMemory, ask, codeOf, READ, serve } from "../support/api.ts"

serve()

/** A job that a worker has suspended; answers its id. */
const suspended = (article: string, code: AiCode): string => {
  aiMemory.add(newJob(article))
  const id = aiMemory.byKey.get(`${article} SUMMARY 1`) ?? ""
  const row = aiMemory.rows.get(id)
  if (row === undefined) throw new Error("no job")
  aiMemory.move(row, "claim")
  aiMemory.move(row, "suspend", { last_error_code: code, retry_count: 3 })
  return id
}

beforeEach(() => {
  aiMemory.rows.clear()
  aiMemory.byKey.clear()
})

describe("one job (S3.19)", () => {
  test("a suspended job is resumed, without a body, and its retries start anew", async () => {
    const id = suspended("a", "quota")
    const answer = await ask(`/api/v1/admin/ai/jobs/${id}/resume`, { method: "POST" })
    expect([answer.status, answer.body.data.status, answer.body.data.retry_count]).toEqual([200, "PENDING", 0])
  })
  test("one that is not suspended is 409, one that is not there 404", async () => {
    const id = suspended("a", "quota")
    await ask(`/api/v1/admin/ai/jobs/${id}/resume`, { method: "POST" })
    const again = await ask(`/api/v1/admin/ai/jobs/${id}/resume`, { method: "POST" })
    expect([again.status, codeOf(again)]).toEqual([409, "conflict"])
    expect((await ask("/api/v1/admin/ai/jobs/99999/resume", { method: "POST" })).status).toBe(404)
  })
  test("it needs a token of scope admin", async () => {
    const id = suspended("a", "quota")
    expect((await ask(`/api/v1/admin/ai/jobs/${id}/resume`, { method: "POST", token: null })).status).toBe(401)
    expect((await ask(`/api/v1/admin/ai/jobs/${id}/resume`, { method: "POST", token: READ })).status).toBe(403)
    expect(aiMemory.rows.get(id)?.job.status).toBe("SUSPENDED")
  })
  test("a job is cancelled once", async () => {
    const id = suspended("a", "quota")
    const answer = await ask(`/api/v1/admin/ai/jobs/${id}/cancel`, { method: "POST" })
    expect([answer.status, answer.body.data.last_error_code]).toEqual([200, "cancelled"])
    expect((await ask(`/api/v1/admin/ai/jobs/${id}/cancel`, { method: "POST" })).status).toBe(409)
  })
})

describe("many jobs (S3.20)", () => {
  test("all suspended for a reason are resumed, the others stay, and the answer says how many", async () => {
    for (const [article, code] of [
      ["a", "quota"],
      ["b", "balance"],
      ["c", "bad_key"]
    ] as const)
      suspended(article, code)
    const answer = await ask("/api/v1/admin/ai/jobs/resume?reason=QUOTA", { method: "POST" })
    expect([answer.status, answer.body.data]).toEqual([200, { resumed: 2 }])
    expect([...aiMemory.rows.values()].map((it) => it.job.status)).toEqual(["PENDING", "PENDING", "SUSPENDED"])
  })
  const bad = ["", "?reason=", "?reason=quota", "?reason=OTHER", "?reason=QUOTA&reason=AUTH", "?why=QUOTA"]
  test.each(bad)("an unknown reason is 422: %s", async (query) => {
    expect((await ask(`/api/v1/admin/ai/jobs/resume${query}`, { method: "POST" })).status).toBe(422)
  })
})

describe("looking", () => {
  test("jobs are listed by state, with whether they may run", async () => {
    const id = suspended("a", "quota")
    const { body } = await ask("/api/v1/ai/jobs?status=SUSPENDED", { token: READ })
    expect(body.data.jobs.map((it: { id: string }) => it.id)).toEqual([id])
    expect(body.data.provider).toMatchObject({ closed_by: null, waits_for_budget: false })
    expect((await ask("/api/v1/ai/jobs?status=ASLEEP")).status).toBe(422)
    expect((await ask(`/api/v1/ai/jobs/${id}`, { token: READ })).body.data).toMatchObject({ id, result: null })
    expect((await ask("/api/v1/ai/jobs/4711")).status).toBe(404)
  })
})
