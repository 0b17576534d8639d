import { expect, test } from "bun:test"
import { Progress } from "../../src/infra/kafka/offsets.ts"

const heard = (...offsets: ReadonlyArray<string>): Progress => {
  const progress = new Progress()
  for (const it of offsets) progress.came(it)
  return progress
}

test("messages done out of order wait for the first that is not", () => {
  const progress = heard("7", "8", "9")
  progress.done("9")
  progress.done("8")
  expect(progress.moved()).toBe("7")
  progress.done("7")
  expect(progress.moved()).toBe("10")
})

test("a position is committed once", () => {
  const progress = heard("0")
  progress.done("0")
  expect(progress.moved()).toBe("1")
  expect(progress.moved()).toBeNull()
})

test("a partition of which nothing was heard has nothing to commit", () => {
  expect(new Progress().moved()).toBeNull()
})

test("offsets are compared as numbers beyond what a float holds", () => {
  const progress = heard("9007199254740993", "9007199254740994")
  progress.done("9007199254740993")
  expect(progress.moved()).toBe("9007199254740994")
})
