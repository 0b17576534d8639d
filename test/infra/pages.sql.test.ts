import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { type OutcomeRecord, Pages, Upkeep } from "../../src/domain/ports.ts"
import * as bus from "../../src/infra/bus.table.ts"
import { Database } from "../../src/infra/database.ts"
import * as frontier from "../../src/infra/frontier.sql.ts"
import { layer } from "../../src/infra/pages.sql.ts"
import { objectsOf } from "../../src/infra/s3/client.ts"
import * as upkeep from "../../src/infra/upkeep.sql.ts"
import { pagesSuite, rawBody } from "../support/conformance/pages.ts"
import { live } from "../support/effect.ts"
import { serviceSettings, withService } from "../support/services.ts"
import { embeddedStore, settingsOf, stores } from "../support/store.ts"

const outcomes = Database.use((it) =>
  it.query<OutcomeRecord>(
    "select raw_id, url, host, verdict, evidence, to_jsonb(codes) as codes, ms_of(at) as at from validation_outcomes"
  )
)

const pagesOn = (store: Layer.Layer<Database, unknown>, env: Readonly<Record<string, string>> = {}) =>
  Layer.merge(layer, frontier.layer).pipe(
    Layer.provideMerge(bus.layer),
    Layer.provideMerge(Layer.merge(store, settingsOf(env)))
  )

for (const store of stores) pagesSuite(`pages in SQL, ${store.name}`, pagesOn(store.layer), { clock: "live", outcomes })

withService("S3_ENDPOINT", (S3_ENDPOINT) => {
  const { S3_BUCKET = "", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = serviceSettings()
  const keys = { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  const env = { ...keys, RAWS: "s3", S3_PREFIX: `test ${crypto.randomUUID()}/` }
  pagesSuite("pages in SQL, raws in S3", pagesOn(embeddedStore, env), { clock: "live", outcomes })

  live("pages in SQL, raws in S3: bodies are objects, and upkeep removes those of a day that is over", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const database = yield* Database
      const objects = objectsOf({
        endpoint: S3_ENDPOINT,
        region: "us-east-1",
        bucket: S3_BUCKET,
        keys: { id: S3_ACCESS_KEY_ID, secret: S3_SECRET_ACCESS_KEY }
      })
      const bodies = Effect.map(objects.list(`${env.S3_PREFIX}raws/`), (all) => all.length)
      const before = yield* bodies
      const fetched_at = Date.UTC(2020, 0, 1)
      yield* pages.saveRaws([rawBody("한 글?", new Uint8Array(5000), { fetched_at })])
      const rows = yield* database.query("select place, length(body) as size from raw_contents where id = '한 글?'")
      expect(rows).toEqual([{ place: "object", size: 0 }])
      expect(yield* bodies).toBe(before + 1)
      yield* Upkeep.use((it) => it.run).pipe(Effect.provide(upkeep.layer))
      expect(yield* bodies).toBe(0)
    }).pipe(Effect.provide(pagesOn(embeddedStore, env)))
  )
})
