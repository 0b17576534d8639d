import { Layer } from "effect"
import * as board from "../infra/board.ts"
import * as database from "../infra/database.postgres.ts"
import * as deadletters from "../infra/deadletters.sql.ts"
import * as fetcherrules from "../infra/fetcherrules.sql.ts"
import * as frontier from "../infra/frontier.sql.ts"
import * as jobs from "../infra/jobs.sql.ts"
import * as ledger from "../infra/ledger.sql.ts"
import * as overrides from "../infra/overrides.sql.ts"
import * as pages from "../infra/pages.sql.ts"
import * as parsingrules from "../infra/parsingrules.sql.ts"
import * as research from "../infra/research.sql.ts"
import * as runs from "../infra/runs.sql.ts"
import * as scores from "../infra/scores.sql.ts"
import * as scoring from "../infra/scoring.sql.ts"
import * as signals from "../infra/signals.sql.ts"
import * as sources from "../infra/sources.sql.ts"
import * as traits from "../infra/traits.sql.ts"
import * as upgrades from "../infra/upgrades.sql.ts"
import * as upkeep from "../infra/upkeep.sql.ts"
import { bus, datasets, hostCache, locks, possible, windows } from "./backends.ts"

/** Every store on Postgres: embedded in the data dir, or DATABASE_URL. */
export const store = Layer.mergeAll(
  frontier.layer,
  pages.layer,
  signals.layer,
  runs.layer,
  sources.layer,
  upkeep.layer,
  traits.layer,
  deadletters.layer,
  parsingrules.layer,
  research.layer,
  datasets,
  jobs.layer,
  ledger.layer,
  overrides.layer,
  board.layer,
  scoring.layer.pipe(Layer.provideMerge(scores.layer), Layer.provide(hostCache)),
  windows,
  locks,
  upgrades.layer.pipe(Layer.provideMerge(fetcherrules.layer))
).pipe(Layer.provideMerge(bus), Layer.provideMerge(database.layer), Layer.provide(possible))
