import { Effect, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { Windows } from "../domain/upgrade.ts"

/** Windows held, the longest untouched go first: only hosts in trouble have one. */
const WINDOWS_MAX = 100_000
/** Members of one window; beyond it the oldest go: no threshold is that high. */
const MEMBERS_MAX = 10_000

/** Sliding windows of one process: gone with it, so a restart counts anew. */
export const layer: Layer.Layer<Windows> = Layer.sync(Windows, () => {
  const windows = new Map<string, Map<string, Millis>>()
  const add = (key: string, member: string, at: Millis, span: number): number => {
    const window = windows.get(key) ?? new Map<string, Millis>()
    windows.delete(key)
    windows.set(key, window)
    // The first delivery's instant stays: counted again, a failure does not live longer.
    if (!window.has(member)) window.set(member, at)
    const newest = Math.max(at, ...[...window.values()].slice(-1))
    for (const [name, since] of window) {
      if (since > newest - span && window.size <= MEMBERS_MAX) continue
      window.delete(name)
    }
    for (const oldest of windows.keys()) {
      if (windows.size <= WINDOWS_MAX) break
      windows.delete(oldest)
    }
    return window.size
  }
  return Windows.of({
    add: (key, member, at, span_ms) => Effect.sync(() => add(key, member, at, span_ms)),
    clear: (key) => Effect.sync(() => void windows.delete(key))
  })
})
