import { createHash } from "node:crypto"
import { Effect, type Scope } from "effect"
import { Redis } from "ioredis"
import { Unavailable } from "../../domain/errors.ts"

/** An answer takes well under a millisecond; a server that is silent this long (ms) is down. */
const answerMsMax = 3000
const connectMsMax = 5000
/** A lost connection is tried again after this long (ms) at the latest. */
const reconnectMsMax = 1000

/** A script the server runs as one atomic step. */
export interface Script {
  readonly text: string
  readonly sha: string
}
export const script = (text: string): Script => ({ text, sha: createHash("sha1").update(text).digest("hex") })

/** What the server answers: texts, whole numbers and lists of these. */
export type Reply = string | number | null | ReadonlyArray<Reply>

export interface Client {
  readonly run: (
    script: Script,
    keys: ReadonlyArray<string>,
    parameters: ReadonlyArray<string | number>
  ) => Effect.Effect<Reply, Unavailable>
  /** One plain command. */
  readonly call: (name: string, ...parameters: ReadonlyArray<string>) => Effect.Effect<Reply, Unavailable>
}

const isUnknownScript = (cause: unknown) => cause instanceof Error && cause.message.startsWith("NOSCRIPT")

/**
 * One connection to Redis, made again whenever it is lost. A command that finds no connection fails at once: the stage pauses,
 * instead of a queue that grows. `dependency` names what is down where it is not there.
 */
export const connect = Effect.fn("Redis.connect")(function* (
  url: string,
  dependency: "cache" | "hosts"
): Effect.fn.Return<Client, never, Scope.Scope> {
  const redis = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = new Redis(url, {
        lazyConnect: true,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
        connectTimeout: connectMsMax,
        commandTimeout: answerMsMax,
        // A silent connection may be a dead one: the next command gets another.
        socketTimeout: answerMsMax,
        retryStrategy: (times) => Math.min(times * 100, reconnectMsMax)
      })
      // Each command reports its own failure; an event that nobody hears would end the process.
      made.on("error", () => undefined)
      return made
    }),
    (it) => Effect.sync(() => it.disconnect())
  )
  const attempt = (work: () => Promise<unknown>) =>
    Effect.tryPromise({
      try: () => work() as Promise<Reply>,
      catch: (cause) =>
        new Unavailable({ dependency, message: `redis: ${cause instanceof Error ? cause.message : String(cause)}` })
    })
  // A server that is down at the start is no reason to refuse: the stages wait.
  yield* Effect.ignore(attempt(() => redis.connect()))
  return {
    run: ({ sha, text }, keys, parameters) => {
      const given = [...keys, ...parameters]
      return attempt(() =>
        redis
          .evalsha(sha, keys.length, ...given)
          .catch((cause: unknown) =>
            isUnknownScript(cause) ? redis.eval(text, keys.length, ...given) : Promise.reject(cause)
          )
      )
    },
    call: (name, ...parameters) => attempt(() => redis.call(name, ...parameters))
  }
})
