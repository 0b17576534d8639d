import { Context, type Effect, type Scope } from "effect"
import type { Millis } from "../domain/crawl.ts"
import type { BadData, Unavailable } from "../domain/errors.ts"

/** A parameter on the wire is text, a number, a flag or nothing; whole batches travel as one JSON text (`sql/rows.ts`). */
export type Parameter = string | number | boolean | null

/**
 * The one way to Postgres, embedded or not. A state change is one statement, so a caller that sees Unavailable may send it
 * again: every statement is idempotent by key. Nothing is retried here; the stage pauses.
 */
export class Database extends Context.Service<
  Database,
  {
    /** One prepared statement. Fails with BadData when a value in it can never be stored. */
    readonly query: <Row = Record<string, unknown>>(
      text: string,
      parameters?: ReadonlyArray<Parameter>
    ) => Effect.Effect<ReadonlyArray<Row>, Unavailable | BadData>
    /** Several statements as one simple query, which is one transaction unless it says otherwise. */
    readonly script: (text: string) => Effect.Effect<void, Unavailable | BadData>
    readonly embedded: boolean
    /** The data dir of the embedded store, where more may be kept beside it; null for a server. */
    readonly dataDir: string | null
    /**
     * Hears notifications until the scope closes, in the background: a server that is down is waited for. `null`: listening
     * begins, or begins again, so words may have been missed. The embedded store has one session and tells nothing.
     */
    readonly listen: (
      channel: string,
      heard: (payload: string | null) => void
    ) => Effect.Effect<void, never, Scope.Scope>
    /**
     * The clock by which leases are compared. Embedded: ours. Otherwise ours corrected to the server's, so that the
     * leases of processes with wrong clocks are still comparable, while time stays a service that a test may steer.
     */
    readonly leaseClock: Effect.Effect<Millis>
  }
>()("crawler/Database") {}

/** What an error of the driver means: the given data's fault, an outage, the end (a full disk), or a bug of ours. */
export type Meaning = "data" | "outage" | "full" | "bug"

/**
 * SQLSTATE classes 22, 23 and 54 (a limit) are a row's fault; 42 and 0A are ours; 53100 is a full disk.
 * All else (connections, shutdown, serialisation, resources, authentication) may pass by itself.
 */
export const meaning = (error: unknown): Meaning => {
  if (!(error instanceof Error)) return "bug"
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (error.name !== "PostgresError") return /^(CONNECT|E[A-Z_]+$|ERR_SOCKET|ERR_TLS)/.test(code) ? "outage" : "bug"
  if (code === "53100") return "full"
  if (/^(22|23|54)/.test(code)) return "data"
  return /^(42|0A)/.test(code) ? "bug" : "outage"
}
