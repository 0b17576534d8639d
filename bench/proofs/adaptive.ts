/**
 * Proof adaptive: concurrency starts at 10; at 0 and 0.5 % errors it reaches 50 and stays, at 3 % it stays at 10, at 10 % it falls
 * to 5 and stays; every step is ×1.2, ×0.8 or none, and never more requests are in flight than allowed.
 */
import { Effect } from "effect"
import { adapt, concurrency, windowSize } from "../../src/domain/research/pace.ts"
import { rates, type Trace, trace } from "../adaptive/trace.ts"
import { prove } from "./proof.ts"

const target: Readonly<Record<number, number>> = { 0: 50, 0.5: 50, 3: 10, 10: 5 }

/** The rule of the seed, written down again: what the trace must be. */
const expected = (rate: number, steps: number): ReadonlyArray<number> => {
  const all = [concurrency.start as number]
  for (let step = 0; step < steps; step++) all.push(adapt(all.at(-1) ?? 0, rate / 100))
  return all.map(Math.floor)
}

const holds = ({ rate, allowed, seen }: Trace): boolean => {
  const wanted = expected(rate, allowed.length - 1)
  const within = seen.every((it, at) => it <= Math.max(allowed[at] ?? 0, allowed[at + 1] ?? 0))
  return allowed.every((it, at) => it === wanted[at]) && within && allowed.at(-1) === target[rate]
}

await prove(async () => {
  const traces = await Effect.runPromise(Effect.forEach(rates, trace))
  return {
    rows: traces.map((it) => ({
      "errors %": it.rate,
      "allowed after each window": it.allowed.join(" "),
      "most in flight": it.seen.join(" ")
    })),
    figure: `adaptive: windows of ${windowSize}; ends at ${traces.map((it) => `${it.allowed.at(-1)} (${it.rate} %)`).join(", ")}`,
    holds: traces.every(holds)
  }
})
