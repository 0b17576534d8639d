import { Context, type Effect } from "effect"

/** `held`: somebody is at this job, for so many ms at most. */
export type Lock = { readonly tag: "taken"; readonly token: string } | { readonly tag: "held"; readonly for_ms: number }

/**
 * Who is asking the model about a job now. Claims are exclusive already; a lock outside the database saves the call that would be
 * paid twice when the database forgets a claim (a standby that took over without its last writes) or finds all leases over at
 * once (its clock jumped). It only saves work: which outcome counts is decided by the claim's epoch, so where locks cannot be had
 * every one is granted.
 * @source S3.10, S3.11
 */
export class AiLocks extends Context.Service<
  AiLocks,
  {
    /** Ends by itself after `ttl_ms`. */
    readonly take: (job: string, ttl_ms: number) => Effect.Effect<Lock>
    /** Does nothing for a lock that has passed to somebody else. */
    readonly release: (job: string, token: string) => Effect.Effect<void>
  }
>()("crawler/AiLocks") {}
