import { Option, Schema } from "effect"
import { type Millis, Priority } from "./crawl.ts"
import type { SignalName, Weights } from "./score.ts"

/**
 * `fetcher_rules.priority_config`, the one per-host interface to priority (S2.2). Nothing about it is trusted, since SQL
 * writes it: a bad field is dropped with a warning, the others hold (S2.11).
 */
export interface PriorityConfig {
  /** `base_priority` until `override_until`; both or neither. `until` is cut to 30 days after the row's last change. */
  readonly override: { readonly value: Priority; readonly until: Millis } | null
  readonly weights: Partial<Weights>
  readonly threshold: number | null
}
export const noConfig: PriorityConfig = { override: null, weights: {}, threshold: null }

/** Parts of a config that may be dropped: labels of a metric. */
export const configFields = [
  "priority_config",
  "base_priority",
  "override_until",
  "signal_weights",
  "score_threshold",
  "unknown"
] as const
export type ConfigField = (typeof configFields)[number]

export interface Warning {
  readonly field: ConfigField
  /** What was found and what happens instead, in words. */
  readonly why: string
}
export interface ReadConfig {
  readonly config: PriorityConfig
  readonly warnings: ReadonlyArray<Warning>
}

/** Largest config read (bytes of its text): more is no configuration. */
export const configBytesMax = 8192
/** An override is honoured this long after its row changed: there is no endless one (S2.12, settled 19). */
export const overrideMsMax = 30 * 86_400_000
/** Largest weight: beyond it one signal alone decides, and sums lose their precision. */
export const weightMax = 1000
/** Characters of a value that a warning repeats. */
const shownMax = 60

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, shownMax)
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const instantForm = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?))?$/

/**
 * An ISO 8601 instant with its zone, as people and Postgres write it; a date alone is midnight UTC.
 * @example readInstant("2026-12-01T09:00:00+09:00") // => Date.UTC(2026, 11, 1)
 */
export const readInstant = (text: string): Millis | null => {
  const found = instantForm.exec(text)
  if (found === null) return null
  const [, day = "", time = "00:00", fraction = "0", zone = "Z"] = found
  const offset = zone === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`
  const at = Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}.${fraction.slice(0, 3)}${offset}`)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // `Date` rolls 30 February over.
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === day
  return exists && !Number.isNaN(at) ? at : null
}

const decodePriority = Schema.decodeUnknownOption(Priority)

type Fields = Readonly<Record<string, unknown>>
const given = (fields: Fields, name: string): boolean => Object.hasOwn(fields, name)

const readUntil = (fields: Fields, updated_at: Millis, warn: (it: Warning) => void): Millis | null => {
  const field = "override_until"
  if (!given(fields, field)) return null
  const written = fields[field]
  const until = typeof written === "string" ? readInstant(written) : null
  if (until === null) {
    warn({ field, why: `${shown(written)}: expected an ISO 8601 instant with its zone (2026-12-01T09:00:00+09:00)` })
    return null
  }
  // A change at no instant (`-infinity`) is none: nothing can be counted from it.
  const latest = (Number.isFinite(updated_at) ? updated_at : 0) + overrideMsMax
  if (until <= latest) return until
  warn({ field, why: `${shown(written)}: honoured until ${new Date(latest).toISOString()}, 30 days after the change` })
  return latest
}

const readOverride = (fields: Fields, updated_at: Millis, warn: (it: Warning) => void): PriorityConfig["override"] => {
  const value = given(fields, "base_priority") ? decodePriority(fields.base_priority) : Option.none<Priority>()
  if (given(fields, "base_priority") && Option.isNone(value)) {
    warn({ field: "base_priority", why: `${shown(fields.base_priority)}: expected high, normal or low` })
  }
  const until = readUntil(fields, updated_at, warn)
  if (Option.isNone(value)) return null
  if (until !== null) return { value: value.value, until }
  if (!given(fields, "override_until")) {
    warn({ field: "override_until", why: "missing: base_priority without an end is no override" })
  }
  return null
}

const weightNames: ReadonlyArray<SignalName> = ["freshness", "impact", "cost", "reliability", "host_trust"]
const isWeightName = (name: string): name is SignalName => weightNames.some((it) => it === name)

const readWeights = (fields: Fields, warn: (it: Warning) => void): Partial<Weights> => {
  const field = "signal_weights"
  if (!given(fields, field)) return {}
  const written = fields[field]
  if (!isRecord(written)) {
    warn({ field, why: `${shown(written)}: expected an object of weights` })
    return {}
  }
  const weights: { [N in SignalName]?: number } = {}
  for (const [name, value] of Object.entries(written)) {
    if (!isWeightName(name)) warn({ field, why: `${shown(name)}: no signal; expected ${weightNames.join(", ")}` })
    else if (typeof value === "number" && value >= 0 && value <= weightMax) weights[name] = value
    else warn({ field, why: `${name} ${shown(value)}: expected a number from 0 to ${weightMax}` })
  }
  return weights
}

const readThreshold = (fields: Fields, warn: (it: Warning) => void): number | null => {
  const field = "score_threshold"
  if (!given(fields, field)) return null
  const value = fields[field]
  if (typeof value === "number" && value >= 0 && value <= 1) return value
  warn({ field, why: `${shown(value)}: expected a number from 0 to 1` })
  return null
}

const known = new Set<string>(["base_priority", "override_until", "signal_weights", "score_threshold"])

/** A config that is none: its whole is dropped. */
const dropped = (why: string): ReadConfig => ({ config: noConfig, warnings: [{ field: "priority_config", why }] })

/** A config too large to be read. */
export const oversized = (bytes: number): ReadConfig =>
  dropped(`${bytes} bytes: expected an object of at most ${configBytesMax}`)

/**
 * Reads a config as SQL left it; `undefined` where the column is null. `updated_at`: when its row last changed.
 * @source S2.3, S2.11, settled 3, 6 and 19; bad inputs B145–B161
 * @example readConfig({ base_priority: "HIGH", score_threshold: 0.7 }, 0).config.threshold // => 0.7
 */
export const readConfig = (value: unknown, updated_at: Millis): ReadConfig => {
  if (value === undefined) return { config: noConfig, warnings: [] }
  if (!isRecord(value)) return dropped(`${shown(value)}: expected an object`)
  if (Object.keys(value).length === 0) return dropped("{}: expected at least one field")
  const warnings: Array<Warning> = []
  const warn = (it: Warning) => void warnings.push(it)
  for (const name of Object.keys(value)) {
    if (!known.has(name)) warn({ field: "unknown", why: `${shown(name)}: no field of priority_config` })
  }
  const override = readOverride(value, updated_at, warn)
  const config = { override, weights: readWeights(value, warn), threshold: readThreshold(value, warn) }
  return { config, warnings }
}

/** The override that holds now (S2.6): one that ends at this very instant has ended. */
export const overrideAt = (config: PriorityConfig, now: Millis): PriorityConfig["override"] =>
  config.override !== null && now < config.override.until ? config.override : null
