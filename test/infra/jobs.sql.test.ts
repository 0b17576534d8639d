import { Layer } from "effect"
import { layer } from "../../src/infra/jobs.sql.ts"
import * as ledger from "../../src/infra/ledger.sql.ts"
import { aiJobsSuite } from "../support/conformance/aijobs.ts"
import { settingsOf, stores } from "../support/store.ts"

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf({ AI_LEASE: "1s" }))
  const on = Layer.merge(layer, ledger.layer).pipe(Layer.provide(base))
  aiJobsSuite(`AI jobs in SQL, ${store.name}`, on, { clock: "live" })
}
