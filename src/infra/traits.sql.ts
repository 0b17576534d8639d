import { Clock, Effect, Layer, Schema } from "effect"
import { setLatest } from "../domain/latest.ts"
import { type HostTraits, noTraits, Print, Traits } from "../domain/traits.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { byRow, grouped } from "./grouped.ts"
import { noBadData } from "./sql/batches.ts"
import { encode, encodeText } from "./sql/rows.ts"
import { twinMemory } from "./twins.ts"

/** What another process learned is obeyed within this time (ms); so many hosts are remembered. */
const rememberedMs = 30_000
const hostsMax = 10_000

/** $1 hosts. One row for each, in their order. */
const read = `select t.identity_pattern as identity, t.missing, t.home, ms_of(t.probed_at) as probed_at,
    ms_of(t.home_at) as home_at
  from json_array_elements_text($1::text::json) with ordinality as h(host, nth)
  left join host_traits t on t.host = h.host order by h.nth`

/** $1 host; $2 the change: only what it names is written. */
const write = `insert into host_traits as t (host, identity_pattern, missing, home, probed_at, home_at)
  select $1, g ->> 'identity', nullif(g -> 'missing', 'null'), nullif(g -> 'home', 'null'),
    at_ms((g ->> 'probed_at')::float8), at_ms((g ->> 'home_at')::float8) from (select $2::text::jsonb as g) x
  on conflict (host) do update set updated_at = now(),
    identity_pattern = case when $2::text::jsonb ? 'identity' then excluded.identity_pattern else t.identity_pattern end,
    missing = case when $2::text::jsonb ? 'missing' then excluded.missing else t.missing end,
    home = case when $2::text::jsonb ? 'home' then excluded.home else t.home end,
    probed_at = case when $2::text::jsonb ? 'probed_at' then excluded.probed_at else t.probed_at end,
    home_at = case when $2::text::jsonb ? 'home_at' then excluded.home_at else t.home_at end`

interface Row extends Omit<HostTraits, "missing" | "home"> {
  readonly missing: unknown
  readonly home: unknown
}
const printIn = Schema.decodeUnknownOption(Print)
const printOrNull = (value: unknown): Print | null => {
  const found = printIn(value)
  return found._tag === "Some" ? found.value : null
}

/** What hosts taught, in Postgres. */
export const layer: Layer.Layer<Traits, never, Database | Settings> = Layer.effect(
  Traits,
  Effect.gen(function* () {
    const database = yield* Database
    const { SOFT_404_PROBES: probes, STORE_BATCH: max, STORE_LINGER: linger } = yield* Settings
    const known = new Map<string, { readonly traits: HostTraits; readonly until: number }>()
    const load = (hosts: ReadonlyArray<string>) =>
      Effect.map(
        noBadData(database.query<Row>(read, [encode(hosts)])),
        (rows): ReadonlyArray<HostTraits> =>
          rows.map((it) => ({ ...it, missing: printOrNull(it.missing), home: printOrNull(it.home) }))
      )
    const together = yield* grouped(load, byRow, { max, linger })
    const look = Effect.fn("Traits.look")(function* (host: string) {
      const [traits = noTraits] = yield* together([host])
      setLatest(known, host, { traits, until: (yield* Clock.currentTimeMillis) + rememberedMs }, hostsMax)
      return traits
    })
    const of = (host: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const kept = known.get(host)
        return kept !== undefined && kept.until > now ? Effect.succeed(kept.traits) : look(host)
      })
    const learn = Effect.fn("Traits.learn")(function* (host: string, change: Partial<HostTraits>) {
      yield* noBadData(database.query(write, [encodeText(host), encode(change)]))
      known.delete(host)
    })
    return Traits.of({ probes, of, learn, twins: twinMemory() })
  })
)
