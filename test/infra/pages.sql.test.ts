import { Layer } from "effect"
import type { OutcomeRecord } from "../../src/domain/ports.ts"
import * as bus from "../../src/infra/bus.table.ts"
import { Database } from "../../src/infra/database.ts"
import * as frontier from "../../src/infra/frontier.sql.ts"
import { layer } from "../../src/infra/pages.sql.ts"
import { pagesSuite } from "../support/conformance/pages.ts"
import { settingsOf, stores } from "../support/store.ts"

const outcomes = Database.use((it) =>
  it.query<OutcomeRecord>(
    "select raw_id, url, host, verdict, evidence, to_jsonb(codes) as codes, ms_of(at) as at from validation_outcomes"
  )
)

for (const store of stores) {
  const base = Layer.merge(store.layer, settingsOf())
  const on = Layer.merge(layer, frontier.layer).pipe(Layer.provideMerge(bus.layer), Layer.provideMerge(base))
  pagesSuite(`pages in SQL, ${store.name}`, on, { clock: "live", outcomes })
}
