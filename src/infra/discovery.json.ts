import { Clock, type Duration, Effect, Option, Schema } from "effect"
import { type Fatal, Retryable, type Suspendable } from "../domain/errors.ts"
import type { Find } from "../domain/research/assemble.ts"
import { retryAfter } from "../domain/retryafter.ts"
import type { Dialler } from "./dial.ts"
import { inflate } from "./inflate.ts"

/** Bytes taken of one answer, on the wire and inflated: crt.sh answers tens of megabytes for a large domain. */
const WIRE_BYTES_MAX = 16 * 1024 * 1024
const INFLATED_BYTES_MAX = 64 * 1024 * 1024
const RATIO_MAX = 200

/** How all sources are asked. */
export interface Way {
  readonly dialler: Dialler["Service"]
  readonly agent: string
  readonly patience: Duration.Duration
  readonly resultsMax: number
}

/** One source. `host` is the key of its slot; null: it is no HTTP server. */
export interface Asked {
  readonly host: string | null
  readonly ask: (subject: string) => Effect.Effect<ReadonlyArray<Find>, Retryable | Suspendable | Fatal>
}

/** A status and its body's text, whatever the status was; 429 and 5xx keep their Retry-After. */
export interface Reply {
  readonly status: number
  readonly text: string
  readonly after: number | null
}

const decoder = new TextDecoder()

/** One GET, read to its end. A body that breaks off is no answer. */
export const get = Effect.fnUntraced(function* (way: Way, url: string) {
  const headers = { "user-agent": way.agent, accept: "application/json", "accept-encoding": "gzip" }
  return yield* way.dialler
    .ask(url, { headers, patience: way.patience }, (answer) =>
      Effect.gen(function* () {
        const wire = yield* answer.read(WIRE_BYTES_MAX)
        if (wire.end !== "complete") {
          return yield* new Retryable({ code: "partial", message: `${answer.url.hostname}: its answer breaks off` })
        }
        const { bytes, truncated } = yield* inflate(wire.bytes, answer.headers.get("content-encoding"), {
          bytesMax: INFLATED_BYTES_MAX,
          ratioMax: RATIO_MAX
        }).pipe(Effect.mapError(({ message }) => new Retryable({ code: "partial", message })))
        if (truncated) {
          return yield* new Retryable({ code: "partial", message: `${answer.url.hostname}: its answer breaks off` })
        }
        const after = retryAfter(answer.headers.get("retry-after"), yield* Clock.currentTimeMillis)
        const reply: Reply = { status: answer.status, text: decoder.decode(bytes), after }
        return reply
      })
    )
    .pipe(
      Effect.timeoutOrElse({
        duration: way.patience,
        orElse: () =>
          Effect.fail(new Retryable({ code: "timeout", message: `${hostOf(url)}: no whole answer in time` }))
      })
    )
})

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url

/** A status that is no answer to the question. */
export const refusal = (url: string, { status, after }: Reply): Retryable => {
  const code = status === 429 ? "http_429" : status >= 500 ? "http_5xx" : "http_4xx"
  const message = `${hostOf(url)} answered ${status}`
  return new Retryable({ code, message, ...(after === null ? {} : { after }) })
}

/** An answer in another format than the source's own. */
export const foreign = (url: string, text: string): Retryable => {
  const said = text.trimStart().startsWith("<") ? "HTML" : JSON.stringify(text.slice(0, 40))
  return new Retryable({
    code: "parse_failed",
    message: `${hostOf(url)} answers something else than its JSON: ${said}`
  })
}

/** The body in the format the source is known for; anything else (HTML with 200, half a line) is no answer. */
export const decoded = <A, I>(url: string, schema: Schema.Codec<A, I>, text: string): Effect.Effect<A, Retryable> => {
  const value = Schema.decodeUnknownOption(Schema.fromJsonString(schema))(text)
  return Option.match(value, {
    onSome: (it) => Effect.succeed(it),
    onNone: () => Effect.fail(foreign(url, text))
  })
}

/** With more query parameters. */
export const withQuery = (url: string, query: Readonly<Record<string, string>>): string => {
  const target = URL.parse(url)
  if (target === null) return url
  for (const [name, value] of Object.entries(query)) target.searchParams.append(name, value)
  return target.href
}

export const bare = (url: string): Find => ({ url, title: null, description: null, language: null })
