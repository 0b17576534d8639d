import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { ai } from "../../src/program/ai.ts"
import { effect } from "../support/effect.ts"
import { settingsOf } from "../support/store.ts"

/** Each must be shorter than the next: call, job, lease, stuck. */
const refused: ReadonlyArray<readonly [settings: Record<string, string>, names: RegExp]> = [
  [{ OPENAI_TIMEOUT: "50s" }, /^OPENAI_TIMEOUT 50s must be shorter than AI_JOB_TIMEOUT 50s/],
  [{ AI_JOB_TIMEOUT: "2m" }, /^AI_JOB_TIMEOUT 2m must be shorter than AI_LEASE/],
  [{ AI_LEASE: "10m" }, /^AI_LEASE 10m must be shorter than AI_SWEEPER_STUCK_THRESHOLD/],
  [{ AI_SWEEPER_STUCK_THRESHOLD: "30s" }, /^AI_LEASE 1m must be shorter than AI_SWEEPER_STUCK_THRESHOLD 30s/],
  [{ AI_WORKER_CRON: "often" }, /^AI_WORKER_CRON="often"/]
]
for (const [settings, names] of refused) {
  effect(`${JSON.stringify(settings)} cannot be right: exit 78`, () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Effect.scoped(Layer.build(ai.pipe(Layer.provide(settingsOf(settings))))))
      expect([failure.exit, failure.message]).toEqual(["configuration", expect.stringMatching(names)])
    })
  )
}

effect("the defaults are in order", () => Effect.scoped(Layer.build(ai.pipe(Layer.provide(settingsOf({}))))))
