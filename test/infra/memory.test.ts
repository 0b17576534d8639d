import { expect, test } from "bun:test"
import { letGo } from "../../src/infra/memory.ts"

test("memory is given back at once, but for the last piece", () => {
  const shared = new Uint8Array(100)
  const chunks = [new Uint8Array(10), shared.subarray(0, 40), shared.subarray(40)]
  letGo(chunks)
  expect(chunks.map((it) => it.length)).toEqual([0, 40, 60])
})
