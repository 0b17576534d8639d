import { Layer } from "effect"
import * as bus from "./bus.memory.ts"
import * as fetcherrules from "./fetcherrules.memory.ts"
import * as frontier from "./frontier.memory.ts"
import * as pages from "./pages.memory.ts"
import * as parsingrules from "./parsingrules.memory.ts"
import * as runs from "./runs.memory.ts"
import * as scores from "./scores.memory.ts"
import * as signals from "./signals.memory.ts"
import * as sources from "./sources.memory.ts"
import * as traits from "./traits.memory.ts"
import * as urls from "./urls.memory.ts"
import * as windows from "./windows.memory.ts"

/** Every store of one process in memory, for a one-shot run and for tests: nothing outlives it. */
export const layer = (options: bus.Options & pages.Options & urls.Options & traits.Options = {}) =>
  Layer.mergeAll(
    frontier.layer,
    pages.layer(options),
    sources.layer,
    signals.layer,
    runs.layer,
    scores.layer,
    fetcherrules.layer,
    parsingrules.layer,
    traits.layer(options),
    windows.layer
  ).pipe(Layer.provideMerge(Layer.mergeAll(bus.layer(options), urls.layer(options))))
