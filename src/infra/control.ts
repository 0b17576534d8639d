import { Context, type Effect, Schema } from "effect"
import type { Input, OperationName, Output } from "./api/operations.ts"
import type { ExitName } from "./exit.ts"

/** Why an operation was not done: a closed set; each has its HTTP status and its exit code. */
export const controlCodes = {
  invalid: { status: 422, exit: "data" },
  not_found: { status: 404, exit: "nothing" },
  conflict: { status: 409, exit: "nothing" },
  denied: { status: 401, exit: "configuration" },
  refused: { status: 400, exit: "data" },
  unsupported: { status: 501, exit: "nothing" },
  unavailable: { status: 503, exit: "nothing" },
  internal: { status: 500, exit: "nothing" }
} as const satisfies Record<string, { readonly status: number; readonly exit: ExitName }>
export type ControlCode = keyof typeof controlCodes

/** `code` says what kind, `message` names the input, its value and the form expected; `field` the part of the input. */
export class ControlError extends Schema.TaggedError<ControlError>()("ControlError", {
  code: Schema.Literals([
    "invalid",
    "not_found",
    "conflict",
    "denied",
    "refused",
    "unsupported",
    "unavailable",
    "internal"
  ]),
  message: Schema.String,
  field: Schema.NullOr(Schema.String)
}) {}

export const controlError = (code: ControlCode, message: string, field: string | null = null): ControlError =>
  new ControlError({ code, message, field })

/**
 * Everything an operator can ask, one function per row of the operation table. `control.local.ts` does it over the ports
 * of this process; `control.remote.ts` asks the process that holds the store. Commands and the API use it alike.
 */
export class Control extends Context.Service<
  Control,
  { readonly [N in OperationName]: (input: Input<N>) => Effect.Effect<Output<N>, ControlError> }
>()("crawler/Control") {}
