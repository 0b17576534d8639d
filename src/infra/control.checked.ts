import { Effect, Result, Schema, SchemaIssue } from "effect"
import { type OperationName, operationNames, operations } from "./api/operations.ts"
import { type Row, rowOf } from "./api/row.ts"
import { nearest } from "./cli/nearest.ts"
import { type Control, type ControlError, controlError } from "./control.ts"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Longest value repeated in a complaint. */
const QUOTED_MAX = 100

/** Of a field that there is not: the one that was meant, or else all there are. */
const foreign = (field: string, fields: ReadonlyArray<string>): string => {
  const guess = nearest(field, fields)
  return `no such field; ${guess === null ? `there are: ${fields.join(", ")}` : `did you mean ${guess}?`}`
}

/** What is wrong with an input, in one sentence that names the field, its value and the form; the first of several. */
export const complaint = (
  issue: SchemaIssue.Issue,
  row: Row,
  given: unknown
): { readonly field: string; readonly message: string } => {
  const [first] = issues(issue).issues
  const path = (first?.path ?? []).map((it) => (typeof it === "object" ? it.key : it))
  const field = path.map(String).join(".")
  const isExcess = first?.message.includes("excess") === true && path.length === 1
  const said = isExcess ? foreign(field, Object.keys(row.input.fields)) : (first?.message ?? "not the form expected")
  const value = path.reduce<unknown>(
    (it, key) => (typeof it === "object" && it !== null ? new Map(Object.entries(it)).get(String(key)) : undefined),
    given
  )
  const shown = value === undefined || typeof value === "object" ? "" : ` ${JSON.stringify(value).slice(0, QUOTED_MAX)}`
  return { field, message: `${field}${shown}: ${said}` }
}

/** Decodes strictly: an unknown field is a mistake, not an extra. */
export const strict = { errors: "all", onExcessProperty: "error" } as const

const check = (name: OperationName, input: unknown): ControlError | null => {
  const row = rowOf(name)
  const result = Schema.decodeUnknownResult(Schema.toType(operations[name].input), strict)(input)
  if (Result.isSuccess(result)) return null
  const { field, message } = complaint(result.failure.issue, row, input)
  return controlError("invalid", message, field)
}

/** The same operations, each with its input checked first: a command is refused as the API would refuse it. */
export const checked = (control: Control["Service"]): Control["Service"] =>
  // Each function follows from its row; the record built from all rows has lost which is which.
  Object.fromEntries(
    operationNames.map((name) => [
      name,
      (input: unknown) => {
        const fault = check(name, input)
        const work = control[name] as (input: unknown) => Effect.Effect<unknown, ControlError>
        return fault === null ? work(input) : Effect.fail(fault)
      }
    ])
  ) as unknown as Control["Service"]
