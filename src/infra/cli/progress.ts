import { Effect, type Scope } from "effect"

/** What a running crawl has done so far. */
export interface Tally {
  readonly pages: number
  readonly articles: number
  readonly queue: number
}

/** Several times a second reads as motion; more only costs. */
const EVERY = "200 millis"
/** A rate over less than this says nothing yet, ms. */
const RATE_AFTER = 500

const ERASE = "\r\u001b[2K"

/** `12 articles · 40 pages · 8.1 pages/s · 120 queued`, cut to the terminal's width. */
export const progressText = ({ pages, articles, queue }: Tally, elapsedMs: number, columns: number): string => {
  const rate = elapsedMs < RATE_AFTER ? "-" : ((pages * 1000) / elapsedMs).toFixed(1)
  return `${articles} articles · ${pages} pages · ${rate} pages/s · ${queue} queued`.slice(0, Math.max(0, columns - 1))
}

export interface ProgressOptions {
  readonly terminal: boolean
  readonly columns: () => number
  readonly write: (text: string) => void
  readonly tally: Effect.Effect<Tally>
  readonly now: Effect.Effect<number>
}

/**
 * A progress line on a terminal, redrawn in place and erased when the scope closes; nothing elsewhere. Returns a writer for
 * log lines, which lifts the progress line out of their way.
 */
export const progress = (options: ProgressOptions): Effect.Effect<(line: string) => void, never, Scope.Scope> => {
  const { columns, now, tally, terminal, write } = options
  if (!terminal) return Effect.succeed(write)
  return Effect.gen(function* () {
    const begun = yield* now
    let shown = ""
    const draw = Effect.gen(function* () {
      const counted = yield* tally
      shown = progressText(counted, (yield* now) - begun, columns())
      write(`${ERASE}${shown}`)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(draw, Effect.sleep(EVERY))))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (shown !== "") write(ERASE)
        shown = ""
      })
    )
    return (line: string) => write(shown === "" ? line : `${ERASE}${line}${shown}`)
  })
}
