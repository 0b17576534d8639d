import { Result, Schema } from "effect"
import type { AiResult } from "./answer.ts"
import type { AiJobType } from "./job.ts"
import { resultSchemas } from "./results.ts"

/** A stored result; null when it is none (an older form): then it is as if it were not there. */
export const decodeResult = (type: AiJobType, stored: unknown): AiResult | null => {
  const schema: Schema.Codec<AiResult, unknown> = resultSchemas[type]
  return Result.getOrElse(Schema.decodeUnknownResult(schema)(stored), () => null)
}
