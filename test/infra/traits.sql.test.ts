import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { noTraits, printOf, Traits } from "../../src/domain/traits.ts"
import { layer } from "../../src/infra/traits.sql.ts"
import { live } from "../support/effect.ts"
import { stores } from "../support/store.ts"
import { settings } from "../support/world.ts"

for (const store of stores) {
  live(`what hosts taught, in SQL, ${store.name}: each lesson is kept beside the others`, () =>
    Effect.gen(function* () {
      const traits = yield* Traits
      expect(yield* traits.of("a.kr")).toEqual(noTraits)
      const missing = printOf({ title: "없는 쪽", text: "이 주소에는 아무것도 없습니다. 죄송합니다." })
      yield* traits.learn("a.kr", { missing, probed_at: 1_700_000_000_000 })
      yield* traits.learn("a.kr", { identity: "/story/{id}/**" })
      expect(yield* traits.of("a.kr")).toEqual({
        ...noTraits,
        missing,
        probed_at: 1_700_000_000_000,
        identity: "/story/{id}/**"
      })
      yield* traits.learn("a.kr", { missing: null, probed_at: 1_700_000_000_001 })
      expect(yield* traits.of("a.kr")).toMatchObject({ missing: null, identity: "/story/{id}/**" })
      const twin = (at: number) => ({ url: `https://a.kr/${at}`, scope: "a.kr", identity: `https://a.kr/${at}` })
      expect(yield* traits.twins("a.kr", "text", twin(1))).toEqual([])
      expect(yield* traits.twins("a.kr", "text", twin(1))).toEqual([])
      expect(yield* traits.twins("a.kr", "text", twin(2))).toEqual([twin(1)])
      expect(yield* traits.twins("b.kr", "text", twin(2))).toEqual([])
    }).pipe(Effect.provide(Layer.provideMerge(Layer.provide(layer, settings()), store.layer)))
  )
}
