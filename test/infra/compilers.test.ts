import { expect, test } from "bun:test"
import { patientEnvironment } from "../../src/infra/compilers.ts"

test("the environment to start again with keeps what is there, and is asked for once", () => {
  const first = patientEnvironment({ HOME: "/home/somebody" })
  expect(first).toMatchObject({ HOME: "/home/somebody", BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "640000" })
  expect(patientEnvironment(first ?? {})).toBeNull()
})

test("a count that somebody set stays, and the others join it", () => {
  const env = patientEnvironment({ BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "5" })
  expect(env).toEqual({
    BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "5",
    BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: "200000"
  })
})
