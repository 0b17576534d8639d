import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Schema, type Scope } from "effect"
import { saidIn } from "./descriptor.ts"
import { Refusal } from "./exit.ts"

/**
 * How other commands find the process that holds a data dir: its API's address, a token made for this run and its pid, in
 * a file that only the owner reads. It is written once the server listens and removed when it stops.
 */
const Holder = Schema.Struct({ address: Schema.String, token: Schema.String, pid: Schema.Int })
export type Holder = typeof Holder.Type

const pathOf = (dataDir: string) => join(dataDir, "api.json")
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

/** What stands in the data dir, whether or not its process still lives; none when there is nothing readable. */
export const holder = (dataDir: string): Effect.Effect<Option.Option<Holder>> =>
  Effect.sync(() => {
    try {
      return decode(readFileSync(pathOf(dataDir), "utf8"))
    } catch {
      return Option.none()
    }
  })

const write = (dataDir: string, given: Holder): void => {
  const path = pathOf(dataDir)
  const beside = `${path}.${given.pid}`
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // A reader sees the old file or the new one, never half of either.
  writeFileSync(beside, JSON.stringify(given), { mode: 0o600 })
  chmodSync(beside, 0o600)
  renameSync(beside, path)
}

/** Announces this process until the scope closes. A later holder's file is left alone. */
export const announce = (dataDir: string, given: Holder): Effect.Effect<void, Refusal, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => write(dataDir, given),
      catch: (cause) => new Refusal({ exit: "disk", message: `CRAWLER_DATA_DIR ${dataDir}: ${saidIn(dataDir, cause)}` })
    }),
    () =>
      Effect.flatMap(holder(dataDir), (found) =>
        Effect.sync(() => {
          if (Option.isSome(found) && found.value.token === given.token) rmSync(pathOf(dataDir), { force: true })
        })
      )
  )
