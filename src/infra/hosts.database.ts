import { Effect, Layer } from "effect"
import { Hosts } from "../domain/ports.ts"
import type { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { hostsKept } from "./hosts.kept.ts"
import { make, type Options } from "./hosts.memory.ts"

/**
 * Host state of one process, whose promises the database keeps too: Retry-After, open breakers and the gaps that hosts asked for
 * outlive a restart. Until they are read (the database is down) hosts wait: Unavailable.
 */
export const layer = (options: Options = {}): Layer.Layer<Hosts, never, Database | Settings> =>
  Layer.effect(
    Hosts,
    Effect.flatMap(Database, (database) => make(options, hostsKept(database)))
  )
