import { Layer } from "effect"
import type { DeadLetter } from "../../src/domain/topics.ts"
import { layer } from "../../src/infra/bus.table.ts"
import { Database } from "../../src/infra/database.ts"
import { busSuite } from "../support/conformance/bus.ts"
import { settingsOf, stores } from "../support/store.ts"

const leaseMs = 1000
const settings = settingsOf({ BUS_LEASE: `${leaseMs}ms`, BUS_POLL: "50ms" })

const deadLetters = Database.use((it) =>
  it.query<DeadLetter>(
    "select id, topic, key, stage, code, message, bytes, attempts, ms_of(at) as at from dead_letters order by at, id"
  )
)
const crash = Database.use((it) =>
  it.query("update messages set leased_until = leased_until - interval '1 hour' where leased")
)

for (const store of stores) {
  const on = Layer.provideMerge(layer, Layer.merge(store.layer, settings))
  busSuite(`bus as a table, ${store.name}`, on, { clock: "live", leaseMs, deadLetters, crash })
}
