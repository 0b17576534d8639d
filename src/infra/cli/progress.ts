import { Clock, Effect, Metric, type Scope } from "effect"
import { articles, stageMessages } from "../../domain/metrics.ts"
import { Bus } from "../../domain/ports.ts"

/** What a crawl has done so far. */
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

/**
 * Standard error of a terminal: whole lines, and below them one line that is redrawn in place. Where there is no terminal
 * the lines alone are written.
 */
export class Screen {
  private shown = ""

  constructor(
    private readonly write: (text: string) => void,
    readonly terminal: boolean,
    readonly columns: () => number
  ) {}

  /** A line of its own (it ends itself); the status line gives way and comes back below. */
  readonly line = (text: string): void => this.write(this.shown === "" ? text : `${ERASE}${text}${this.shown}`)

  readonly show = (status: string): void => {
    if (!this.terminal || status === this.shown) return
    this.write(`${this.shown === "" ? "" : ERASE}${status}`)
    this.shown = status
  }

  readonly clear = (): void => {
    if (this.shown !== "") this.write(ERASE)
    this.shown = ""
  }
}

/** The screen of this process: logs write their lines through it, so that progress and logs never mix. */
export const screen = new Screen(
  (text) => void process.stderr.write(text),
  process.stderr.isTTY === true,
  () => process.stderr.columns ?? 80
)

/** `12 articles · 40 pages · 8.1 pages/s · 120 queued`, cut to the terminal's width. */
export const progressText = ({ pages, articles: found, queue }: Tally, elapsedMs: number, columns: number): string => {
  const rate = elapsedMs < RATE_AFTER ? "-" : ((pages * 1000) / elapsedMs).toFixed(1)
  return `${found} articles · ${pages} pages · ${rate} pages/s · ${queue} queued`.slice(0, Math.max(0, columns - 1))
}

/** Counted by the pipeline's own metrics; the queue is what the bus holds. */
export const tally: Effect.Effect<Tally, never, Bus> = Effect.gen(function* () {
  const pages = yield* Metric.value(stageMessages("fetcher", "done"))
  const found = yield* Effect.forEach(["new", "revision"] as const, (it) => Metric.value(articles(it)))
  const backlog = yield* Effect.flatMap(Bus, (it) => Effect.orElseSucceed(it.backlog, () => []))
  return {
    pages: pages.count,
    articles: found.reduce((sum, it) => sum + it.count, 0),
    queue: backlog.reduce((sum, it) => sum + it.ready + it.later + it.leased, 0)
  }
})

/** Shows how far a crawl is until the scope closes; the line is gone afterwards. Does nothing without a terminal. */
export const progress = <R>(
  on: Screen,
  counted: Effect.Effect<Tally, never, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  on.terminal
    ? Effect.gen(function* () {
        const begun = yield* Clock.currentTimeMillis
        const draw = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          on.show(progressText(yield* counted, now - begun, on.columns()))
        })
        yield* Effect.addFinalizer(() => Effect.sync(on.clear))
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(draw, Effect.sleep(EVERY))))
      })
    : Effect.void
