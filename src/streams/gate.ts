import { Effect, Semaphore } from "effect"

interface Door {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

/**
 * Lets `permits` effects of one key run at a time, first come first served, and forgets a key nobody uses. Within one
 * process it spares the host state a question that can only be answered with "wait".
 */
export const gate = (permits: number) => {
  const doors = new Map<string, Door>()
  const enter = (key: string) =>
    Effect.sync(() => {
      const door = doors.get(key) ?? { semaphore: Semaphore.makeUnsafe(permits), users: 0 }
      door.users += 1
      doors.set(key, door)
      return door
    })
  const leave = (key: string, door: Door) =>
    Effect.sync(() => {
      door.users -= 1
      if (door.users === 0) doors.delete(key)
    })
  return (key: string) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        enter(key),
        (door) => door.semaphore.withPermit(work),
        (door) => leave(key, door)
      )
}
