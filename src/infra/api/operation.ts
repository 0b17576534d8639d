import { Schema } from "effect"

export type Scope = "read" | "admin"

/**
 * One thing the crawler can be asked to do. The same row mounts the route, documents it, is called by other processes and
 * types the service. Fields of `input` named in the path come from there; the others from the query of a GET or DELETE,
 * from the JSON body otherwise.
 */
export interface Operation<I extends Schema.Struct.Fields, O extends Schema.Constraint> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly input: Schema.Struct<I>
  readonly output: O
  /** Input from the query and the path: GET and DELETE always, a POST that has no body. */
  readonly query: boolean
  /** Status of success. */
  readonly status: 200 | 201 | 202
}

export const operation = <const I extends Schema.Struct.Fields, O extends Schema.Constraint>(
  method: Operation<I, O>["method"],
  path: string,
  scope: Scope,
  summary: string,
  io: { readonly input: I; readonly output: O; readonly status?: 201 | 202; readonly query?: true }
): Operation<I, O> => ({
  method,
  path: `/api/v1${path}`,
  scope,
  summary,
  input: Schema.Struct(io.input),
  output: io.output,
  query: io.query ?? (method === "GET" || method === "DELETE"),
  status: io.status ?? 200
})
