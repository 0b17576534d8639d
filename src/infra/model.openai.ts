import { Clock, Duration, Effect, Layer, Redacted } from "effect"
import type { OpenAI } from "openai"
import type { Answer } from "../domain/ai/answer.ts"
import { classify } from "../domain/ai/codes.ts"
import { Model, type ModelFailure } from "../domain/ai/ports.ts"
import { retryAfter } from "../domain/retryafter.ts"
import { Settings } from "./config.ts"

/** Words of a provider's complaint that are kept. */
const messageMax = 500

type Asked = Parameters<Model["Service"]["ask"]>[0]
type Reply = Effect.Success<ReturnType<Model["Service"]["ask"]>>
interface Options {
  readonly model: string
  readonly temperature: number
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

const failureOf = (module: typeof import("openai"), cause: unknown, now: number): ModelFailure => {
  const timedOut = cause instanceof module.APIConnectionTimeoutError || cause instanceof module.APIUserAbortError
  const api = cause instanceof module.APIError ? cause : null
  const status = typeof api?.status === "number" ? api.status : null
  const code = classify({ status, code: textOf(api?.code), type: textOf(api?.type), timedOut })
  const headers: Headers | undefined = api?.headers
  const message = cause instanceof Error ? cause.message : String(cause)
  const after = headers === undefined ? null : retryAfter(headers.get("retry-after"), now)
  return { code, message: message.slice(0, messageMax), after }
}

/** The newer API. Its answers end `incomplete` when they are cut. */
const byResponses = async (client: OpenAI, asked: Asked, options: Options, signal: AbortSignal): Promise<Reply> => {
  const reply = await client.responses.create(
    {
      ...options,
      instructions: asked.system,
      input: asked.user,
      max_output_tokens: asked.outputTokensMax,
      store: false,
      text: {
        format: { type: "json_schema", name: asked.type.toLowerCase(), schema: { ...asked.schema }, strict: true }
      }
    },
    { signal }
  )
  const parts = (reply.output ?? []).flatMap((it) => (it.type === "message" ? it.content : []))
  const reason = reply.incomplete_details?.reason
  const answer: Answer = {
    text: parts.map((it) => (it.type === "output_text" ? it.text : "")).join(""),
    refusal: parts.flatMap((it) => (it.type === "refusal" ? [it.refusal] : []))[0] ?? null,
    finish: reason === "max_output_tokens" ? "length" : reason === "content_filter" ? "content_filter" : "stop"
  }
  const { input_tokens = 0, output_tokens = 0 } = reply.usage ?? {}
  return { answer, model: textOf(reply.model) ?? options.model, input_tokens, output_tokens }
}

/** The older API, which most compatible servers speak. */
const byChat = async (client: OpenAI, asked: Asked, options: Options, signal: AbortSignal): Promise<Reply> => {
  const json_schema = { name: asked.type.toLowerCase(), schema: { ...asked.schema }, strict: true }
  const reply = await client.chat.completions.create(
    {
      ...options,
      messages: [
        { role: "system", content: asked.system },
        { role: "user", content: asked.user }
      ],
      max_completion_tokens: asked.outputTokensMax,
      response_format: { type: "json_schema", json_schema }
    },
    { signal }
  )
  const choice = reply.choices?.[0]
  const reason = choice?.finish_reason
  const answer: Answer = {
    text: choice?.message.content ?? "",
    refusal: textOf(choice?.message.refusal),
    finish: reason === "length" ? "length" : reason === "content_filter" ? "content_filter" : "stop"
  }
  const { prompt_tokens = 0, completion_tokens = 0 } = reply.usage ?? {}
  return {
    answer,
    model: textOf(reply.model) ?? options.model,
    input_tokens: prompt_tokens,
    output_tokens: completion_tokens
  }
}

const lacks = (cause: unknown): boolean =>
  cause instanceof Error &&
  "status" in cause &&
  (cause.status === 404 || cause.status === 405 || cause.status === 501) &&
  !("code" in cause && cause.code === "model_not_found")

/**
 * Any server that speaks OpenAI's API: structured output by the Responses API, or by chat completions where the server
 * lacks it. Never retries by itself: what happens after a failure is the job's business. The package loads at first use.
 */
export const layer: Layer.Layer<Model, never, Settings> = Layer.effect(
  Model,
  Effect.gen(function* () {
    const settings = yield* Settings
    const timeout = Duration.toMillis(settings.OPENAI_TIMEOUT)
    const options: Options = { model: settings.OPENAI_MODEL, temperature: settings.OPENAI_TEMPERATURE }
    const key = Redacted.make(settings.OPENAI_API_KEY ?? "none")
    const load = yield* Effect.cached(
      Effect.promise(async () => {
        const module = await import("openai")
        const client = new module.OpenAI({
          apiKey: Redacted.value(key),
          baseURL: settings.OPENAI_BASE_URL ?? "https://api.openai.com/v1",
          maxRetries: 0,
          timeout
        })
        return { module, client }
      })
    )
    let older = false
    const send = async (client: OpenAI, asked: Asked, signal: AbortSignal): Promise<Reply> => {
      if (older) return byChat(client, asked, options, signal)
      try {
        return await byResponses(client, asked, options, signal)
      } catch (cause) {
        if (!lacks(cause)) throw cause
        const reply = await byChat(client, asked, options, signal)
        older = true
        return reply
      }
    }
    const ask = Effect.fn("Model.ask")(function* (asked: Asked): Effect.fn.Return<Reply, ModelFailure> {
      const { module, client } = yield* load
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.tryPromise({
        try: (signal) => send(client, asked, signal),
        catch: (cause) => failureOf(module, cause, now)
      })
    })
    return Model.of({ name: options.model, ask })
  })
)
