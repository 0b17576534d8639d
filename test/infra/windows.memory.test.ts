import { layer } from "../../src/infra/windows.memory.ts"
import { windowsSuite } from "../support/conformance/windows.ts"

windowsSuite("windows in memory", layer)
