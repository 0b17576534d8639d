import { Layer } from "effect"
import * as bus from "../../src/infra/bus.table.ts"
import { layer } from "../../src/infra/sources.sql.ts"
import { sourcesSuite } from "../support/conformance/sources.ts"
import { settingsOf, stores } from "../support/store.ts"

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf({ BUS_POLL: "50ms" }))
  const on = layer.pipe(Layer.provideMerge(bus.layer), Layer.provideMerge(base))
  sourcesSuite(`sources in SQL, ${store.name}`, on, { clock: "live" })
}
