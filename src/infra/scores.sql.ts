import { Duration, Effect, Layer, Metric, Option } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { Unavailable } from "../domain/errors.ts"
import { configDropped, scoreAge, scoreLookups } from "../domain/metrics.priority.ts"
import { configBytesMax, noConfig, type Warning } from "../domain/override.ts"
import { factsAt, type HostFacts, type RulePriority, type Standing } from "../domain/priority.facts.ts"
import { HostCache, Scores } from "../domain/priority.ports.ts"
import { type KeptScore, scorePriority } from "../domain/score.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { grouped, same } from "./grouped.ts"
import { type ConfigColumns, configOf } from "./priority.config.ts"
import { kept } from "./scores.kept.ts"
import { standings } from "./sql/scoring.ts"

/** Hosts of one statement. */
const hostsMax = 500
/** Life of operators' words in the shared cache, where changes are told of; else they live as long as in memory. */
const sharedTtlMs = 300_000
/** Complaints remembered, so that a bad config is told of once per change. */
const complaintsMax = 10_000
const minuteMs = 60_000
/** Told by `tell_rule_changed` (migration 30). */
const channel = "crawler_rules"

interface Row extends ConfigColumns {
  readonly host: string
  readonly score: number | null
  readonly calculated_at: Millis | null
  readonly window_minutes: number | null
  readonly rules: ReadonlyArray<RulePriority> | null
}

const scoreOf = ({ calculated_at, score, window_minutes }: Row): KeptScore | null =>
  score === null || calculated_at === null || window_minutes === null
    ? null
    : { value: score, calculated_at, window_ms: window_minutes * minuteMs }

/** Warns of what a config says wrongly, once per change of its row. */
const complainer = () => {
  const told = new Map<string, Millis>()
  return (host: string, updated_at: Millis | null, warnings: ReadonlyArray<Warning>) => {
    const at = updated_at ?? 0
    if (warnings.length === 0 || told.get(host) === at) return Effect.void
    told.set(host, at)
    const [oldest] = told.size > complaintsMax ? told.keys() : []
    if (oldest !== undefined) told.delete(oldest)
    return Effect.forEach(
      warnings,
      ({ field, why }) =>
        Effect.andThen(
          Metric.update(configDropped(field), 1),
          Effect.logWarning(`priority_config_invalid: ${host}: ${field}: ${why}`)
        ),
      { discard: true }
    )
  }
}

/** The statement behind both caches, in parts of a bounded number of hosts. */
const fromDatabase = (database: Database["Service"]) => {
  const complain = complainer()
  const text = standings(configBytesMax)
  return Effect.fnUntraced(function* (hosts: ReadonlyArray<string>) {
    const found = new Map<string, Standing>()
    for (let from = 0; from < hosts.length; from += hostsMax) {
      const rows = yield* database
        .query<Row>(text, [JSON.stringify(hosts.slice(from, from + hostsMax))])
        .pipe(
          Effect.catchTag("BadData", ({ message }) => Effect.fail(new Unavailable({ dependency: "database", message })))
        )
      for (const row of rows) {
        const { config, warnings } = configOf(row)
        yield* complain(row.host, row.updated_at, warnings)
        found.set(row.host, { score: scoreOf(row), config, rules: row.rules ?? [] })
      }
    }
    yield* Metric.update(scoreLookups("database"), hosts.length)
    return found
  })
}

type FromDatabase = ReturnType<typeof fromDatabase>

/**
 * Since when changes are told of. While nobody listened (a broken connection, all processes down) the shared cache missed
 * them: what was put there before says nothing of the rules as they are.
 */
const listening = () => {
  let begins = false
  let from: Millis = 0
  return {
    begin: (): void => {
      begins = true
    },
    since: (now: Millis): Millis => {
      if (begins) from = now
      begins = false
      return from
    }
  }
}

interface Sharing {
  readonly ear: ReturnType<typeof listening>
  readonly rulesTtlMs: number
  readonly scoreTtlMs: number
  readonly threshold: number
}

/** The shared cache, and the database for what it does not know; what that says is kept for all. */
const fromShared = (
  cache: HostCache["Service"],
  ask: FromDatabase,
  { ear, rulesTtlMs, scoreTtlMs, threshold }: Sharing
) =>
  Effect.fnUntraced(function* (hosts: ReadonlyArray<string>, now: Millis) {
    const since = ear.since(now)
    const shared = yield* cache.known(hosts)
    const found = new Map<string, Standing>()
    const missing: Array<string> = []
    for (const [at, host] of hosts.entries()) {
      const it = shared[at]
      if (it?.score === undefined || it.rules === undefined || it.rules.read_at < since) missing.push(host)
      else found.set(host, { score: it.score, config: it.rules.config, rules: it.rules.rules })
    }
    yield* Metric.update(scoreLookups("shared"), found.size)
    if (missing.length === 0) return found
    const rest = [...(yield* ask(missing))]
    yield* cache.keepScores(
      rest.map(([host, { config, score }]) => {
        const priority = score === null ? null : scorePriority(score.value, config.threshold ?? threshold)
        return { host, score, priority, ttl_ms: scoreTtlMs }
      })
    )
    yield* cache.keepRules(
      rest.map(([host, { config, rules: paths }]) => {
        const left = config.override === null ? rulesTtlMs : config.override.until - now
        return {
          host,
          rules: { config, rules: paths, read_at: now },
          ttl_ms: left > 0 ? Math.min(rulesTtlMs, left) : rulesTtlMs
        }
      })
    )
    for (const [host, standing] of rest) found.set(host, standing)
    return found
  })

/** The age of a score that was used. */
const told = (now: Millis, found: ReadonlyArray<Standing>) => {
  const score = found.find((it) => it.score !== null)?.score ?? null
  return score === null ? Effect.void : Metric.update(scoreAge, (now - score.calculated_at) / 1000)
}

/**
 * Priority facts of hosts over the database: memory for PRIORITY_CACHE_TTL, the shared cache where there is one, then one
 * statement. A changed rule is told of by notification where the database can (a server), so it acts within milliseconds;
 * the embedded store has one session and tells nobody: there the life of an entry bounds it.
 */
export const layer: Layer.Layer<Scores, never, Database | Settings> = Layer.effect(
  Scores,
  Effect.gen(function* () {
    const database = yield* Database
    const settings = yield* Settings
    const cache = yield* Effect.serviceOption(HostCache)
    const ask = fromDatabase(database)
    const threshold = settings.SCORING_THRESHOLD
    const ttl_ms = Duration.toMillis(settings.PRIORITY_CACHE_TTL)
    const ear = listening()
    const rulesTtlMs = database.embedded ? ttl_ms : sharedTtlMs
    const sharing = { ear, rulesTtlMs, threshold, scoreTtlMs: Duration.toMillis(settings.SCORING_INTERVAL) }
    const load = Option.match(cache, { onNone: () => ask, onSome: (it) => fromShared(it, ask, sharing) })
    const read = (hosts: ReadonlyArray<string>) => Effect.flatMap(database.leaseClock, (now) => load(hosts, now))
    const together = yield* grouped(read, same, { max: hostsMax, linger: settings.STORE_LINGER })
    const memory = kept(
      {
        hostsMax: settings.PRIORITY_CACHE_HOSTS,
        ttl_ms,
        now: database.leaseClock,
        hit: (hosts) => Metric.update(scoreLookups("memory"), hosts)
      },
      together
    )
    const forget = (hosts?: ReadonlyArray<string>) => Effect.sync(() => memory.forget(hosts))
    const context = yield* Effect.context<never>()
    yield* database.listen(channel, (host) => {
      if (host === null) ear.begin()
      memory.forget(host === null ? undefined : [host])
      if (Option.isSome(cache) && host !== null) {
        // Asked again within that moment, the shared cache would bring the old words back into memory.
        const drop = Effect.andThen(cache.value.dropRules([host]), forget([host]))
        Effect.runForkWith(context)(drop)
      }
    })
    const looked = (hosts: ReadonlyArray<string>) =>
      Effect.flatMap(memory.of(hosts), (found) =>
        Effect.flatMap(database.leaseClock, (now) => {
          const facts = new Map([...found].map(([host, it]) => [host, factsAt(it, now, threshold)] as const))
          return Effect.as(told(now, [...found.values()]), facts)
        })
      )
    return Scores.of({
      facts: (hosts) =>
        Effect.flatMap(database.leaseClock, (now) => {
          const facts = new Map<string, HostFacts>()
          let age = -1
          for (const host of hosts) {
            const standing = memory.peek(host, now)
            if (standing === undefined) return looked(hosts)
            if (standing.score !== null) age = now - standing.score.calculated_at
            facts.set(host, factsAt(standing, now, threshold))
          }
          const hit = Effect.as(Metric.update(scoreLookups("memory"), facts.size), facts)
          return age < 0 ? hit : Effect.andThen(Metric.update(scoreAge, age / 1000), hit)
        }),
      standing: (host) =>
        Effect.map(memory.of([host]), (found) => found.get(host) ?? { score: null, config: noConfig, rules: [] }),
      forget
    })
  })
)
