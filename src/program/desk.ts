import { Effect } from "effect"
import type { Command } from "../infra/cli/commands.ts"
import { Refusal } from "../infra/exit.ts"
export const desk = (_command: Command, _version: string) =>
  Effect.fail(new Refusal({ exit: "nothing", message: "desk" }))
