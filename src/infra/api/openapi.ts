import { Schema } from "effect"
import { type OperationName, operationNames, operations, pathParameters } from "./operations.ts"
import { rowOf } from "./row.ts"

/**
 * The OpenAPI 3.1 document, made from the operation table: what it says is what the routes do.
 * @source OpenAPI Specification 3.1.0
 */
type Json = Readonly<Record<string, unknown>>

const jsonSchema = (schema: Schema.Codec<unknown, unknown>, closed: boolean): Json => {
  const { schema: made, definitions } = Schema.toJsonSchemaDocument(schema, {
    onExcessProperty: closed ? "error" : "ignore"
  })
  return Object.keys(definitions).length === 0 ? made : { ...made, $defs: definitions }
}

const tags = {
  "parsing-rules": "How pages of a host are read.",
  jobs: "AI jobs: summaries, cards, insights and quizzes.",
  process: "Is it alive, and how does it do?",
  crawl: "URLs in, and why they are treated as they are.",
  sources: "Pages that are polled for new articles.",
  articles: "What was found.",
  research: "Where to look: datasets of discovered URLs.",
  queues: "Batches of discovery and liveness.",
  dlq: "Dead letters: inputs that could never be worked on.",
  hosts: "Sites, and how they answer.",
  store: "The database itself."
} as const
const tagOf = (name: OperationName): string => {
  const first = name.split(".")[0] ?? name
  return first === "sql" ? "store" : Object.hasOwn(tags, first) ? first : "crawl"
}

const errorSchema: Json = {
  type: "object",
  required: ["success", "error"],
  properties: {
    success: { const: false },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" }, field: { type: "string" } }
    }
  }
}

/** Faults that any operation can answer, with those that only a body can cause. */
const faults = (name: OperationName): Readonly<Record<string, string>> => {
  const { method, path, scope } = rowOf(name)
  return {
    "401": "No valid token.",
    ...(scope === "admin" ? { "403": "The token's scope is read." } : {}),
    ...(pathParameters(path).length > 0 ? { "404": "Nothing has this name." } : {}),
    ...(method === "POST" || method === "PATCH"
      ? {
          "400": "The body is missing or not JSON.",
          "409": "The state does not allow it, or the first request with this Idempotency-Key is not done.",
          "413": "The body is too large.",
          "415": "The body is not application/json."
        }
      : {}),
    "422": "The input has not the form expected.",
    "503": "A dependency is down; see Retry-After."
  }
}

const parameters = (name: OperationName): ReadonlyArray<Json> => {
  const { method, path, input, query: asQuery } = rowOf(name)
  const inPath = pathParameters(path)
  const schema = jsonSchema(input, false)
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Json>>
  const required = (schema.required ?? []) as ReadonlyArray<string>
  const fields = Object.entries(properties).flatMap(
    ([field, it]): ReadonlyArray<Json> =>
      inPath.includes(field)
        ? [{ name: field, in: "path", required: true, schema: it }]
        : asQuery
          ? [{ name: field, in: "query", required: required.includes(field), schema: it }]
          : []
  )
  const idempotency = { $ref: "#/components/parameters/IdempotencyKey" }
  return method === "POST" ? [...fields, idempotency] : fields
}

const body = (name: OperationName): Json => {
  const { path, input, query } = rowOf(name)
  if (query) return {}
  const inPath = pathParameters(path)
  const rest = Object.fromEntries(Object.entries(input.fields).filter(([field]) => !inPath.includes(field)))
  const content = { "application/json": { schema: jsonSchema(Schema.Struct(rest), true) } }
  return { requestBody: { required: true, content } }
}

const describe = (name: OperationName): Json => {
  const { output, status, scope } = rowOf(name)
  const success = {
    type: "object",
    required: ["success", "data"],
    properties: { success: { const: true }, data: jsonSchema(output, false) }
  }
  const failed = Object.entries(faults(name)).map(([code, description]) => [
    code,
    { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } }
  ])
  return {
    operationId: name,
    summary: operations[name].summary,
    description: `Scope: ${scope}.`,
    tags: [tagOf(name)],
    parameters: parameters(name),
    ...body(name),
    responses: {
      [String(status)]: { description: "Done.", content: { "application/json": { schema: success } } },
      ...Object.fromEntries(failed)
    }
  }
}

const probe = (operationId: string, summary: string, type: string, may503: boolean): Json => ({
  get: {
    operationId,
    summary,
    tags: ["process"],
    security: [],
    responses: {
      "200": { description: "Well.", content: { [type]: { schema: {} } } },
      ...(may503
        ? { "503": { description: "Something is wrong; see checks.", content: { [type]: { schema: {} } } } }
        : {}),
      "421": { description: "The Host header names another server." }
    }
  }
})

export const document = (version: string): Json => {
  const paths: Record<string, Record<string, Json>> = {}
  for (const name of operationNames) {
    const { path, method } = rowOf(name)
    const key = path.replace(/:([a-z_]+)/g, "{$1}")
    paths[key] = { ...paths[key], [method.toLowerCase()]: describe(name) }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "crawler",
      version,
      description: "Control of a news crawler: URLs in, articles out, and why.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" }
    },
    servers: [{ url: "http://127.0.0.1:8080" }],
    security: [{ bearer: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: {
      "/healthz": probe("healthz", "Is this process working?", "application/json", true),
      "/readyz": probe("readyz", "Does what it depends on answer?", "application/json", true),
      "/metrics": probe("metrics", "Metrics as Prometheus text.", "text/plain", false),
      ...paths
    },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { Error: errorSchema },
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description: "The same key and body answer the same; another body is 422. Kept for 24 hours.",
          schema: { type: "string", minLength: 1, maxLength: 255 }
        }
      }
    }
  }
}
