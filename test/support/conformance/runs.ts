import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import { Frontier, Pages } from "../../../src/domain/ports.ts"
import { type ListPage, Runs } from "../../../src/domain/runs.ts"
import { type ClockName, sentences } from "./clock.ts"
import { planned } from "./frontier.ts"
import { article } from "./pages.ts"

const slot = 1_700_000_000_000
const deadline = 600_000
const page = (source_id: string, more: Partial<ListPage> = {}): ListPage => ({
  host: "a.kr",
  slot,
  source_id,
  page: 1,
  ...more
})
const seen = { host: "a.kr", validators: { etag: null, last_modified: null }, status: 200 } as const

/** A new URL that was visited, and whether an article came of it. */
const visit = Effect.fnUntraced(function* (key: string, at: number, stored: boolean) {
  const pages = yield* Pages
  if (stored) yield* pages.saveArticles([{ article: article(key), url_key: key, job_id: key }])
  yield* pages.saveValidators([{ ...seen, url_key: key, url: `https://a.kr/${key}`, fetched_at: at }])
})

/** What every keeper of runs promises. The layer is built anew for each sentence and must start empty. */
export const runsSuite = <E>(
  name: string,
  layer: Layer.Layer<Runs | Frontier | Pages, E>,
  options: { readonly clock: ClockName }
): void => {
  const it = sentences(name, options.clock, layer)

  it("a run is over when its lists answered and their new links were visited, and is told of once", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* (yield* Frontier).enqueue([planned("a.kr", "1"), planned("a.kr", "2")])
      yield* runs.due([page("x"), page("y")], slot)
      expect(yield* runs.close(slot + 1, deadline)).toEqual([])
      yield* runs.answered({ ...page("x"), at: slot + 2000, links: 5, fresh: ["a.kr/1", "a.kr/2"] })
      yield* runs.answered({ ...page("y"), at: slot + 3000, links: null, fresh: [] })
      yield* visit("a.kr/1", slot + 4000, true)
      expect(yield* runs.close(slot + 5000, deadline)).toEqual([])
      yield* visit("a.kr/2", slot + 6000, false)
      expect(yield* runs.close(slot + 7000, deadline)).toEqual([
        {
          host: "a.kr",
          slot,
          lists: 2,
          answered: 2,
          unchanged: 1,
          links: 5,
          fresh: 2,
          saved: 1,
          due_at: slot,
          last_at: slot + 6000
        }
      ])
      expect(yield* runs.close(slot + 8000, deadline)).toEqual([])
    }))

  it("a run whose lists never answered is over at its deadline", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* runs.due([page("x"), page("y"), page("z", { host: "b.kr" })], slot)
      yield* runs.answered({ ...page("z", { host: "b.kr" }), at: slot + 1, links: 1, fresh: ["b.kr/new"] })
      expect(yield* runs.close(slot + deadline - 1, deadline)).toEqual([])
      const ended = yield* runs.close(slot + deadline + 1, deadline)
      expect(ended.map((it) => [it.host, it.lists, it.answered, it.fresh, it.saved]).toSorted()).toEqual([
        ["a.kr", 2, 0, 0, 0],
        ["b.kr", 1, 1, 1, 0]
      ])
    }))

  it("expecting and answering twice is once, and the first answer holds", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* runs.due([page("x"), page("x")], slot)
      yield* runs.answered({ ...page("x"), at: slot + 1, links: 3, fresh: ["k"] })
      yield* runs.answered({ ...page("x"), at: slot + 9, links: 3, fresh: [] })
      yield* runs.answered({ ...page("x", { page: 2 }), at: slot + 2, links: 4, fresh: [] })
      yield* runs.due([page("x")], slot + 10)
      const [run, ...others] = yield* runs.close(slot + 2 * deadline, deadline)
      expect([run?.lists, run?.answered, run?.links, run?.fresh, others.length]).toEqual([1, 1, 7, 1, 0])
    }))
}
