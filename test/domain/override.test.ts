import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import {
  configFields,
  noConfig,
  overrideAt,
  overrideMsMax,
  oversized,
  type PriorityConfig,
  readConfig,
  readInstant
} from "../../src/domain/override.ts"
import { law } from "../support/law.ts"

const changed = Date.parse("2026-11-30T00:00:00Z")
const soon = "2026-12-01T00:00:00Z"
const until = Date.parse(soon)
const fields = (value: unknown) => readConfig(value, changed).warnings.map((it) => it.field)

describe("a bad field of priority_config is dropped with a warning, the others hold (S2.11, settled 6)", () => {
  const override = { value: "high", until } as const
  const table: ReadonlyArray<
    readonly [why: string, value: unknown, config: Partial<PriorityConfig>, warned: ReadonlyArray<string>]
  > = [
    ["no config", undefined, {}, []],
    // B145
    ["JSON null", null, {}, ["priority_config"]],
    ["an empty object", {}, {}, ["priority_config"]],
    ["an array", [], {}, ["priority_config"]],
    ["a text", "high", {}, ["priority_config"]],
    ["a number", 5, {}, ["priority_config"]],
    // S2.4: every field is optional
    ["all of an override", { base_priority: "high", override_until: soon }, { override }, []],
    ["weights alone", { signal_weights: { cost: 0.5 } }, { weights: { cost: 0.5 } }, []],
    ["a threshold alone", { score_threshold: 0.8 }, { threshold: 0.8 }, []],
    ["an end alone overrides nothing", { override_until: soon }, {}, []],
    // B146
    ["capitals", { base_priority: "HIGH", override_until: soon }, {}, ["base_priority"]],
    ["a word of its own", { base_priority: "urgent", score_threshold: 0.2 }, { threshold: 0.2 }, ["base_priority"]],
    ["a number as priority", { base_priority: 1 }, {}, ["base_priority"]],
    ["an empty priority", { base_priority: "" }, {}, ["base_priority"]],
    // B147, settled 3
    ["no end", { base_priority: "high" }, {}, ["override_until"]],
    // B148
    ["an endless end", { base_priority: "high", override_until: "infinity" }, {}, ["override_until"]],
    ["an end that is no text", { base_priority: "high", override_until: 1_796_000_000 }, {}, ["override_until"]],
    ["an end without a zone", { base_priority: "low", override_until: "2026-12-01T00:00:00" }, {}, ["override_until"]],
    ["a day the calendar lacks", { base_priority: "low", override_until: "2026-02-30" }, {}, ["override_until"]],
    // B152, settled 19
    [
      "a century",
      { base_priority: "high", override_until: "2126-12-01T00:00:00Z" },
      { override: { value: "high", until: changed + overrideMsMax } },
      ["override_until"]
    ],
    // B153–B155
    [
      "a weight as text",
      { signal_weights: { freshness: "1.5", cost: 2 } },
      { weights: { cost: 2 } },
      ["signal_weights"]
    ],
    ["an infinite weight", { signal_weights: { freshness: Number.POSITIVE_INFINITY } }, {}, ["signal_weights"]],
    ["a negative weight", { signal_weights: { impact: -1 } }, {}, ["signal_weights"]],
    ["a weight beyond 1000", { signal_weights: { impact: 1001 } }, {}, ["signal_weights"]],
    ["weights as a list", { signal_weights: [1, 2] }, {}, ["signal_weights"]],
    // B156: no score, by the score's own rule
    [
      "all weights 0",
      { signal_weights: { freshness: 0, impact: 0, cost: 0, reliability: 0, host_trust: 0 } },
      { weights: { freshness: 0, impact: 0, cost: 0, reliability: 0, host_trust: 0 } },
      []
    ],
    // B157
    ["an unknown weight", { signal_weights: { speed: 1, cost: 1 } }, { weights: { cost: 1 } }, ["signal_weights"]],
    ["an unknown field", { priority: "high", score_threshold: 0 }, { threshold: 0 }, ["unknown"]],
    // B158
    ["a threshold below 0", { score_threshold: -1 }, {}, ["score_threshold"]],
    ["a threshold above 1", { score_threshold: 2 }, {}, ["score_threshold"]],
    ["a threshold as text", { score_threshold: "0.5" }, {}, ["score_threshold"]],
    ["no threshold at all", { score_threshold: null }, {}, ["score_threshold"]]
  ]
  test.each(table.map((row) => [...row] as const))("%s", (_, value, config, warned) => {
    const read = readConfig(value, changed)
    expect(read.config).toEqual({ ...noConfig, ...config })
    expect(read.warnings.map((it) => it.field)).toEqual([...warned] as (typeof read.warnings)[number]["field"][])
  })

  test("more than 8 KiB is no configuration (B159)", () => {
    expect(oversized(1_048_576)).toEqual({
      config: noConfig,
      warnings: [{ field: "priority_config", why: "1048576 bytes: expected an object of at most 8192" }]
    })
  })

  test("a warning repeats the value it found, shortened", () => {
    const [warning] = readConfig({ base_priority: "x".repeat(5000) }, changed).warnings
    expect(warning?.why.length).toBeLessThan(120)
    expect(warning?.why).toContain("expected high, normal or low")
  })
})

describe("an override ends on time", () => {
  const { config } = readConfig({ base_priority: "low", override_until: soon }, changed)
  test("it holds until the instant before its end, and no longer (B150)", () => {
    expect(overrideAt(config, until - 1)).toEqual({ value: "low", until })
    expect(overrideAt(config, until)).toBeNull()
    expect(overrideAt(config, until + 1)).toBeNull()
  })
  test("one month after its row changed at the latest", () => {
    const long = readConfig({ base_priority: "low", override_until: "2199-01-01T00:00:00Z" }, changed).config
    expect(overrideAt(long, changed + overrideMsMax - 1)).not.toBeNull()
    expect(overrideAt(long, changed + overrideMsMax)).toBeNull()
  })
})

test("a row that changed at no instant has no override, and its reading ends well", () => {
  for (const at of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
    const { config, warnings } = readConfig({ base_priority: "low", override_until: soon }, at)
    expect(overrideAt(config, changed)).toBeNull()
    expect(warnings.map((it) => it.field)).toEqual(["override_until"])
  }
})

describe("an end is written as people and Postgres write instants", () => {
  const same: ReadonlyArray<string> = [
    "2026-12-01T00:00:00Z",
    "2026-12-01T09:00:00+09:00",
    "2026-12-01T09:00+0900",
    "2026-12-01 00:00:00+00",
    "2026-12-01T00:00:00.000000+00:00",
    "2026-12-01"
  ]
  test.each([...same])("%s", (text) => expect(readInstant(text)).toBe(until))
  test.each(["tomorrow", "infinity", "", "2026-12-01T25:00:00Z", "2026-12-01T00:00:00", "1796083200", "20261201"])(
    "%s is none",
    (text) => expect(readInstant(text)).toBeNull()
  )
})

law("whatever stands in the column, reading it ends well and only with known fields", Schema.Unknown, (value) => {
  const { config, warnings } = readConfig(value, changed)
  return (
    warnings.every((it) => configFields.includes(it.field)) &&
    (config.threshold === null || (config.threshold >= 0 && config.threshold <= 1)) &&
    (config.override === null || config.override.until <= changed + overrideMsMax)
  )
})

test("the text of a jsonb number too large for us is dropped like any other (B154)", () => {
  expect(fields(JSON.parse('{"signal_weights": {"freshness": 1e999}}'))).toEqual(["signal_weights"])
})
