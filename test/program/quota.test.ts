import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Frontier, type Planned } from "../../src/domain/ports.ts"
import { Halt } from "../../src/infra/halt.ts"
import * as none from "../../src/infra/outputs.none.ts"
import * as store from "../../src/infra/store.memory.ts"
import { limited, linksMax, Quota } from "../../src/program/crawl.ts"
import { planned } from "../support/conformance/frontier.ts"
import { effect } from "../support/effect.ts"

/** A site that links on and on. */
const links = (count: number, from: number): ReadonlyArray<Planned> =>
  Array.from({ length: count }, (_, at) => planned("endless.example", String(from + at)))
const part = 10_000

for (const limit of [3, Number.POSITIVE_INFINITY]) {
  effect(`a crawl of a site without end remembers a bounded number of its links, wanting ${limit} articles`, () =>
    Effect.gen(function* () {
      const frontier = yield* Frontier
      const quota = yield* Quota
      for (let from = 0; from < linksMax + 2 * part; from += part) yield* frontier.enqueue(links(part, from))
      expect(quota.seen.size).toBeLessThanOrEqual(linksMax)
      expect(quota.waiting.length).toBeLessThanOrEqual(linksMax)
    }).pipe(
      Effect.provide(
        limited.pipe(
          Layer.provideMerge(Layer.mergeAll(Quota.layer(limit), store.layer({ urlsMax: 1000 }), none.layer)),
          Layer.provide(Layer.succeed(Halt, () => undefined))
        )
      )
    )
  )
}
