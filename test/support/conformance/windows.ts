import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import { Windows } from "../../../src/domain/upgrade.ts"
import { sentences } from "./clock.ts"

/** What every keeper of sliding windows promises. The layer is built anew for each sentence and must start empty. */
export const windowsSuite = <E>(name: string, layer: Layer.Layer<Windows, E>): void => {
  const it = sentences(name, "live", layer)

  it("a member counts once, however often it is added", () =>
    Effect.gen(function* () {
      const windows = yield* Windows
      expect(yield* windows.add("a", "one", 1000, 5000)).toBe(1)
      expect(yield* windows.add("a", "one", 2000, 5000)).toBe(1)
      expect(yield* windows.add("a", "two", 3000, 5000)).toBe(2)
    }))

  it("what is older than the span is forgotten, by its first instant", () =>
    Effect.gen(function* () {
      const windows = yield* Windows
      yield* windows.add("b", "one", 1000, 5000)
      yield* windows.add("b", "one", 5500, 5000)
      expect(yield* windows.add("b", "two", 6001, 5000)).toBe(1)
    }))

  it("a cleared window begins anew, and no window is another's", () =>
    Effect.gen(function* () {
      const windows = yield* Windows
      yield* windows.add("c", "one", 1000, 5000)
      yield* windows.add("d", "one", 1000, 5000)
      yield* windows.clear("c")
      expect(yield* windows.add("c", "two", 1001, 5000)).toBe(1)
      expect(yield* windows.add("d", "two", 1001, 5000)).toBe(2)
    }))
}
