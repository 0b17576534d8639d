import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Datasets } from "../../src/domain/research.ts"
import { layer } from "../../src/infra/datasets.s3.ts"
import { live } from "../support/effect.ts"
import { serviceSettings, withService } from "../support/services.ts"
import { settingsOf } from "../support/store.ts"

const path = "research/datasets/country=sg/category=news/2026-01-25_0001.json"

withService("S3_ENDPOINT", (endpoint) => {
  const { S3_BUCKET = "crawler", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = serviceSettings()
  const env = { S3_ENDPOINT: endpoint, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  const on = (more: Record<string, string> = {}) =>
    layer.pipe(Layer.provide(settingsOf({ ...env, S3_PREFIX: `test ${crypto.randomUUID()}/`, ...more })))

  live("datasets in S3: what is published stays: the same bytes are present, others are refused (P8)", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      expect(yield* datasets.publish(path, "하나")).toBe("published")
      expect(yield* datasets.publish(path, "하나")).toBe("present")
      expect(yield* datasets.publish(path, "other")).toBe("taken")
      expect(yield* datasets.read(path)).toBe("하나")
    }).pipe(Effect.provide(on()))
  )

  live("datasets in S3: summaries are replaced; what is not there reads as null; lists are sorted", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      yield* datasets.replace(path, "one")
      yield* datasets.replace(path, "two")
      yield* datasets.replace("research/datasets/a.json", "a")
      expect(yield* datasets.read(path)).toBe("two")
      expect(yield* datasets.read(`${path}.not`)).toBeNull()
      expect(yield* datasets.list("research/datasets")).toEqual(["research/datasets/a.json", path])
      expect(yield* datasets.list("research/nowhere")).toEqual([])
      yield* datasets.remove(path)
      yield* datasets.remove(path)
      expect(yield* datasets.list("research/datasets")).toEqual(["research/datasets/a.json"])
    }).pipe(Effect.provide(on()))
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
