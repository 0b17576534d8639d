import type { Hints, Reading } from "../domain/reading.ts"

export interface ToReader {
  readonly body: Uint8Array
  readonly hints: Hints
}
/** `ready` once, when the thread has loaded; then one reading per page. */
export type FromReader = { readonly tag: "ready" } | { readonly tag: "read"; readonly reading: Reading }
