/** Proof simulation: 200 seeded universes with crashes, duplicates, lost answers and failing hosts lose nothing and double nothing. */
import { prove, root, run } from "./proof.ts"

const SEEDS = 200

await prove(async () => {
  const all = await run([process.execPath, "test", "test/scenarios/simulation.test.ts"], {
    cwd: root,
    env: { SIM_SEEDS: String(SEEDS), SIM_SEED: "", NO_COLOR: "1" }
  })
  const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(all.stderr)?.[1] ?? 0)
  const failing = [...all.stderr.matchAll(/\(fail\) seed (\d+)/g)].map((it) => it[1])
  const [passed, failed] = [count("pass"), count("fail")]
  return {
    rows: [{ seeds: SEEDS, passed, failed, failing: failing.join(" "), seconds: all.seconds.toFixed(1) }],
    figure: `simulation: ${passed} of ${SEEDS} seeds green (replay one: SIM_SEED=N bun test test/scenarios/simulation.test.ts)`,
    holds: all.code === 0 && passed === SEEDS && failed === 0
  }
})
