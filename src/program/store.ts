import { Effect, Layer } from "effect"
import * as board from "../infra/board.ts"
import * as bus from "../infra/bus.table.ts"
import { Settings } from "../infra/config.ts"
import * as database from "../infra/database.postgres.ts"
import * as datasets from "../infra/datasets.files.ts"
import * as deadletters from "../infra/deadletters.sql.ts"
import { Refusal } from "../infra/exit.ts"
import * as fetcherrules from "../infra/fetcherrules.sql.ts"
import * as frontier from "../infra/frontier.sql.ts"
import * as jobs from "../infra/jobs.sql.ts"
import * as ledger from "../infra/ledger.sql.ts"
import * as overrides from "../infra/overrides.sql.ts"
import * as pages from "../infra/pages.sql.ts"
import * as research from "../infra/research.sql.ts"
import * as scores from "../infra/scores.sql.ts"
import * as scoring from "../infra/scoring.sql.ts"
import * as signals from "../infra/signals.sql.ts"
import * as sources from "../infra/sources.sql.ts"
import * as upgrades from "../infra/upgrades.sql.ts"
import * as upkeep from "../infra/upkeep.sql.ts"
import * as windows from "../infra/windows.memory.ts"

/** A combination that cannot be right is refused before anything starts. */
const possible = Layer.effectDiscard(
  Effect.flatMap(Settings, ({ KAFKA_BROKERS, REDIS_URL }) => {
    const given = KAFKA_BROKERS.length > 0 ? "KAFKA_BROKERS" : REDIS_URL !== null ? "REDIS_URL" : null
    return given === null
      ? Effect.void
      : Effect.fail(
          new Refusal({ exit: "configuration", message: `${given}: this version has no adapter for it; unset it` })
        )
  })
)

/** Every store on Postgres: embedded in the data dir, or DATABASE_URL. */
export const store = Layer.mergeAll(
  frontier.layer,
  pages.layer,
  signals.layer,
  sources.layer,
  upkeep.layer,
  deadletters.layer,
  research.layer,
  datasets.layer,
  jobs.layer,
  ledger.layer,
  overrides.layer,
  board.layer,
  scoring.layer.pipe(Layer.provideMerge(scores.layer)),
  windows.layer,
  upgrades.layer.pipe(Layer.provideMerge(fetcherrules.layer))
).pipe(Layer.provideMerge(bus.layer), Layer.provideMerge(database.layer), Layer.provide(possible))
