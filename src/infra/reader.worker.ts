import { Effect, Layer, Queue } from "effect"
import { Fatal } from "../domain/errors.ts"
import { Policy } from "../domain/policy.ts"
import { Reader } from "../domain/ports.ts"
import type { Hints, Reading } from "../domain/reading.ts"
import type { ParsingRule } from "../domain/rule.ts"
import { Settings } from "./config.ts"
import { remembered } from "./reader.memo.ts"
import type { FromReader, ToReader } from "./reader.protocol.ts"
import { rulesFor } from "./reader.ruled.ts"

// The executable has the thread as an entry point of its own, under this very path.
const launch = () => new Worker(new URL("./reader.entry.ts", import.meta.url).href)

/** The thread's next message, or how it ended. */
const next = (worker: Worker): Effect.Effect<FromReader, Fatal> =>
  Effect.callback<FromReader, Fatal>((resume) => {
    worker.onmessage = ({ data }: MessageEvent<FromReader>) => resume(Effect.succeed(data))
    worker.onerror = (event) => {
      event.preventDefault()
      resume(Effect.fail(new Fatal({ code: "reader_limit", message: `reading ended its thread: ${event.message}` })))
    }
  })

const ask = (worker: Worker, question: ToReader): Effect.Effect<Reading, Fatal> =>
  Effect.suspend(() => {
    // A copy that changes hands: cloning a view would copy all of the buffer it looks at. (A Buffer's own `slice` is no
    // copy: its memory, and that of all its neighbours, would go with it.)
    const body = new Uint8Array(question.body)
    worker.postMessage({ ...question, body }, [body.buffer])
    return next(worker)
  }).pipe(Effect.flatMap((it) => (it.tag === "read" ? Effect.succeed(it.reading) : ask(worker, question))))

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
    const idle = yield* Queue.bounded<Worker>(readers)
    const all = new Set<Worker>()
    const scope = yield* Effect.scope
    /** A thread takes pages once it has loaded, so that no page pays for that. */
    const add = Effect.gen(function* () {
      const worker = launch()
      all.add(worker)
      yield* next(worker)
      yield* Queue.offer(idle, worker)
    })
    const drop = (worker: Worker) => {
      all.delete(worker)
      worker.terminate()
    }
    const replace = (worker: Worker) =>
      Effect.andThen(
        Effect.sync(() => drop(worker)),
        Effect.forkIn(Effect.orDie(add), scope)
      )
    yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach(drop)))
    yield* Effect.forEach(Array.from({ length: readers }), () => Effect.orDie(add), { concurrency: "unbounded" })

    const late = (url: string) =>
      new Fatal({ code: "reader_limit", message: `reading ${url} took more than READER_TIMEOUT` })
    const read = (_id: string, body: Uint8Array, hints: Hints, given?: ParsingRule | null) =>
      Effect.acquireUseRelease(
        Queue.take(idle),
        (worker) =>
          Effect.flatMap(ruleOf(hints, given), (rule) => ask(worker, { body, hints, rule })).pipe(
            Effect.timeoutOrElse({ duration: READER_TIMEOUT, orElse: () => Effect.fail(late(hints.url)) })
          ),
        // An interrupted thread still works on the old page, so it is replaced like one that failed.
        (worker, exit): Effect.Effect<unknown> =>
          exit._tag === "Success" ? Queue.offer(idle, worker) : replace(worker)
      )
    return Reader.of({ read: remembered(read, READER_MEMO) })
  })
)
