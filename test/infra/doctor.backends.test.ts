import { expect } from "bun:test"
import { Effect } from "effect"
import { backends } from "../../src/infra/cli/doctor.backends.ts"
import { Settings } from "../../src/infra/config.ts"
import { makeTopics } from "../../src/infra/kafka/client.ts"
import { live } from "../support/effect.ts"
import { serviceSettings, withService } from "../support/services.ts"
import { settingsOf } from "../support/store.ts"

const states = (env: Readonly<Record<string, string>>) =>
  Settings.pipe(
    Effect.flatMap((settings) => Effect.all(backends(settings).map(([, check]) => check))),
    Effect.provide(settingsOf(env))
  )
const KAFKA_PREFIX = `doctor.${process.pid}.`

withService("KAFKA_BROKERS", (brokers) => {
  const {
    REDIS_URL = "",
    S3_ENDPOINT = "",
    S3_BUCKET = "",
    S3_ACCESS_KEY_ID = "",
    S3_SECRET_ACCESS_KEY = ""
  } = serviceSettings()
  const objects = { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  const env = { KAFKA_BROKERS: brokers, KAFKA_PREFIX, REDIS_URL, ...objects }

  live("the doctor asks each server, and says what it lacks", () =>
    Effect.gen(function* () {
      const before = yield* states(env)
      expect(before.map((it) => [it.name, it.state])).toEqual([
        ["redis", "ok"],
        ["kafka", "fail"],
        ["objects", "ok"]
      ])
      expect(before[1]?.advice).toBe("run crawler migrate")
      yield* Effect.promise(() => makeTopics([brokers], KAFKA_PREFIX, 1))
      expect((yield* states(env)).map((it) => it.state)).toEqual(["ok", "ok", "ok"])
    })
  )

  live("the doctor names a server that refuses, and what to look at", () =>
    Effect.gen(function* () {
      const [wrong] = yield* states({ ...objects, S3_SECRET_ACCESS_KEY: "wrong" })
      expect(wrong).toMatchObject({ state: "fail", message: expect.stringContaining("SignatureDoesNotMatch") })
      const [nobody] = yield* states({ REDIS_URL: "redis://127.0.0.1:1" })
      expect(nobody).toMatchObject({ state: "fail", advice: expect.stringContaining("REDIS_URL") })
    })
  )
})
