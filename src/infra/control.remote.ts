import { request } from "node:http"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import { type Holder, holder } from "./address-file.ts"
import { type OperationName, operationNames, pathParameters } from "./api/operations.ts"
import { rowOf } from "./api/row.ts"
import { checked } from "./control.checked.ts"
import { Control, type ControlCode, type ControlError, controlCodes, controlError } from "./control.ts"
import { exits, Refusal } from "./exit.ts"

/** An answer takes at most this long; the server gives an operation two minutes. */
const ANSWER_TIMEOUT = "130 seconds"
/** Largest answer taken, bytes: a thousand long articles. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024
/** A process that has just taken the data dir needs this long until it listens. */
const FIND_EVERY = "200 millis"
const FIND_TIMES = 75
/** One look whether it listens. */
const PROBE_TIMEOUT = "5 seconds"

interface Call {
  readonly method: string
  readonly url: string
  readonly token: string
  readonly body: string | null
}

/** By `node:http`, since `fetch` would send a loopback request to the proxy that HTTP_PROXY names. */
const send = ({ method, url, token, body }: Call): Effect.Effect<string, ControlError> =>
  Effect.callback<string, ControlError>((resume) => {
    const unreachable = (cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      resume(Effect.fail(controlError("unavailable", `the crawler at ${new URL(url).origin} does not answer: ${why}`)))
    }
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === null ? {} : { "content-type": "application/json" })
    }
    const call = request(url, { method, headers }, (answer) => {
      const parts: Array<Buffer> = []
      let bytes = 0
      answer.on("data", (part: Buffer) => {
        bytes += part.byteLength
        if (bytes > ANSWER_BYTES_MAX) call.destroy(new Error("the answer is too large: ask for less at a time"))
        else parts.push(part)
      })
      answer.on("error", unreachable)
      answer.on("end", () => resume(Effect.succeed(Buffer.concat(parts).toString("utf8"))))
    })
    call.on("error", unreachable)
    call.end(body ?? undefined)
    return Effect.sync(() => call.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: ANSWER_TIMEOUT,
      orElse: () => Effect.fail(controlError("unavailable", `the crawler did not answer within ${ANSWER_TIMEOUT}`))
    })
  )

const Failure = Schema.Struct({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    field: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
})
const Reply = Schema.fromJsonString(
  Schema.Union([Schema.Struct({ success: Schema.Literal(true), data: Schema.Unknown }), Failure])
)
const decodeReply = Schema.decodeUnknownOption(Reply)

const isCode = (code: string): code is ControlCode => Object.hasOwn(controlCodes, code)
/** Codes of the HTTP layer itself, as an operator's command sees them. */
const codeOf = (code: string): ControlCode =>
  isCode(code) ? code : code === "unauthorized" || code === "scope" ? "denied" : "refused"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const callOf = (name: OperationName, input: unknown, { address, token }: Holder): Call => {
  const { method, path, input: schema, query: inQuery } = rowOf(name)
  const encoded: unknown = Schema.encodeUnknownSync(inQuery ? Schema.toCodecStringTree(schema) : schema)(input)
  const fields = isRecord(encoded) ? encoded : {}
  const names = pathParameters(path)
  const filled = names.reduce((it, key) => it.replace(`:${key}`, encodeURIComponent(String(fields[key]))), path)
  const rest = Object.entries(fields).filter(([key, value]) => !names.includes(key) && value !== undefined)
  const search = inQuery && rest.length > 0 ? `?${new URLSearchParams(rest.map(([key, it]) => [key, String(it)]))}` : ""
  return {
    method,
    url: `${address}${filled}${search}`,
    token,
    body: inQuery ? null : JSON.stringify(Object.fromEntries(rest))
  }
}

const ask = Effect.fn("Control.remote")(function* (name: OperationName, input: unknown, to: Holder) {
  const call = yield* Effect.try({
    try: () => callOf(name, input, to),
    catch: (cause) => controlError("invalid", cause instanceof Error ? cause.message : String(cause))
  })
  const reply = decodeReply(yield* send(call))
  if (Option.isNone(reply))
    return yield* controlError("internal", `${to.address} answers something else than a crawler`)
  if ("error" in reply.value) {
    const { code, field, message } = reply.value.error
    return yield* controlError(codeOf(code), message, field ?? null)
  }
  return yield* Schema.decodeUnknownEffect(rowOf(name).output)(reply.value.data).pipe(
    Effect.mapError((error) =>
      controlError("internal", `the crawler's answer does not fit this version: ${error.message}`)
    )
  )
})

/** The operations by way of another process. */
export const client = (to: Holder): Control["Service"] =>
  // Each function follows from its row; the record built from all rows has lost which is which.
  checked(
    Object.fromEntries(
      operationNames.map((name) => [name, (input: unknown) => ask(name, input, to)])
    ) as unknown as Control["Service"]
  )

const find = Effect.fnUntraced(function* (dataDir: string) {
  const found = yield* holder(dataDir)
  if (Option.isNone(found)) return yield* controlError("unavailable", "its address is not in the data dir")
  const control = client(found.value)
  yield* control.status({}).pipe(
    Effect.timeoutOrElse({
      duration: PROBE_TIMEOUT,
      orElse: () => Effect.fail(controlError("unavailable", `no answer within ${PROBE_TIMEOUT}`))
    })
  )
  return control
})

/** Does a crawler answer for this data dir? What a killed one left behind in it does not. */
export const answers = (dataDir: string): Effect.Effect<boolean> => Effect.isSuccess(find(dataDir))

/** Asks the process that holds the data dir: waits a little for it to listen, and says so when it never does. */
export const layer = (dataDir: string, held: string): Layer.Layer<Control, Refusal> =>
  Layer.effect(
    Control,
    find(dataDir).pipe(
      Effect.retry({ schedule: Schedule.spaced(FIND_EVERY), times: FIND_TIMES }),
      Effect.mapError(({ message }) => {
        const hint = "it answers only if it runs with HTTP_PORT and stage api, and is no one-shot crawl"
        return new Refusal({ exit: "busy", message: `${held} and cannot be asked: ${message} (${hint})` })
      })
    )
  )

/** Does this refusal say, by its exit code, that the data dir is held? */
const isHeld = (error: unknown): error is { readonly message: string } =>
  typeof error === "object" &&
  error !== null &&
  "message" in error &&
  "exit" in error &&
  (error.exit === exits.busy.code || error.exit === "busy")

/**
 * Control for a command: over the holder's API where one answers by the token of its run, which proves that it lives;
 * else over the store itself; and where the store turns out to be held after all (its holder is just starting, or serves
 * no API), over that holder once it listens.
 */
export const localOrRemote = <E, R>(
  dataDir: string,
  local: Layer.Layer<Control, E, R>
): Layer.Layer<Control, E | Refusal, R> => {
  const here = Layer.effect(Control, Effect.map(Control, checked)).pipe(Layer.provide(local))
  const opened = Layer.catchCause(here, (cause): Layer.Layer<Control, E | Refusal> => {
    const held = cause.reasons.flatMap((it) => (it._tag === "Fail" && isHeld(it.error) ? [it.error.message] : []))
    const [message] = held
    return message === undefined ? Layer.effect(Control, Effect.failCause(cause)) : layer(dataDir, message)
  })
  return Layer.unwrap(
    Effect.match(find(dataDir), {
      onSuccess: (control): Layer.Layer<Control, E | Refusal, R> => Layer.succeed(Control, control),
      onFailure: () => opened
    })
  )
}
