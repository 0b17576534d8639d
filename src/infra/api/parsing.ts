import { Schema } from "effect"
import { Ruling, RulingInput } from "../../domain/ruling.ts"
import { HostName, Id } from "./answers.ts"
import { operation } from "./operation.ts"

/** Rules of one request. */
const RULES_MAX = 1000
const rules = Schema.Array(RulingInput).check(Schema.isMinLength(1), Schema.isMaxLength(RULES_MAX))

/** Parsing rules: how pages of a host and path are read. */
export const parsingOperations = {
  "parsing-rules.list": operation("GET", "/parsing-rules", "read", "Parsing rules by host and path.", {
    input: { host: Schema.optionalKey(HostName) },
    output: Schema.Struct({ rules: Schema.Array(Ruling) })
  }),
  "parsing-rules.set": operation(
    "POST",
    "/parsing-rules",
    "admin",
    "Set parsing rules; same host, path, kind: replaced.",
    {
      input: { rules },
      output: Schema.Struct({ set: Schema.Int })
    }
  ),
  "parsing-rules.enable": operation("PATCH", "/parsing-rules/:id", "admin", "Enable or disable a parsing rule.", {
    input: { id: Id, enabled: Schema.Boolean },
    output: Schema.Struct({ id: Schema.String, enabled: Schema.Boolean })
  })
} as const
