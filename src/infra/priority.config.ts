import type { Millis } from "../domain/crawl.ts"
import { configBytesMax, oversized, type ReadConfig, readConfig } from "../domain/override.ts"

/** The columns of `configOf` in `sql/scoring.ts`. */
export interface ConfigColumns {
  readonly config: string | null
  readonly config_bytes: number | null
  readonly updated_at: Millis | null
}

/** The config of a row: absent, oversized, or read field by field. The text comes out of jsonb, so it is JSON. */
export const configOf = ({ config, config_bytes, updated_at }: ConfigColumns): ReadConfig => {
  if (config_bytes !== null && config_bytes > configBytesMax) return oversized(config_bytes)
  return readConfig(config === null ? undefined : (JSON.parse(config) as unknown), updated_at ?? 0)
}
