import { Schema } from "effect"
import { Ruling, RulingInput } from "../../domain/ruling.ts"
import { HostName, Id } from "./answers.ts"
import { operation } from "./operation.ts"

/** Rules of one request. */
const RULES_MAX = 1000
/** Pages a rule is tried on at once: each is read twice. */
const TRIAL_MAX = 50
/** A rule beside generic extraction: `holds` says whether it is at least as good, as far as the pages can be judged. */
export const Tried = Schema.Struct({
  pages: Schema.Array(
    Schema.Struct({
      url: Schema.String,
      verdict: Schema.String,
      fields: Schema.Array(
        Schema.Struct({
          field: Schema.String,
          ruled: Schema.NullOr(Schema.String),
          generic: Schema.NullOr(Schema.String)
        })
      ),
      holds: Schema.Boolean
    })
  ),
  holds: Schema.Boolean,
  reasons: Schema.Array(Schema.String)
})
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
  "parsing-rules.test": operation("POST", "/parsing-rules/test", "admin", "Try a rule on stored pages.", {
    input: {
      id: Schema.optionalKey(Id),
      rule: Schema.optionalKey(RulingInput),
      host: Schema.optionalKey(HostName),
      raw: Schema.optionalKey(Id),
      limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: TRIAL_MAX })))
    },
    output: Tried
  }),
  "parsing-rules.enable": operation("PATCH", "/parsing-rules/:id", "admin", "Enable or disable a parsing rule.", {
    input: { id: Id, enabled: Schema.Boolean },
    output: Schema.Struct({ id: Schema.String, enabled: Schema.Boolean })
  })
} as const
