import type { Schema } from "effect"
import { type OperationName, operations } from "./operations.ts"

/** A row as server, client and document see it: which operation it is no longer matters for its type. */
export interface Row {
  readonly method: string
  readonly path: string
  readonly scope: "read" | "admin"
  readonly input: Schema.Struct<Record<string, Schema.Codec<unknown, unknown>>>
  readonly output: Schema.Codec<unknown, unknown>
  readonly query: boolean
  readonly status: number
}
// One route serves all rows; each row's own types are restored by its schemas, which decode and encode at run time.
export const rowOf = (name: OperationName): Row => operations[name] as unknown as Row
