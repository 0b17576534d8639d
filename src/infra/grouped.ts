import { Context, Deferred, Duration, Effect, Exit, Layer, Queue, type Scope, Semaphore } from "effect"
import { BadData, type Unavailable } from "../domain/errors.ts"
import { Bus, Frontier, Pages, type Settlement, Signals } from "../domain/ports.ts"
import { Settings } from "./config.ts"

type Failure = Unavailable | BadData
type Write<A, B, E> = (rows: ReadonlyArray<A>) => Effect.Effect<B, E>
interface Call<A, B, E> {
  readonly rows: ReadonlyArray<A>
  readonly done: Deferred.Deferred<B, E>
}

/** How the answer to a group of calls becomes each call's own. */
type Split<A, B> = (answer: B, calls: ReadonlyArray<ReadonlyArray<A>>) => ReadonlyArray<B>

/** Calls in order, in portions of at most `max` rows; one larger call stands alone. */
const portions = <A, B, E>(
  calls: ReadonlyArray<Call<A, B, E>>,
  max: number
): ReadonlyArray<ReadonlyArray<Call<A, B, E>>> => {
  const all: Array<Array<Call<A, B, E>>> = []
  let room = 0
  for (const call of calls) {
    const last = all.at(-1)
    if (last === undefined || call.rows.length > room) {
      all.push([call])
      room = max - call.rows.length
    } else {
      last.push(call)
      room -= call.rows.length
    }
  }
  return all
}

/** One answer per row, in order: each call gets those of its rows. */
export const byRow = <A, B>(
  answers: ReadonlyArray<B>,
  calls: ReadonlyArray<ReadonlyArray<A>>
): ReadonlyArray<ReadonlyArray<B>> => {
  let from = 0
  return calls.map((rows) => {
    const start = from
    from += rows.length
    return answers.slice(start, from)
  })
}

/**
 * Gathers calls that come while a statement is under way, or within `linger`, into one statement of at most `max` rows:
 * stages write row by row, the store sees groups, on one code path. A group with bad data is sent again call by call, so
 * that only the guilty one fails: writes are idempotent by key.
 */
export const grouped = Effect.fnUntraced(function* <A, B, E>(
  write: Write<A, B, E>,
  split: Split<A, B>,
  { max, linger }: { readonly max: number; readonly linger: Duration.Duration }
): Effect.fn.Return<Write<A, B, E>, never, Scope.Scope> {
  const calls = yield* Queue.bounded<Call<A, B, E>>(max * 10)
  const answer = (call: Call<A, B, E>, exit: Exit.Exit<B, E>) => Deferred.done(call.done, exit)
  const alone = (call: Call<A, B, E>) => Effect.flatMap(Effect.exit(write(call.rows)), (exit) => answer(call, exit))
  const flush = Effect.fnUntraced(function* (group: ReadonlyArray<Call<A, B, E>>) {
    const rows = group.flatMap((it) => it.rows)
    const exit = yield* Effect.exit(write(rows))
    if (Exit.isSuccess(exit)) {
      const each = split(
        exit.value,
        group.map((it) => it.rows)
      )
      return yield* Effect.forEach(group, (call, at) => answer(call, Exit.succeed(each[at] ?? exit.value)), {
        discard: true
      })
    }
    const bad = exit.cause.reasons.some((it) => it._tag === "Fail" && it.error instanceof BadData)
    yield* Effect.forEach(group, (call) => (bad && group.length > 1 ? alone(call) : answer(call, exit)), {
      discard: true
    })
  })
  const work = Effect.gen(function* () {
    const first = yield* Queue.take(calls)
    if (Duration.toMillis(linger) > 0) yield* Effect.sleep(linger)
    const more = yield* Queue.clear(calls)
    yield* Effect.forEach(portions([first, ...more], max), flush, { discard: true })
  })
  yield* Effect.forkScoped(Effect.forever(work))
  return (rows) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<B, E>()
      return Effect.andThen(Queue.offer(calls, { rows, done }), Deferred.await(done))
    })
})

/** Every call gets the answer of the whole group. */
export const same = <A, B>(answer: B, calls: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<B> =>
  calls.map(() => answer)

/** A beginning holds nothing that a store could refuse. */
const unharmed = (write: Effect.Effect<void, Failure>) => Effect.catchTag(write, "BadData", () => Effect.void)

const lost = ({ message }: BadData) => Effect.logError(`a row that could not be stored: ${message}`)

/** Rows that no settlement follows (a job's, which is no delivery) are stored after this long all the same. */
const owedFor = Duration.seconds(1)

/**
 * Rows that nobody waits for go with the next settlement, just before it: whoever left them settles a delivery afterwards, so none
 * is acknowledged before what its work left is stored. What is taken to be stored is stored or given back, whoever is interrupted.
 */
class Owed<A> {
  private rows: ReadonlyArray<A> = []
  constructor(private readonly write: Write<A, void, Failure>) {}

  readonly owe: Write<A, void, never> = (rows) =>
    Effect.sync(() => {
      this.rows = [...this.rows, ...rows]
    })

  readonly pay: Effect.Effect<void, Unavailable> = Effect.suspend(() => {
    const { rows } = this
    if (rows.length === 0) return Effect.void
    this.rows = []
    const back = Effect.sync(() => {
      this.rows = [...rows, ...this.rows]
    })
    const each = Effect.forEach(rows, (row) => Effect.catchTag(this.write([row]), "BadData", lost), { discard: true })
    return Effect.catchTag(this.write(rows), "BadData", (it) => (rows.length === 1 ? lost(it) : each)).pipe(
      Effect.onError(() => back)
    )
  }).pipe(Effect.uninterruptible)
}

/** Nobody waits for a delivery's end: it gathers neighbours, and what is owed before it, for so many times STORE_LINGER. */
const endLingers = 2

/** The stores as the stages use them: each write waits a moment for its neighbours (STORE_BATCH, STORE_LINGER). */
export const layer: Layer.Layer<Bus | Frontier | Pages | Signals, never, Bus | Frontier | Pages | Signals | Settings> =
  Layer.effectContext(
    Effect.gen(function* () {
      const bus = yield* Bus
      const pages = yield* Pages
      const signals = yield* Signals
      const frontier = yield* Frontier
      const { STORE_BATCH, STORE_LINGER } = yield* Settings
      const size = { max: STORE_BATCH, linger: STORE_LINGER }
      const [record, outcomes, validators] = [
        new Owed(signals.record),
        new Owed(pages.saveOutcomes),
        new Owed(pages.saveValidators)
      ] as const
      // One at a time: a settlement waits for rows that another has taken.
      const payAll = Semaphore.makeUnsafe(1).withPermit(
        Effect.all([record.pay, outcomes.pay, validators.pay], { concurrency: "unbounded", discard: true })
      )
      yield* Effect.addFinalizer(() => Effect.ignore(payAll))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(owedFor), Effect.ignore(payAll))))
      const paid = (rows: ReadonlyArray<Settlement>) => Effect.andThen(payAll, bus.settle(rows))
      const pass = yield* grouped(paid, same, size)
      const end = yield* grouped(paid, same, { ...size, linger: Duration.times(STORE_LINGER, endLingers) })
      const settle = (rows: ReadonlyArray<Settlement>) =>
        rows.every((it) => it.publish.length === 0) ? end(rows) : pass(rows)
      const begin = yield* grouped(bus.begin, same, size)
      const saveRaws = yield* grouped(pages.saveRaws, same, size)
      const saveArticles = yield* grouped(pages.saveArticles, byRow, size)
      const enqueue = yield* grouped(frontier.enqueue, byRow, size)
      return Bus.context({ ...bus, begin: (receipts) => unharmed(begin(receipts)), settle }).pipe(
        Context.add(Pages, {
          ...pages,
          saveRaws,
          saveOutcomes: outcomes.owe,
          saveValidators: validators.owe,
          saveArticles
        }),
        Context.add(Signals, { record: record.owe }),
        Context.add(Frontier, { ...frontier, enqueue })
      )
    })
  )
