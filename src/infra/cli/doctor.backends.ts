import { Effect } from "effect"
import type { Settings } from "../config.ts"
import type { Check, Checked } from "./doctor.ts"

type Values = Settings["Service"]

const because = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
const found = (name: string, state: Checked["state"], message: string, advice = ""): Checked => ({
  name,
  state,
  message,
  advice
})

/** What Redis says of its memory: a server that evicts keys forgets promises made to hosts, one at a time. */
const policyOf = (info: unknown): string => /maxmemory_policy:(\S+)/.exec(String(info))?.[1] ?? "unknown"

const redis = ({ REDIS_URL }: Values): Check =>
  Effect.scoped(
    Effect.gen(function* () {
      const { connect } = yield* Effect.promise(() => import("../redis/client.ts"))
      const client = yield* connect(REDIS_URL ?? "", "cache")
      const policy = policyOf(yield* client.call("INFO", "memory"))
      return policy === "noeviction"
        ? found("redis", "ok", "answers, keeps what it is given")
        : found(
            "redis",
            "warn",
            `answers, but its maxmemory-policy is ${policy}`,
            "set maxmemory-policy noeviction: an evicted host is dialled without its pause"
          )
    })
  ).pipe(
    Effect.catch((it) =>
      Effect.succeed(
        found("redis", "fail", it.message, "is Redis up, and does REDIS_URL name it? until then hosts wait")
      )
    )
  )

const kafka = ({ KAFKA_BROKERS, KAFKA_PREFIX }: Values): Check =>
  Effect.tryPromise({
    try: async () => (await import("../kafka/client.ts")).missingTopics(KAFKA_BROKERS, KAFKA_PREFIX),
    catch: because
  }).pipe(
    Effect.match({
      onSuccess: (missing) =>
        missing.length === 0
          ? found("kafka", "ok", "answers, has every topic")
          : found("kafka", "fail", `topics are missing: ${missing.join(", ")}`, "run crawler migrate"),
      onFailure: (why) =>
        found("kafka", "fail", why, "is a broker up at KAFKA_BROKERS? until then messages wait in the database")
    })
  )

/** A key below which nobody puts anything. */
const nowhere = "crawler-doctor/"

const objects = ({ RAWS, ...it }: Values): Check =>
  Effect.gen(function* () {
    const { objectsOf } = yield* Effect.promise(() => import("../s3/client.ts"))
    const keys = { id: it.S3_ACCESS_KEY_ID ?? "", secret: it.S3_SECRET_ACCESS_KEY ?? "" }
    const place = { endpoint: it.S3_ENDPOINT, region: it.S3_REGION, bucket: it.S3_BUCKET ?? "", keys }
    yield* objectsOf(place).list(`${it.S3_PREFIX ?? ""}${nowhere}`)
    return found("objects", "ok", `bucket ${place.bucket} answers: datasets${RAWS === "s3" ? " and raw pages" : ""}`)
  }).pipe(
    Effect.catch((it) =>
      Effect.succeed(
        found(
          "objects",
          "fail",
          it.message,
          "does S3_ENDPOINT have the bucket of S3_BUCKET, and may these keys list it? S3_REGION is part of the signature"
        )
      )
    )
  )

/** One real call to each server that the settings name. */
export const backends = (settings: Values): ReadonlyArray<readonly [name: string, check: Check]> => [
  ...(settings.REDIS_URL === null ? [] : [["redis", redis(settings)] as const]),
  ...(settings.KAFKA_BROKERS.length === 0 ? [] : [["kafka", kafka(settings)] as const]),
  ...(settings.S3_BUCKET === null ? [] : [["objects", objects(settings)] as const])
]
