import { Schema } from "effect"

/**
 * How a command ends: one table for every command, in `sysexits` numbers where one fits.
 * `0` done; `1` nothing could be done although the call was right; the rest name what the caller can change.
 */
export const exits = {
  done: {
    code: 0,
    meaning: "done; also when SIGINT or SIGTERM ended it early and it drained (a second one ends at once: 130, 143)"
  },
  nothing: { code: 1, meaning: "nothing could be done: every input failed, or what was asked for is not there" },
  usage: { code: 64, meaning: "the command line is not understood" },
  data: { code: 65, meaning: "input data is invalid" },
  input: { code: 66, meaning: "an input file cannot be read" },
  disk: { code: 74, meaning: "the disk is full, read-only or broken" },
  busy: { code: 75, meaning: "the data directory is in use by another process" },
  configuration: { code: 78, meaning: "a setting is missing, invalid or cannot be combined" }
} as const

export type ExitName = keyof typeof exits
export const exitCode = (name: ExitName): number => exits[name].code

/** A command that ends early: `exit` names the row of the table, `message` the input, its value and the form expected. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  exit: Schema.Literals(["nothing", "usage", "data", "input", "disk", "busy", "configuration"]),
  message: Schema.String
}) {}
