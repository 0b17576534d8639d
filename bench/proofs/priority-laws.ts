/**
 * Proof priority-laws: every row of the policy tables and every law of scores, overrides and the chain holds, over 20,000
 * generated cases a law.
 *
 * Tables: S1.25 and S2.14, bad inputs B145–B162, the chain of settled 1. Laws: the score lies in [0,1], is monotone in each
 * signal, 1 for the best host, 0 for the worst, 0.5 in the middle; the chain is total and deterministic; a score never raises
 * Low; an expired override is never obeyed. The tables run as the tests they are; the laws run here with more cases.
 */
import { Arbitrary, Effect, Option, Schema } from "effect"
import { Priority } from "../../src/domain/crawl.ts"
import { overrideAt, overrideMsMax, readConfig } from "../../src/domain/override.ts"
import { categoryPriority, type Facts, prioritise } from "../../src/domain/priority.ts"
import { type HostSignals, scoreOf, signalNames } from "../../src/domain/score.ts"
import { prove, run } from "./proof.ts"

const CASES = Number(process.env.CASES ?? 20_000)

const Part = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Weight = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))
const five = <S extends Schema.Constraint>(it: S) =>
  Schema.Struct({ freshness: it, impact: it, cost: it, reliability: it, host_trust: it })
const Scored = Schema.Struct({ signals: five(Schema.NullOr(Part)), weights: five(Weight), more: Part })
const Chained = Schema.Struct({
  retry_count: Schema.Literals([0, 0, 0, 1, 5]),
  override: Schema.Option(Priority),
  category: Schema.Option(Schema.Union([Schema.Literals(["politics", "sports", "weather"]), Schema.String])),
  listing: Schema.Boolean,
  score: Schema.Option(Schema.Struct({ value: Part, threshold: Part })),
  source: Schema.Option(Priority),
  rule: Schema.Option(Priority)
})
const Written = Schema.Struct({
  base_priority: Schema.Union([Priority, Schema.String, Schema.Finite]),
  override_until: Schema.Int.check(Schema.isBetween({ minimum: -4_000_000_000, maximum: 4_000_000_000 })),
  updated: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })),
  later: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000_000_000 }))
})

const flat = (value: number, cost = value): HostSignals => ({
  freshness: value,
  impact: value,
  cost,
  reliability: value,
  host_trust: value
})
const near = (a: number | null, b: number) => a !== null && Math.abs(a - b) < 1e-9
const isLow = (it: Facts) => it.listing || Option.exists(it.category, (name) => categoryPriority(name) === "low")

interface Law {
  readonly name: string
  readonly check: () => Promise<string | undefined>
}
const law = <A>(name: string, values: Schema.Codec<A, unknown>, holds: (value: A) => boolean): Law => ({
  name,
  check: async () =>
    Arbitrary.formatCheckFailure(
      await Effect.runPromise(
        Arbitrary.checkEffect(Arbitrary.schema(values), (it) => Effect.sync(() => holds(it)), { runs: CASES })
      )
    )
})

const monotone = signalNames.map((name) =>
  law(`score: more ${name} is never ${name === "cost" ? "better" : "worse"}`, Scored, ({ more, signals, weights }) => {
    const given = signals[name] ?? 0.5
    const [a, b] = [Math.min(given, more), Math.max(given, more)].map((it) =>
      scoreOf({ ...signals, [name]: it }, weights)
    )
    if (a === null || b === null || a === undefined || b === undefined) return a === b
    return name === "cost" ? a >= b - 1e-12 : b >= a - 1e-12
  })
)

const laws: ReadonlyArray<Law> = [
  law("score: in [0,1], none only for all-zero weights", Scored, ({ signals, weights }) => {
    const score = scoreOf(signals, weights)
    const some = signalNames.some((name) => weights[name] > 0)
    return score === null ? !some : score >= 0 && score <= 1
  }),
  law("score: best 1, worst 0, all-half 0.5, whatever the weights", Scored, ({ weights }) =>
    signalNames.every((name) => weights[name] === 0)
      ? true
      : near(scoreOf(flat(1, 0), weights), 1) &&
        near(scoreOf(flat(0, 1), weights), 0) &&
        near(scoreOf(flat(0.5), weights), 0.5)
  ),
  ...monotone,
  law("chain: total and deterministic", Chained, (it) => {
    const [a, b] = [prioritise(it), prioritise({ ...it })]
    return Priority.literals.includes(a.value) && a.value === b.value && a.by === b.by
  }),
  law("chain: Low is never raised by a score", Chained, (it) => {
    if (!isLow(it)) return true
    const best = prioritise({ ...it, score: Option.some({ value: 1, threshold: 0 }) })
    return best.by !== "score" && best.value === prioritise({ ...it, score: Option.none() }).value
  }),
  law("chain: a retry is Normal, else an override is the answer", Chained, (it) => {
    const { by, value } = prioritise(it)
    if (it.retry_count > 0) return value === "normal" && by === "retry"
    return Option.match(it.override, { onNone: () => by !== "override", onSome: (wanted) => value === wanted })
  }),
  law("override: obeyed before its end, never at or after it, never past 30 days", Written, (it) => {
    const config = { base_priority: it.base_priority, override_until: new Date(it.override_until).toISOString() }
    const read = readConfig(config, it.updated).config
    const known = Priority.literals.some((name) => name === it.base_priority)
    const end = Math.min(it.override_until, it.updated + overrideMsMax)
    return (overrideAt(read, it.later) !== null) === (known && it.later < end)
  })
]

await prove(async () => {
  const rows: Array<Record<string, string | number>> = []
  let broken = 0
  for (const { check, name } of laws) {
    const complaint = await check()
    if (complaint !== undefined) console.error(complaint)
    broken += complaint === undefined ? 0 : 1
    rows.push({ what: name, cases: CASES, holds: complaint === undefined ? "yes" : "NO" })
  }
  const files = ["priority", "score", "override", "signals"].map((it) => `test/domain/${it}.test.ts`)
  const tests = await run([process.execPath, "test", ...files])
  const passed = Number(/(\d+) pass/.exec(tests.stderr + tests.stdout)?.[1] ?? 0)
  const failed = Number(/(\d+) fail/.exec(tests.stderr + tests.stdout)?.[1] ?? 1)
  rows.push({ what: `tables and sentences: ${files.join(" ")}`, cases: passed, holds: failed === 0 ? "yes" : "NO" })
  return {
    rows,
    figure: `priority-laws: ${laws.length} laws over ${CASES} cases each, ${broken} broken; ${passed} table rows and sentences pass, ${failed} fail`,
    holds: broken === 0 && failed === 0 && passed > 100
  }
})
