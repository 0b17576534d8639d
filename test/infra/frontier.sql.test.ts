import { Layer } from "effect"
import * as bus from "../../src/infra/bus.table.ts"
import { Database } from "../../src/infra/database.ts"
import { layer } from "../../src/infra/frontier.sql.ts"
import { frontierSuite } from "../support/conformance/frontier.ts"
import { settingsOf, stores } from "../support/store.ts"

const dues = Database.use((it) =>
  it.query<{ id: string; topic: string; not_before: number }>(
    "select id, topic, ms_of(not_before) as not_before from messages"
  )
)

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf({ BUS_POLL: "50ms" }))
  const on = layer.pipe(Layer.provideMerge(bus.layer), Layer.provideMerge(base))
  frontierSuite(`frontier in SQL, ${store.name}`, on, { clock: "live", dues })
}
