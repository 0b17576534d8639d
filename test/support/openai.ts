/** A server that speaks OpenAI's API: it answers well, badly, slowly and with every error, as it is told per request. */

/** What a request asked for, read from its body. */
export interface Request_ {
  /** The job type, from the name of the schema: `summary`, `term_cards`, … */
  readonly schema: string
  readonly system: string
  readonly user: string
  readonly outputTokensMax: number
  /** 1 is the first request of this server. */
  readonly number: number
  readonly api: "responses" | "chat"
}

export type Behaviour =
  /** A valid result made of the words it was given. */
  | { readonly as: "well" }
  /** The text as it stands. */
  | { readonly as: "text"; readonly text: string; readonly finish?: "stop" | "length" | "content_filter" }
  | { readonly as: "refusal"; readonly text: string }
  | {
      readonly as: "error"
      readonly status: number
      readonly code?: string
      readonly type?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Never answers. */
  | { readonly as: "silence" }
  /** Closes the connection. */
  | { readonly as: "reset" }

export interface Options {
  readonly behave?: (request: Request_) => Behaviour
  /** Time before each answer, ms. */
  readonly delay?: number
  /** Knows chat completions only, like most compatible servers. */
  readonly chatOnly?: boolean
  readonly port?: number
}

const sentences = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=[.!?。다])\s+|\n+/u)
    .map((it) => it.trim())
    .filter((it) => it.length > 3)

const pick = (all: ReadonlyArray<string>, at: number): string => all[at % Math.max(1, all.length)] ?? "없음"

const quiz = (parts: ReadonlyArray<string>) => ({
  questions: [0, 1, 2].map((at) => ({
    question: `${pick(parts, at).slice(0, 60)} — 옳은 것은? (${at + 1})`,
    options: [0, 1, 2, 3].map((option) => `${pick(parts, at + option).slice(0, 40)} (${option})`),
    answerIndex: at,
    explanations: [0, 1, 2, 3].map((option) => `${pick(parts, option).slice(0, 40)} 때문이다.`)
  }))
})

/** A valid result of a job, true to its material. */
export const good = ({ schema, user }: Pick<Request_, "schema" | "user">): unknown => {
  const data = JSON.parse(user) as Record<string, string>
  const source = data.text ?? data.summary ?? data.cards ?? ""
  const parts = sentences(source)
  switch (schema) {
    case "summary":
      return { summary3: [0, 1, 2].map((at) => pick(parts, at)), summaryFull: parts.slice(0, 6).join(" ") }
    case "term_cards":
      return {
        cards: [0, 1, 2].map((at) => {
          const highlightText = source.slice(at * 7, at * 7 + 20)
          return { term: `${highlightText.trim().split(" ")[0] ?? "용어"}`, highlightText, definition: pick(parts, at) }
        })
      }
    case "insight":
      return {
        insights: [0, 1, 2].map((at) => ({
          title: pick(parts, at).slice(0, 30),
          detail: pick(parts, at),
          whyItMatters: pick(parts, at + 1)
        }))
      }
    default:
      return quiz(parts)
  }
}

const readRequest = (body: Record<string, unknown>, number: number, api: Request_["api"]): Request_ => {
  if (api === "responses") {
    const format = (body.text as { format: { name: string } }).format
    return {
      schema: format.name,
      system: String(body.instructions),
      user: String(body.input),
      outputTokensMax: Number(body.max_output_tokens),
      number,
      api
    }
  }
  const messages = body.messages as ReadonlyArray<{ role: string; content: string }>
  const format = body.response_format as { json_schema: { name: string } }
  const said = (role: string) => messages.find((it) => it.role === role)?.content ?? ""
  return {
    schema: format.json_schema.name,
    system: said("system"),
    user: said("user"),
    outputTokensMax: Number(body.max_completion_tokens),
    number,
    api
  }
}

interface Said {
  readonly text: string
  readonly refusal: string | null
  readonly finish: "stop" | "length" | "content_filter"
}

const tokensOf = (text: string): number => Math.ceil(text.length / 4)

const envelope = (request: Request_, said: Said, model: string): unknown => {
  const input = tokensOf(request.system + request.user)
  const output = tokensOf(said.text + (said.refusal ?? ""))
  if (request.api === "responses") {
    const content =
      said.refusal === null
        ? [{ type: "output_text", text: said.text, annotations: [] }]
        : [{ type: "refusal", refusal: said.refusal }]
    const reason = said.finish === "length" ? "max_output_tokens" : "content_filter"
    return {
      id: `resp_${request.number}`,
      object: "response",
      model,
      status: said.finish === "stop" ? "completed" : "incomplete",
      incomplete_details: said.finish === "stop" ? null : { reason },
      output: [{ type: "message", id: "m", role: "assistant", status: "completed", content }],
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output }
    }
  }
  return {
    id: `chat_${request.number}`,
    object: "chat.completion",
    model,
    choices: [
      {
        index: 0,
        finish_reason: said.finish,
        message: { role: "assistant", content: said.text, refusal: said.refusal }
      }
    ],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  }
}

export interface Stub {
  /** For OPENAI_BASE_URL. */
  readonly url: string
  readonly requests: ReadonlyArray<Request_ & { readonly at: number }>
  readonly stop: () => Promise<void>
}

/** Starts a server on a free loopback port. */
export const openai = (options: Options = {}): Stub => {
  const requests: Array<Request_ & { at: number }> = []
  const behave = options.behave ?? (() => ({ as: "well" }) as const)
  const answer = async (http: Request): Promise<Response> => {
    const path = new URL(http.url).pathname
    const api = path.endsWith("/responses") ? "responses" : path.endsWith("/chat/completions") ? "chat" : null
    if (api === null || (api === "responses" && options.chatOnly === true)) {
      return Response.json({ error: { message: `unknown path ${path}` } }, { status: 404 })
    }
    const body = (await http.json()) as Record<string, unknown>
    const request = readRequest(body, requests.length + 1, api)
    requests.push({ ...request, at: performance.now() })
    if (options.delay !== undefined) await Bun.sleep(options.delay)
    const how = behave(request)
    switch (how.as) {
      case "silence":
        await new Promise(() => undefined)
        return new Response()
      case "reset":
        // A body that ends before its length: the client sees a broken connection.
        return new Response(new ReadableStream({ start: (it) => it.error(new Error("reset")) }))
      case "error": {
        const error = { message: `stub: ${how.status}`, code: how.code ?? null, type: how.type ?? null, param: null }
        return Response.json({ error }, { status: how.status, headers: how.headers ?? {} })
      }
      case "refusal":
        return Response.json(envelope(request, { text: "", refusal: how.text, finish: "stop" }, String(body.model)))
      case "text": {
        const said = { text: how.text, refusal: null, finish: how.finish ?? "stop" } as const
        return Response.json(envelope(request, said, String(body.model)))
      }
      case "well": {
        const said = { text: JSON.stringify(good(request)), refusal: null, finish: "stop" } as const
        return Response.json(envelope(request, said, String(body.model)))
      }
    }
  }
  const server = Bun.serve({ port: options.port ?? 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    stop: () => server.stop(true)
  }
}
