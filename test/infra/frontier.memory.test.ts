import { Effect, Layer } from "effect"
import * as bus from "../../src/infra/bus.memory.ts"
import { layer } from "../../src/infra/frontier.memory.ts"
import * as urls from "../../src/infra/urls.memory.ts"
import { frontierSuite } from "../support/conformance/frontier.ts"

frontierSuite("frontier in memory", Layer.provideMerge(layer, Layer.mergeAll(bus.layer(), urls.layer)), {
  clock: "virtual",
  dues: Effect.flatMap(bus.MemoryBus, (it) => it.messages)
})
