import { Layer } from "effect"
import * as bus from "../../src/infra/bus.memory.ts"
import { layer } from "../../src/infra/sources.memory.ts"
import { sourcesSuite } from "../support/conformance/sources.ts"

sourcesSuite("sources in memory", Layer.provideMerge(layer, bus.layer()), { clock: "virtual" })
