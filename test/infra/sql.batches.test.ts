import { expect } from "bun:test"
import { Effect, Result } from "effect"
import { BadData, Unavailable } from "../../src/domain/errors.ts"
import { inBatches, writeAll } from "../../src/infra/sql/batches.ts"
import { effect } from "../support/effect.ts"

interface Row {
  readonly id: string
  readonly bytes: number
}
const row = (id: string, bytes = 1): Row => ({ id, bytes })
const by = (rowsMax: number) => ({ key: (it: Row) => it.id, bytes: (it: Row) => it.bytes, rowsMax })

/** A table that refuses some rows, and remembers each statement. */
const table = (refused: ReadonlyArray<string> = []) => {
  const statements: Array<ReadonlyArray<string>> = []
  const kept: Array<string> = []
  const send = (rows: ReadonlyArray<Row>) =>
    Effect.suspend((): Effect.Effect<ReadonlyArray<string>, BadData | Unavailable> => {
      statements.push(rows.map((it) => it.id))
      if (rows.some((it) => refused.includes(it.id))) return Effect.fail(new BadData({ message: "22021" }))
      kept.push(...rows.map((it) => it.id))
      return Effect.succeed(rows.map((it) => it.id))
    })
  return { statements, kept, send }
}
const letters = [..."hgfedcba"]

effect("rows are sent sorted and once each, the first of two with one key", () =>
  Effect.gen(function* () {
    const { statements, send } = table()
    yield* inBatches([row("b"), row("a"), row("b", 9)], by(10), send)
    expect(statements).toEqual([["a", "b"]])
  })
)

effect("a statement takes as many rows and bytes as it may", () =>
  Effect.gen(function* () {
    const { statements, send } = table()
    yield* inBatches(
      letters.map((it) => row(it)),
      by(3),
      send
    )
    expect(statements.map((it) => it.length)).toEqual([3, 3, 2])
    const large = table()
    yield* inBatches(
      letters.map((it) => row(it, 3 * 1024 * 1024)),
      by(3),
      large.send
    )
    expect(large.statements.map((it) => it.length)).toEqual(letters.map(() => 1))
  })
)

effect("a bad row is split off until it stands alone, and all others are kept", () =>
  Effect.gen(function* () {
    for (const bad of [["a"], ["d"], ["h"], ["a", "h"], ["c", "d", "e"], letters]) {
      const { kept, send } = table(bad)
      const sent = yield* inBatches(
        letters.map((it) => row(it)),
        by(8),
        send
      )
      expect(sent.bad.map((it) => it.row.id).toSorted()).toEqual(bad.toSorted())
      expect(kept.toSorted()).toEqual(letters.filter((it) => !bad.includes(it)).toSorted())
      expect([...sent.answers].toSorted()).toEqual(kept.toSorted())
    }
  })
)

effect("one bad row among many costs few statements", () =>
  Effect.gen(function* () {
    const { statements, send } = table(["50"])
    yield* inBatches(
      Array.from({ length: 100 }, (_, n) => row(String(n))),
      by(100),
      send
    )
    expect(statements.length).toBeLessThanOrEqual(15)
  })
)

effect("a writer of many fails with the names of the bad rows after the good ones are kept", () =>
  Effect.gen(function* () {
    const { kept, send } = table(["b"])
    const result = yield* Effect.result(writeAll([row("a"), row("b"), row("c")], by(10), send))
    expect(Result.isFailure(result) && result.failure.message).toBe("b: 22021")
    expect(kept).toEqual(["a", "c"])
  })
)

effect("an outage is not a bad row: it fails the call", () =>
  Effect.gen(function* () {
    const down = () => Effect.fail(new Unavailable({ dependency: "database", message: "down" }))
    const result = yield* Effect.result(inBatches([row("a"), row("b")], by(10), down))
    expect(Result.isFailure(result) && result.failure._tag).toBe("Unavailable")
  })
)

effect("no rows are no statement", () =>
  Effect.gen(function* () {
    const { statements, send } = table()
    expect(yield* writeAll([], by(10), send)).toEqual([])
    expect(statements).toEqual([])
  })
)
