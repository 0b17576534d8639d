import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Datasets } from "../../src/domain/research.ts"
import { layer } from "../../src/infra/datasets.s3.ts"
import { datasetsSuite } from "../support/conformance/datasets.ts"
import { live } from "../support/effect.ts"
import { serviceSettings, withService } from "../support/services.ts"
import { settingsOf } from "../support/store.ts"

const path = "research/datasets/country=sg/category=news/2026-01-25_0001.json"

withService("S3_ENDPOINT", (endpoint) => {
  const { S3_BUCKET = "crawler", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = serviceSettings()
  const env = { S3_ENDPOINT: endpoint, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  const on = (more: Record<string, string> = {}) =>
    layer.pipe(Layer.provide(settingsOf({ ...env, S3_PREFIX: `test ${crypto.randomUUID()}/`, ...more })))

  datasetsSuite(
    "datasets in S3",
    Layer.suspend(() => on()),
    // s3rver ignores the condition; stores in use (AWS, MinIO) keep it.
    { decides: false }
  )

  live("datasets in S3: a wrong secret is Unavailable, and a server that is not there too", () =>
    Effect.gen(function* () {
      const read = Datasets.use((it) => it.read(path))
      const refused = yield* Effect.flip(read.pipe(Effect.provide(on({ S3_SECRET_ACCESS_KEY: "wrong" }))))
      expect(refused.message).toContain("SignatureDoesNotMatch")
      const absent = yield* Effect.flip(read.pipe(Effect.provide(on({ S3_ENDPOINT: "http://127.0.0.1:1" }))))
      expect(absent.dependency).toBe("objects")
    })
  )
})
