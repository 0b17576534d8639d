import { expect, test } from "bun:test"
import { Schema } from "effect"
import { Heap, Line } from "../../src/infra/heap.ts"
import { law } from "../support/law.ts"

const Steps = Schema.Array(Schema.Union([Schema.Finite, Schema.Literal("take")]))

law(
  "a heap gives the least of what it holds, whatever came in between",
  Steps,
  (steps) => {
    const heap = new Heap<number>((left, right) => left < right)
    const model: Array<number> = []
    return steps.every((step) => {
      if (step !== "take") {
        heap.push(step)
        model.push(step)
        return heap.size === model.length
      }
      model.sort((left, right) => left - right)
      // 0 and -0 are equally small: which comes first is nobody's promise.
      return heap.peek() === model[0] && heap.pop() === model.shift()
    })
  },
  { runs: 500, size: 60 }
)

test("a heap of many sorts them", () => {
  const heap = new Heap<number>((left, right) => left < right)
  for (let n = 0; n < 5000; n++) heap.push((n * 7919) % 5003)
  const taken = Array.from({ length: 5000 }, () => heap.pop() ?? -1)
  expect(taken).toEqual(taken.toSorted((left, right) => left - right))
  expect(heap.pop()).toBeUndefined()
})

test("a line gives first what came first, and forgets what it gave", () => {
  const line = new Line<number>()
  let next = 0
  for (let n = 0; n < 10_000; n++) {
    line.push(n)
    if (n % 3 !== 0) expect(line.shift()).toBe(next++)
  }
  expect(line.peek()).toBe(next)
  while (next < 10_000) expect(line.shift()).toBe(next++)
  expect(line.shift()).toBeUndefined()
  line.push(7)
  expect(line.shift()).toBe(7)
})
