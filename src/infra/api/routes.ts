import { Effect, Result, Schema } from "effect"
import { complaint, strict } from "../control.checked.ts"
import { Control, type ControlError, controlCodes } from "../control.ts"
import { readJson } from "./body.ts"
import { type Answer, failure, success } from "./envelope.ts"
import type { Idempotency } from "./idempotency.ts"
import { type OperationName, operationNames, pathParameters } from "./operations.ts"
import { type Row, rowOf } from "./row.ts"
import type { Tokens } from "./tokens.ts"

/** What answering an operation needs besides the request. */
export interface Desk {
  readonly tokens: Tokens
  readonly idempotency: Idempotency
  readonly bodyBytesMax: number
  /** Called once a body has been read: from then on the client waits for us, not we for it. */
  readonly patient?: (request: Request) => void
}

/** Path parameters, then the rest. What a path cannot name does not exist (404); other faults are 422. */
const decode = (row: Row, parts: Readonly<Record<string, unknown>>, fromText: boolean) => {
  const schema = fromText ? Schema.toCodecStringTree(row.input) : row.input
  const result = Schema.decodeUnknownResult(schema, strict)(parts)
  if (Result.isSuccess(result)) return Effect.succeed<unknown>(result.success)
  const { field, message } = complaint(result.failure.issue, row, parts)
  return Effect.fail(
    pathParameters(row.path).includes(field)
      ? failure(404, "not_found", "there is no such thing")
      : failure(422, "invalid", message, { field })
  )
}

const query = (request: Request): Effect.Effect<Readonly<Record<string, string>>, Answer> => {
  const at = request.url.indexOf("?")
  const pairs = at < 0 ? [] : [...new URLSearchParams(request.url.slice(at))]
  const twice = pairs.find(([key], index) => pairs.findIndex(([it]) => it === key) !== index)
  return twice === undefined
    ? Effect.succeed(Object.fromEntries(pairs))
    : Effect.fail(failure(422, "invalid", `${twice[0]}: given twice`, { field: twice[0] }))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const controlAnswer = (error: ControlError): Answer =>
  failure(controlCodes[error.code].status, error.code, error.message, {
    field: error.field,
    headers: error.code === "unavailable" ? { "retry-after": "5" } : {}
  })

const run = (name: OperationName, row: Row, input: unknown) =>
  Effect.gen(function* () {
    const control = yield* Control
    const work = control[name] as (input: unknown) => Effect.Effect<unknown, ControlError>
    const output = yield* work(input)
    return success(Schema.encodeUnknownSync(row.output)(output), row.status)
  }).pipe(
    Effect.catchTag("ControlError", (error) => Effect.succeed(controlAnswer(error))),
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logError(`operation ${name} broke`, cause),
        failure(500, "internal", "an error of the crawler itself")
      )
    )
  )

const noToken =
  "a valid bearer token is expected: Authorization: Bearer TOKEN, with one of ADMIN_TOKEN, READ_TOKEN, or what stands in CRAWLER_DATA_DIR/admin-token when ADMIN_TOKEN is not set"

const authorise = (row: Row, request: Request, tokens: Tokens): Effect.Effect<void, Answer> => {
  const scope = tokens.scopeOf(request.headers.get("authorization"))
  if (scope === null) {
    const headers = { "www-authenticate": 'Bearer realm="crawler"' }
    return Effect.fail(failure(401, "unauthorized", noToken, { headers }))
  }
  return row.scope === "admin" && scope !== "admin"
    ? Effect.fail(failure(403, "scope", "this needs a token of scope admin"))
    : Effect.void
}

/** One operation over HTTP: token, body or query, schema, then the work. Never fails: a fault is an answer too. */
export const answer = (
  name: OperationName,
  request: Request,
  params: Readonly<Record<string, string>>,
  desk: Desk
): Effect.Effect<Answer, never, Control> => {
  const row = rowOf(name)
  return Effect.gen(function* () {
    yield* authorise(row, request, desk.tokens)
    const key = row.method === "POST" ? request.headers.get("idempotency-key") : null
    if (row.query) {
      const input = yield* decode(row, { ...(yield* query(request)), ...params }, true)
      return yield* desk.idempotency.once(name, key, Buffer.from(request.url), run(name, row, input))
    }
    yield* query(request).pipe(
      Effect.filterOrFail(
        (it) => Object.keys(it).length === 0,
        () => failure(422, "invalid", "this operation takes its input from the body, not from the query")
      )
    )
    const { bytes, value } = yield* readJson(request, desk.bodyBytesMax)
    desk.patient?.(request)
    if (!isRecord(value)) return failure(422, "invalid", "a JSON object is expected")
    const input = yield* decode(row, { ...value, ...params }, false)
    return yield* desk.idempotency.once(name, key, bytes, run(name, row, input))
  }).pipe(Effect.catch((fault: Answer) => Effect.succeed(fault)))
}

/** Every path with the operations of its methods. */
export const paths: ReadonlyMap<string, ReadonlyMap<string, OperationName>> = operationNames.reduce((map, name) => {
  const { path, method } = rowOf(name)
  return map.set(path, new Map([...(map.get(path) ?? []), [method, name]]))
}, new Map<string, Map<string, OperationName>>())
