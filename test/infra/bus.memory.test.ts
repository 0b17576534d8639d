import { Duration } from "effect"
import { layer, MemoryBus } from "../../src/infra/bus.memory.ts"
import { busSuite } from "../support/conformance/bus.ts"

const leaseMs = 1000

busSuite("bus in memory", layer({ lease: Duration.millis(leaseMs) }), {
  clock: "virtual",
  leaseMs,
  deadLetters: MemoryBus.use((it) => it.deadLetters),
  crash: MemoryBus.use((it) => it.crash)
})
