import type { Hints, Reading } from "../domain/reading.ts"
import type { ParsingRule } from "../domain/rule.ts"

export interface ToReader {
  readonly body: Uint8Array
  readonly hints: Hints
  readonly rule: ParsingRule | null
}
/** `ready` once, when the thread has loaded; then one reading per page. */
export type FromReader = { readonly tag: "ready" } | { readonly tag: "read"; readonly reading: Reading }
