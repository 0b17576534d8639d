import { Clock, Effect, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { BadData } from "../domain/errors.ts"
import { Bus, Sources } from "../domain/ports.ts"
import type { Source } from "../domain/source.ts"

/** Sources held; a list is scanned on each tick. */
const sourcesMax = 100_000

/** Sources of one process. A poll is due once per slot: firing moves `next_poll_at` past it. */
export const layer: Layer.Layer<Sources, never, Bus> = Layer.effect(
  Sources,
  Effect.gen(function* () {
    const bus = yield* Bus
    const sources = new Map<string, Source>()
    const fire: Sources["Service"]["fire"] = Effect.fn("Sources.fire")(function* (polls) {
      const now = yield* Clock.currentTimeMillis
      const first = polls.filter(({ source, slot, next }) => {
        const held = sources.get(source.id)
        if (held === undefined || held.next_poll_at > slot) return false
        sources.set(source.id, { ...held, next_poll_at: next, polled_at: now })
        return true
      })
      yield* bus.publish(first.map((it) => it.message))
      return first.length
    }, Effect.uninterruptible)
    return Sources.of({
      list: Effect.sync(() => [...sources.values()]),
      find: (id) => Effect.sync(() => sources.get(id) ?? null),
      ended: (id, last) =>
        Effect.sync(() => {
          const held = sources.get(id)
          if (held !== undefined && (held.last?.at ?? 0) <= last.at) sources.set(id, { ...held, last })
        }),
      put: (given) => Effect.suspend(() => put(sources, given)),
      remove: (id) => Effect.sync(() => sources.delete(id)),
      due: (now, limit) => Effect.sync(() => due(sources, now, limit)),
      fire
    })
  })
)

const put = (sources: Map<string, Source>, given: ReadonlyArray<Source>): Effect.Effect<void, BadData> => {
  for (const it of given) {
    const held = sources.get(it.id)
    if (held !== undefined || sources.size < sourcesMax) sources.set(it.id, { ...it, last: held?.last ?? null })
  }
  const lost = given.filter((it) => !sources.has(it.id)).length
  return lost === 0 ? Effect.void : Effect.fail(new BadData({ message: `${lost} sources over ${sourcesMax}` }))
}

const due = (sources: Map<string, Source>, now: Millis, limit: number): ReadonlyArray<Source> =>
  [...sources.values()]
    .filter((it) => it.enabled && it.next_poll_at <= now)
    .sort((left, right) => left.next_poll_at - right.next_poll_at)
    .slice(0, limit)
