import { Effect, Layer, Option, Schema } from "effect"
import { Millis, Priority } from "../domain/crawl.ts"
import { HostCache } from "../domain/priority.ports.ts"
import type { KeptScore } from "../domain/score.ts"
import { Settings } from "./config.ts"
import { type Client, connect, type Reply, type Script, script } from "./redis/client.ts"

/** After a change no process may keep what it had read before for this long (ms): a load takes far less. */
const barredMs = 10_000
/** Stands where rules may not be kept. */
const barred = "-"
/** Keys of one command. */
const keysMax = 1000

/** `host_score:{host}` (S1.17), and the window by which the score grows old. */
const Score = Schema.fromJsonString(
  Schema.Struct({
    score: Schema.NullOr(Schema.Finite),
    priority: Schema.NullOr(Priority),
    calculated_at: Millis,
    window_ms: Schema.Finite
  })
)
const weight = Schema.optionalKey(Schema.Finite)
const Rules = Schema.fromJsonString(
  Schema.Struct({
    config: Schema.Struct({
      override: Schema.NullOr(Schema.Struct({ value: Priority, until: Millis })),
      weights: Schema.Struct({
        freshness: weight,
        impact: weight,
        cost: weight,
        reliability: weight,
        host_trust: weight
      }),
      threshold: Schema.NullOr(Schema.Finite)
    }),
    rules: Schema.Array(Schema.Struct({ path: Schema.String, priority: Priority })),
    read_at: Millis
  })
)
const decodeScore = Schema.decodeUnknownOption(Score)
const decodeRules = Schema.decodeUnknownOption(Rules)

/** KEYS hosts. ARGV a value and its life (ms) for each. */
const put = script(`
for i = 1, #KEYS do redis.call('SET', KEYS[i], ARGV[2 * i - 1], 'PX', ARGV[2 * i]) end
return #KEYS`)
/** The same, but where a change just happened nothing is kept: it may be older than the change. */
const putUnlessBarred = script(`
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) ~= '${barred}' then redis.call('SET', KEYS[i], ARGV[2 * i - 1], 'PX', ARGV[2 * i]) end
end
return #KEYS`)

const parts = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / keysMax) }, (_, at) => all.slice(at * keysMax, (at + 1) * keysMax))

const repliesOf = (reply: Reply, count: number): ReadonlyArray<Reply> =>
  Array.isArray(reply) ? reply : Array.from({ length: count }, () => null)

interface Entry {
  readonly key: string
  readonly text: string
  readonly ms: number
}

/** Reads and writes in commands of a bounded size. A server that is down has nothing and takes nothing. */
const over = (client: Client) => ({
  read: (keys: ReadonlyArray<string>) =>
    Effect.forEach(parts(keys), (part) =>
      client.call("MGET", ...part).pipe(
        Effect.map((reply) => repliesOf(reply, part.length)),
        Effect.catch(() => Effect.succeed(repliesOf(null, part.length)))
      )
    ).pipe(Effect.map((all) => all.flat())),
  write: (how: Script, rows: ReadonlyArray<Entry>) =>
    Effect.forEach(
      parts(rows),
      (part) => {
        const given = part.flatMap((it) => [it.text, Math.max(1, Math.round(it.ms))])
        return Effect.ignore(
          client.run(
            how,
            part.map((it) => it.key),
            given
          )
        )
      },
      { discard: true }
    )
})

const scoreOf = (reply: Reply): KeptScore | null | undefined =>
  Option.match(decodeScore(reply), {
    onNone: () => undefined,
    onSome: ({ calculated_at, score, window_ms }) =>
      score === null ? null : { value: score, calculated_at, window_ms }
  })

/** Scores and operators' words in Redis, shared by all processes. A server that is down knows nothing, and nobody waits for it. */
export const layer: Layer.Layer<HostCache, never, Settings> = Layer.effect(
  HostCache,
  Effect.gen(function* () {
    const { REDIS_PREFIX, REDIS_URL } = yield* Settings
    const client = yield* connect(REDIS_URL ?? "", "cache")
    const scoreKey = (host: string) => `${REDIS_PREFIX}host_score:${host}`
    const rulesKey = (host: string) => `${REDIS_PREFIX}host_rules:${host}`
    const { read, write } = over(client)
    return HostCache.of({
      known: (hosts) =>
        Effect.map(read(hosts.flatMap((it) => [scoreKey(it), rulesKey(it)])), (replies) =>
          hosts.map((_, at) => ({
            score: scoreOf(replies[2 * at] ?? null),
            rules: Option.getOrUndefined(decodeRules(replies[2 * at + 1]))
          }))
        ),
      keepScores: (rows) =>
        write(
          put,
          rows.map(({ host, priority, score, ttl_ms }) => {
            const { calculated_at, value, window_ms } = score ?? { value: null, calculated_at: 0, window_ms: 0 }
            const text = JSON.stringify({ score: value, priority, calculated_at, window_ms })
            return { key: scoreKey(host), text, ms: ttl_ms }
          })
        ),
      keepRules: (rows) =>
        write(
          putUnlessBarred,
          rows.map(({ host, rules, ttl_ms }) => ({ key: rulesKey(host), text: JSON.stringify(rules), ms: ttl_ms }))
        ),
      dropRules: (hosts) =>
        write(
          put,
          hosts.map((host) => ({ key: rulesKey(host), text: barred, ms: barredMs }))
        )
    })
  })
)
