import { createHash } from "node:crypto"
import { Clock, Effect } from "effect"
import { type Answer, failure } from "./envelope.ts"

/** Keys remembered; the oldest go first. */
const KEYS_MAX = 10_000
/** Life of a key, ms: long enough for any client's retries. */
const KEY_LIFE = 24 * 3_600_000

interface Entry {
  readonly hash: string
  readonly at: number
  /** null: the first request is still being worked on. */
  answer: Answer | null
}

/**
 * `Idempotency-Key` on POST: the same key and body answer what the first request answered, and do nothing again; the same
 * key with another body is a mistake (422, B106). Kept in memory: a restart forgets, and operations are idempotent anyway.
 */
export class Idempotency {
  private readonly entries = new Map<string, Entry>()

  /** `scope` tells operations apart: a key of one says nothing of another's. */
  readonly once = <R>(
    scope: string,
    key: string | null,
    body: Uint8Array,
    work: Effect.Effect<Answer, never, R>
  ): Effect.Effect<Answer, never, R> => {
    if (key === null) return work
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      return Effect.succeed(
        failure(400, "idempotency_key", "Idempotency-Key must be 1 to 255 visible ASCII characters")
      )
    }
    return Effect.flatMap(Clock.currentTimeMillis, (now) => this.remember(`${scope}\n${key}`, now, body, work))
  }

  private remember<R>(
    key: string,
    now: number,
    body: Uint8Array,
    work: Effect.Effect<Answer, never, R>
  ): Effect.Effect<Answer, never, R> {
    const hash = createHash("sha256").update(body).digest("base64url")
    const known = this.entries.get(key)
    if (known !== undefined && now - known.at < KEY_LIFE) {
      if (known.hash !== hash) {
        return Effect.succeed(failure(422, "idempotency_key_reused", "this Idempotency-Key came with another body"))
      }
      return Effect.succeed(
        known.answer ?? failure(409, "idempotency_in_progress", "the first request with this key is not done yet")
      )
    }
    const entry: Entry = { hash, at: now, answer: null }
    this.entries.delete(key)
    this.entries.set(key, entry)
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= KEYS_MAX) break
      this.entries.delete(oldest)
    }
    return work.pipe(
      Effect.tap((answer) =>
        Effect.sync(() => {
          // A failure of ours may be tried again under the same key.
          if (answer.status >= 500) this.entries.delete(key)
          else entry.answer = answer
        })
      ),
      Effect.onInterrupt(() => Effect.sync(() => this.entries.delete(key)))
    )
  }
}
