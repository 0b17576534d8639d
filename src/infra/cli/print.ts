import { Effect } from "effect"
import type { Control, ControlError } from "../control.ts"
import type { ExitName, Refusal } from "../exit.ts"
import { Output } from "./output.ts"

/** What a command does: asks, prints, and says how it ends. */
export type Work<A = ExitName> = Effect.Effect<A, Refusal | ControlError, Control | Output>

/** The answer as JSON, or as text for people. */
export const print = (json: boolean, value: unknown, text: () => string) =>
  Effect.flatMap(Output, (it) => it.line(json ? JSON.stringify(value) : text()))

export const doneIf = (changed: number): ExitName => (changed > 0 ? "done" : "nothing")

/** An instant of the program as people read it. */
export const dated = (at: unknown): unknown => (typeof at === "number" ? new Date(at).toISOString() : at)
