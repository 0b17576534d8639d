import { Effect, Layer } from "effect"
import { type Answered, type ListPage, type RunFacts, Runs } from "../domain/runs.ts"
import { MemoryUrls } from "./urls.memory.ts"

/** Runs held open; the oldest are forgotten first. */
const runsMax = 10_000

interface Row {
  readonly page: number
  answer: Answered | null
}
interface Open {
  readonly host: string
  readonly slot: number
  readonly due_at: number
  readonly rows: Map<string, Row>
}

/** Runs of one process. */
export const layer: Layer.Layer<Runs, never, MemoryUrls> = Layer.effect(
  Runs,
  Effect.map(MemoryUrls, (urls) => {
    const runs = new Map<string, Open>()
    const rowOf = ({ host, page, slot, source_id }: ListPage, at: number): Row => {
      const key = `${slot} ${host}`
      const run = runs.get(key) ?? { host, slot, due_at: at, rows: new Map<string, Row>() }
      runs.set(key, run)
      for (const oldest of runs.keys()) if (runs.size > runsMax) runs.delete(oldest)
      const name = `${source_id} ${page}`
      const row = run.rows.get(name) ?? { page, answer: null }
      run.rows.set(name, row)
      return row
    }
    const factsOf = ({ due_at, host, rows, slot }: Open): RunFacts & { readonly over: boolean } => {
      const all = [...rows.values()]
      const answers = all.flatMap((it) => it.answer ?? [])
      const keys = [...new Set(answers.flatMap((it) => it.fresh))].map((it) => urls.get(it))
      const visited = keys.flatMap((it) => it?.fetched_at ?? [])
      const last = [...answers.map((it) => it.at), ...visited]
      const lists = all.filter((it) => it.page === 1)
      const answered = lists.filter((it) => it.answer !== null).length
      return {
        host,
        slot,
        lists: lists.length,
        answered,
        unchanged: answers.filter((it) => it.links === null).length,
        links: answers.reduce((sum, it) => sum + (it.links ?? 0), 0),
        fresh: keys.length,
        saved: keys.filter((it) => it !== undefined && it.article_id !== null).length,
        due_at,
        last_at: last.length === 0 ? null : Math.max(...last),
        over: answered === lists.length && visited.length === keys.length
      }
    }
    return Runs.of({
      due: (lists, at) => Effect.sync(() => lists.forEach((it) => rowOf(it, at))),
      answered: (page) =>
        Effect.sync(() => {
          rowOf(page, page.at).answer ??= page
        }),
      close: (now, deadline_ms) =>
        Effect.sync(() => {
          const ended: Array<RunFacts> = []
          for (const [key, run] of runs) {
            const { over, ...facts } = factsOf(run)
            if (!over && run.due_at > now - deadline_ms) continue
            runs.delete(key)
            if (facts.lists > 0) ended.push(facts)
          }
          return ended
        })
    })
  })
)
