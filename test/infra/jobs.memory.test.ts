import { Layer } from "effect"
import { AiMemory, layerOf } from "../../src/infra/jobs.memory.ts"
import * as ledger from "../../src/infra/ledger.memory.ts"
import { aiJobsSuite } from "../support/conformance/aijobs.ts"
import { settings } from "../support/world.ts"

const on = Layer.suspend(() => {
  const memory = new AiMemory()
  return Layer.merge(layerOf(memory), ledger.layerOf(memory)).pipe(Layer.provide(settings({ AI_LEASE: "1s" })))
})
aiJobsSuite("AI jobs in memory", on, { clock: "virtual" })
