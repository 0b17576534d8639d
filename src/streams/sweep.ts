import { Duration, Effect } from "effect"
import { Upkeep } from "../domain/ports.ts"

/** How often the store looks after itself. */
const every = Duration.seconds(10)

/** Keeps the store small and quick: checkpoints, vacuums, expired raw pages, forgotten leases. */
export const sweep = Upkeep.use((upkeep) => upkeep.run).pipe(Effect.andThen(Effect.sleep(every)), Effect.forever)
