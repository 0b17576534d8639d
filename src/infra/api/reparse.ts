import { Schema } from "effect"
import { HostName, Id, Instant } from "./answers.ts"
import { operation } from "./operation.ts"

const optional = Schema.optionalKey
/** Pages of one request: a run takes them in parts. */
const PAGES_MAX = 1_000_000

/** Stored pages, read again. */
export const reparseOperations = {
  reparse: operation("POST", "/reparse", "admin", "Read stored pages again, without a fetch.", {
    input: {
      host: optional(HostName),
      raw: optional(Id),
      since: optional(Instant),
      until: optional(Instant),
      limit: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: PAGES_MAX })))
    },
    output: Schema.Struct({
      /** Names the run: its jobs carry it. */
      run: Schema.String,
      /** Pages handed to the stream. */
      sent: Schema.Int,
      /** Left out: a later page of the same URL is stored. */
      superseded: Schema.Int,
      /** Left out: their bodies ended early. */
      truncated: Schema.Int
    }),
    status: 202
  })
} as const
