import { Duration, Effect } from "effect"
import { Overrides } from "../domain/priority.ports.ts"
import { steadfast } from "./stage.ts"

/** How often ended overrides are looked for. Lookups compare the instant themselves, so this only tidies. */
const every = Duration.seconds(10)

/** Clears overrides whose time has passed, and says so. */
export const clearOverrides = Overrides.use((it) => it.expire).pipe(
  Effect.tap((lapsed) => (lapsed > 0 ? Effect.logInfo(`${lapsed} overrides ended`) : Effect.void)),
  steadfast,
  Effect.andThen(Effect.sleep(every)),
  Effect.forever
)
