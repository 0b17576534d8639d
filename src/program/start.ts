import { Effect } from "effect"
import type { Command } from "../infra/cli/commands.ts"
import { Refusal } from "../infra/exit.ts"
export const start = (_command: Extract<Command, { name: "run" }>, _version: string) =>
  Effect.fail(new Refusal({ exit: "nothing", message: "run" }))
