import { Duration, Effect, Layer, Queue, Schedule } from "effect"
import { Fatal } from "../domain/errors.ts"
import { Policy } from "../domain/policy.ts"
import { Reader } from "../domain/ports.ts"
import type { Hints, Reading } from "../domain/reading.ts"
import type { ParsingRule } from "../domain/rule.ts"
import { Settings } from "./config.ts"
import { remembered } from "./reader.memo.ts"
import type { FromReader, ToReader } from "./reader.protocol.ts"
import { rulesFor } from "./reader.ruled.ts"

/**
 * A reader's thread and whoever waits for its next message. Its listeners are set once, for its life: listeners that change with
 * each page can be freed under the runtime's collector while it looks at them, which ends the process.
 */
class Thread {
  // The executable has the thread as an entry point of its own, under this very path.
  readonly worker = new Worker(new URL("./reader.entry.ts", import.meta.url).href)
  waiting: ((message: Effect.Effect<FromReader, Fatal>) => void) | null = null

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<FromReader>) => this.waiting?.(Effect.succeed(data))
    this.worker.onerror = (event) => {
      event.preventDefault()
      const message = `reading ended its thread: ${event.message}`
      this.waiting?.(Effect.fail(new Fatal({ code: "reader_limit", message })))
    }
  }
}

/** A thread that is to take another's place and does not load is tried again: else its readers would become fewer, down to none. */
const again = Schedule.spaced(Duration.seconds(1))
const told = ({ message }: Fatal) => Effect.logError(`a reader does not load, tried again: ${message}`)

/** The thread's next message, or how it ended. */
const next = (thread: Thread): Effect.Effect<FromReader, Fatal> =>
  Effect.callback<FromReader, Fatal>((resume) => {
    thread.waiting = resume
  })

const ask = (thread: Thread, question: ToReader): Effect.Effect<Reading, Fatal> =>
  Effect.suspend(() => {
    // A copy that changes hands: cloning a view would copy all of the buffer it looks at. (A Buffer's own `slice` is no
    // copy: its memory, and that of all its neighbours, would go with it.)
    const body = new Uint8Array(question.body)
    thread.worker.postMessage({ ...question, body }, [body.buffer])
    return next(thread)
  }).pipe(Effect.flatMap((it) => (it.tag === "read" ? Effect.succeed(it.reading) : ask(thread, question))))

/**
 * Reads in `parser:N` threads. A page over READER_TIMEOUT, or one that ends its thread, is Fatal `reader_limit`; its thread
 * is replaced, and the other pages never notice.
 */
export const layer = Layer.effect(
  Reader,
  Effect.gen(function* () {
    const { READER_MEMO, READER_TIMEOUT } = yield* Settings
    const { readers } = yield* Policy
    const ruleOf = yield* rulesFor
    const idle = yield* Queue.bounded<Thread>(readers)
    const all = new Set<Thread>()
    const scope = yield* Effect.scope
    const drop = (thread: Thread) => {
      all.delete(thread)
      thread.worker.terminate()
    }
    /** A thread takes pages once it has loaded, so that no page pays for that. */
    const add = Effect.gen(function* () {
      const thread = new Thread()
      all.add(thread)
      yield* Effect.tapError(next(thread), () => Effect.sync(() => drop(thread)))
      yield* Queue.offer(idle, thread)
    })
    const replace = (thread: Thread) =>
      Effect.andThen(
        Effect.sync(() => drop(thread)),
        Effect.forkIn(Effect.retry(Effect.tapError(add, told), again), scope)
      )
    yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach(drop)))
    yield* Effect.forEach(Array.from({ length: readers }), () => Effect.orDie(add), { concurrency: "unbounded" })

    const late = (url: string) =>
      new Fatal({ code: "reader_limit", message: `reading ${url} took more than READER_TIMEOUT` })
    const read = (_id: string, body: Uint8Array, hints: Hints, given?: ParsingRule | null) =>
      // The store of rules is no part of a page's time, and no thread waits for it.
      Effect.flatMap(ruleOf(hints, given), (rule) =>
        Effect.acquireUseRelease(
          Queue.take(idle),
          (thread) =>
            Effect.timeoutOrElse(ask(thread, { body, hints, rule }), {
              duration: READER_TIMEOUT,
              orElse: () => Effect.fail(late(hints.url))
            }),
          // An interrupted thread still works on the old page, so it is replaced like one that failed.
          (thread, exit): Effect.Effect<unknown> =>
            exit._tag === "Success" ? Queue.offer(idle, thread) : replace(thread)
        )
      )
    return Reader.of({ read: remembered(read, READER_MEMO) })
  })
)
