import { Effect, Layer } from "effect"
import { stageNames } from "../domain/stages.ts"
import * as table from "../infra/bus.table.ts"
import { Settings } from "../infra/config.ts"
import * as files from "../infra/datasets.files.ts"
import { Refusal } from "../infra/exit.ts"
import * as own from "../infra/hosts.database.ts"
import type { Options } from "../infra/hosts.memory.ts"
import * as locksInMemory from "../infra/locks.memory.ts"
import * as windowsInMemory from "../infra/windows.memory.ts"

type Values = Settings["Service"]

/** Each backend is chosen by its own setting; the clients of servers are loaded only where one is named. */
export const bus = Layer.unwrap(
  Effect.gen(function* () {
    const { KAFKA_BROKERS } = yield* Settings
    if (KAFKA_BROKERS.length === 0) return table.layer
    return (yield* Effect.promise(() => import("../infra/bus.kafka.ts"))).layer
  })
)

/** Host state of this process alone, or of all that name the same Redis; its promises are in the database either way. */
export const hosts = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { REDIS_URL } = yield* Settings
      if (REDIS_URL === null) return own.layer(options)
      return (yield* Effect.promise(() => import("../infra/hosts.redis.ts"))).layer
    })
  )

export const windows = Layer.unwrap(
  Effect.gen(function* () {
    const { REDIS_URL } = yield* Settings
    if (REDIS_URL === null) return windowsInMemory.layer
    return (yield* Effect.promise(() => import("../infra/windows.redis.ts"))).layer
  })
)

/** Who is at an AI job: of this process, or of all that name the same Redis. */
export const locks = Layer.unwrap(
  Effect.gen(function* () {
    const { REDIS_URL } = yield* Settings
    if (REDIS_URL === null) return locksInMemory.layer
    return (yield* Effect.promise(() => import("../infra/locks.redis.ts"))).layer
  })
)

/** Datasets as files of the data dir, or as objects of the bucket that S3_BUCKET names. */
export const datasets = Layer.unwrap(
  Effect.gen(function* () {
    const { S3_BUCKET } = yield* Settings
    if (S3_BUCKET === null) return files.layer
    return (yield* Effect.promise(() => import("../infra/datasets.s3.ts"))).layer
  })
)

/** Between memory and database: what processes that name the same Redis know of hosts. */
export const hostCache = Layer.unwrap(
  Effect.gen(function* () {
    const { REDIS_URL } = yield* Settings
    if (REDIS_URL === null) return Layer.empty
    return (yield* Effect.promise(() => import("../infra/hostcache.redis.ts"))).layer
  })
)

const refused = (message: string) => Effect.fail(new Refusal({ exit: "configuration", message }))

/** Combinations of settings that cannot be right, refused before anything starts. */
const complaint = (settings: Values): string | null => {
  const { KAFKA_BROKERS, DATABASE_URL, RAWS, REDIS_URL, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
  if (RAWS === "s3" && S3_BUCKET === null)
    return "RAWS=s3 without S3_BUCKET: raw pages have nowhere to go; set S3_BUCKET, or RAWS=database"
  if (S3_BUCKET !== null && (S3_ACCESS_KEY_ID === null || S3_SECRET_ACCESS_KEY === null))
    return `S3_BUCKET=${S3_BUCKET} without S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: requests are signed; set both`
  if (DATABASE_URL !== null) return null
  if (KAFKA_BROKERS.length > 0)
    return "KAFKA_BROKERS without DATABASE_URL: messages are rows that all processes share; set DATABASE_URL"
  if (REDIS_URL !== null)
    return "REDIS_URL without DATABASE_URL: an embedded store has one process, whose memory does; set DATABASE_URL or unset REDIS_URL"
  return null
}

export const possible = Layer.effectDiscard(
  Effect.flatMap(Settings, (settings) => {
    const why = complaint(settings)
    return why === null ? Effect.void : refused(why)
  })
)

/** A subset of stages shares host state with other processes, which one process's memory cannot. */
export const complete = (stages: ReadonlyMap<string, number | null>) =>
  Effect.flatMap(Settings, ({ REDIS_URL }) =>
    stages.size < stageNames.length && REDIS_URL === null
      ? refused(
          `--stages ${[...stages.keys()].join(",")} without REDIS_URL: processes that share the work share host state; set REDIS_URL, or run all stages`
        )
      : Effect.void
  )
