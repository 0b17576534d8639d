import { afterAll, expect, test } from "bun:test"
import { Effect, Layer, Result } from "effect"
import { Model } from "../../src/domain/ai/ports.ts"
import { jsonSchemaOf } from "../../src/domain/ai/results.ts"
import { layer } from "../../src/infra/model.openai.ts"
import { type Behaviour, type Options, openai } from "../support/openai.ts"
import { settings } from "../support/world.ts"

const stops: Array<() => Promise<void>> = []
afterAll(async () => void (await Promise.all(stops.map((it) => it()))))

const ask = async (options: Options, env: Readonly<Record<string, string>> = {}) => {
  const stub = openai(options)
  stops.push(stub.stop)
  const result = await Effect.runPromise(
    Model.use((it) =>
      it.ask({
        type: "SUMMARY",
        system: "instructions",
        user: JSON.stringify({ title: "제목", text: "첫째 문장이다. 둘째 문장이다. 셋째 문장이다." }),
        schema: jsonSchemaOf("SUMMARY"),
        outputTokensMax: 3000
      })
    ).pipe(
      Effect.result,
      Effect.provide(
        Layer.provide(
          layer,
          settings({ OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: "test-key", OPENAI_TIMEOUT: "300ms", ...env })
        )
      )
    )
  )
  return { stub, result }
}
const codeOf = ({ result }: Awaited<ReturnType<typeof ask>>) => (Result.isFailure(result) ? result.failure.code : "ok")

test("a schema is closed and requires every field, as strict output asks", () => {
  expect(jsonSchemaOf("SUMMARY")).toEqual({
    type: "object",
    properties: {
      summary3: { type: "array", items: { type: "string" }, minItems: 3, maxItems: 3 },
      summaryFull: { type: "string" }
    },
    required: ["summary3", "summaryFull"],
    additionalProperties: false
  })
})

test("the Responses API is asked with the limits of the settings, and its tokens are counted", async () => {
  const { stub, result } = await ask({})
  if (Result.isFailure(result)) throw new Error(result.failure.message)
  expect(stub.requests.map((it) => [it.api, it.schema, it.outputTokensMax])).toEqual([["responses", "summary", 3000]])
  expect(JSON.parse(result.success.answer.text)).toHaveProperty("summaryFull")
  expect(result.success.input_tokens).toBeGreaterThan(0)
})

test("a server that knows chat completions only is asked in that way", async () => {
  const { stub, result } = await ask({ chatOnly: true })
  expect(Result.isSuccess(result)).toBe(true)
  expect(stub.requests.map((it) => it.api)).toEqual(["chat"])
})

const errors: ReadonlyArray<readonly [name: string, behaviour: Behaviour, code: string]> = [
  ["429 with insufficient_quota", { as: "error", status: 429, code: "insufficient_quota" }, "quota"],
  ["a plain 429", { as: "error", status: 429 }, "rate_limited"],
  ["402", { as: "error", status: 402 }, "balance"],
  ["401", { as: "error", status: 401, code: "invalid_api_key" }, "bad_key"],
  ["403", { as: "error", status: 403 }, "denied"],
  ["400", { as: "error", status: 400 }, "bad_request"],
  ["400 for its length", { as: "error", status: 400, code: "context_length_exceeded" }, "too_long"],
  ["404 for its model", { as: "error", status: 404, code: "model_not_found" }, "no_model"],
  ["500", { as: "error", status: 500 }, "server"],
  ["503", { as: "error", status: 503 }, "server"],
  ["silence", { as: "silence" }, "timeout"]
]
for (const [name, behaviour, code] of errors) {
  test(`${name} is ${code}`, async () => {
    expect(codeOf(await ask({ behave: () => behaviour }))).toBe(code as never)
  })
}

test("nobody listening is a network failure", async () => {
  expect(codeOf(await ask({}, { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }))).toBe("network")
})

test("Retry-After comes through, in milliseconds", async () => {
  const { result } = await ask({ behave: () => ({ as: "error", status: 429, headers: { "retry-after": "7" } }) })
  expect(Result.isFailure(result) && result.failure.after).toBe(7000)
})

test("a refusal and a cut answer are told apart from a result", async () => {
  const refused = await ask({ behave: () => ({ as: "refusal", text: "I cannot." }) })
  const cut = await ask({ behave: () => ({ as: "text", text: "{", finish: "length" }), chatOnly: true })
  expect(Result.isSuccess(refused.result) && refused.result.success.answer.refusal).toBe("I cannot.")
  expect(Result.isSuccess(cut.result) && cut.result.success.answer.finish).toBe("length")
})
