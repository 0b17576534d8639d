import { layer } from "../../src/infra/store.memory.ts"
import { runsSuite } from "../support/conformance/runs.ts"

runsSuite("runs in memory", layer(), { clock: "virtual" })
