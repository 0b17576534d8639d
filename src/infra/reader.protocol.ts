import type { Hints, Reading } from "../domain/reading.ts"

export interface ToReader {
  readonly body: Uint8Array
  readonly hints: Hints
}
export interface FromReader {
  readonly reading: Reading
}
