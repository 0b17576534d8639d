import { Effect } from "effect"
import type { Command } from "../infra/cli/commands.ts"
import { type Checked, doctorExit, doctorText, examine } from "../infra/cli/doctor.ts"
import * as output from "../infra/cli/output.ts"
import { doneIf, print } from "../infra/cli/print.ts"
import { settingsText, shownSettings } from "../infra/cli/settings.ts"
import { Settings } from "../infra/config.ts"
import * as database from "../infra/database.postgres.ts"
import { Database } from "../infra/database.ts"
import { Refusal } from "../infra/exit.ts"
import { latest, migrate } from "../infra/migrate.ts"

type Values = Settings["Service"]

/** Commands that look after the program itself: its settings, its surroundings, its schema. */
export type Caring = Extract<Command, { name: "config" | "doctor" | "migrate" }>

/** Topics are part of what a version needs, so they are made where the schema is. */
const topicsMade = ({ KAFKA_BROKERS, KAFKA_PARTITIONS, KAFKA_PREFIX }: Values) =>
  Effect.tryPromise({
    try: async () =>
      (await import("../infra/kafka/client.ts")).makeTopics(KAFKA_BROKERS, KAFKA_PREFIX, KAFKA_PARTITIONS),
    catch: (cause) =>
      new Refusal({
        exit: "disk",
        message: `KAFKA_BROKERS=${KAFKA_BROKERS.join(",")}: ${cause instanceof Error ? cause.message : cause}`
      })
  })

/** The embedded store brings its schema up to date by opening; a server is asked to. */
const migrated = Effect.fnUntraced(function* (settings: Values) {
  const { CRAWLER_DATA_DIR, DATABASE_CONNECTIONS, DATABASE_URL } = settings
  if (DATABASE_URL !== null) {
    const applied = yield* migrate(yield* database.connectTo(DATABASE_URL, DATABASE_CONNECTIONS), null)
    if (settings.KAFKA_BROKERS.length > 0) yield* topicsMade(settings)
    return applied
  }
  yield* database.embedded(CRAWLER_DATA_DIR)
  return null
})

const found = (state: Checked["state"], message: string, advice = ""): Checked => ({
  name: "store",
  state,
  message,
  advice
})

/** Opens the store as `run` would; held by another process is well, since that process works. */
const opens: Effect.Effect<Checked, never, Settings> = Database.use((it) => it.query("select 1")).pipe(
  Effect.as(found("ok", "opens and answers")),
  Effect.provide(database.layer),
  Effect.catch((it) =>
    Effect.succeed(
      it._tag === "StoreRefused" && it.exit === 75
        ? found("ok", it.message)
        : found("fail", it.message, "crawler migrate, or see the message")
    )
  )
)

const caring = Effect.fnUntraced(function* (command: Caring) {
  const settings = yield* Settings
  switch (command.name) {
    case "config": {
      const shown = shownSettings(settings, process.env)
      yield* print(command.flags.json, shown, () => settingsText(shown))
      return doneIf(1)
    }
    case "doctor": {
      const all = yield* examine(settings, Effect.provideService(opens, Settings, settings))
      yield* print(command.flags.json, all, () => doctorText(all))
      return doctorExit(all)
    }
    case "migrate": {
      const applied = yield* Effect.scoped(migrated(settings))
      const said = `the schema is at version ${latest}${applied === null ? "" : `, ${applied.length} steps applied`}`
      yield* print(command.flags.json, { schema: latest, applied: applied ?? [] }, () => said)
      return doneIf(1)
    }
  }
})

export const care = (command: Caring) => caring(command).pipe(Effect.provide(output.layer(null)))
