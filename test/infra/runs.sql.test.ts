import { Layer } from "effect"
import * as bus from "../../src/infra/bus.table.ts"
import * as frontier from "../../src/infra/frontier.sql.ts"
import * as pages from "../../src/infra/pages.sql.ts"
import { layer } from "../../src/infra/runs.sql.ts"
import { runsSuite } from "../support/conformance/runs.ts"
import { settingsOf, stores } from "../support/store.ts"

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf({ BUS_POLL: "50ms" }))
  const on = Layer.mergeAll(layer, frontier.layer, pages.layer).pipe(
    Layer.provideMerge(bus.layer),
    Layer.provideMerge(base)
  )
  runsSuite(`runs in SQL, ${store.name}`, on, { clock: "live" })
}
