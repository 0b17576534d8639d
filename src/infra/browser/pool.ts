import { Context, Duration, Effect, Layer, Semaphore } from "effect"
import { Retryable } from "../../domain/errors.ts"
import { Settings } from "../config.ts"
import { Guard } from "../guard.ts"
import { type Chromium, memoryOf, startChromium } from "./process.ts"
import { guardProxy } from "./proxy.ts"

/** Memory is looked at after so many pages: it costs some milliseconds. */
const WEIGHED_EVERY = 5

/** One Chromium in use: retired, it takes no page more and ends with its last one. */
interface Running {
  readonly chromium: Chromium
  pages: number
  open: number
  retired: boolean
}

/** Chromium behind the guard, started when a page needs it. */
export class Browsers extends Context.Service<
  Browsers,
  {
    /** A browser for one page; `broken` after the use: it is not to be trusted with another one. */
    readonly use: <A, E>(
      work: (chromium: Chromium, broken: () => void) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | Retryable>
    /** Connections that the guard refused. */
    readonly refused: () => number
    /** false: Chromium did not start the last time it was tried. */
    readonly usable: () => boolean
    /** How often Chromium was started. */
    readonly started: () => number
  }
>()("crawler/Browsers") {}

interface Options {
  readonly start: () => Promise<Chromium>
  readonly pagesMax: number
  readonly bytesMax: number
  readonly idleMs: number
}

/** The Chromiums of this process: one takes pages, retired ones finish theirs. */
class Pool {
  started = 0
  usable = true
  readonly #all = new Set<Running>()
  #current: Running | null = null
  #starting: Promise<Running> | null = null
  #idle: ReturnType<typeof setTimeout> | undefined
  readonly #options: Options
  constructor(options: Options) {
    this.#options = options
  }

  async take(): Promise<Running> {
    clearTimeout(this.#idle)
    this.#starting = this.#current === null ? (this.#starting ?? this.#start()) : null
    const it = this.#current ?? (await this.#starting)
    if (it === null) throw new Error("no browser")
    it.open += 1
    it.pages += 1
    if (it.pages >= this.#options.pagesMax) this.retire(it)
    return it
  }
  async give(it: Running): Promise<void> {
    it.open -= 1
    if (it.pages % WEIGHED_EVERY === 0 && memoryOf(it.chromium.pid) > this.#options.bytesMax) this.retire(it)
    if (it.open > 0) return
    if (it.retired) return this.#end(it)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#sleep(it), this.#options.idleMs)
    this.#idle.unref()
  }
  retire(it: Running): void {
    it.retired = true
    if (this.#current === it) this.#current = null
  }
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await Promise.all([...this.#all].map((it) => this.#end(it)))
  }

  #sleep(it: Running): void {
    if (it.open > 0) return
    this.retire(it)
    void this.#end(it)
  }
  async #start(): Promise<Running> {
    try {
      const it: Running = { chromium: await this.#options.start(), pages: 0, open: 0, retired: false }
      this.started += 1
      this.usable = true
      this.#all.add(it)
      this.#current = it
      it.chromium.browser.once("disconnected", () => this.retire(it))
      return it
    } catch (error) {
      this.usable = false
      throw error
    } finally {
      this.#starting = null
    }
  }
  async #end(it: Running): Promise<void> {
    this.retire(it)
    await it.chromium.end()
    this.#all.delete(it)
  }
}

const unstarted = (error: unknown) =>
  new Retryable({ code: "browser", message: `Chromium did not start: ${String(error).slice(0, 500)}` })

const make = (path: string) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const proxy = yield* guardProxy(yield* Guard, settings.FETCH_CONNECT_TIMEOUT)
    const flags = { sandbox: settings.BROWSER_SANDBOX, proxyPort: proxy.port }
    const permits = Semaphore.makeUnsafe(settings.BROWSER_PAGES)
    const pool = new Pool({
      start: () => startChromium(path, flags),
      pagesMax: settings.BROWSER_RECYCLE_PAGES,
      bytesMax: settings.BROWSER_RECYCLE_BYTES,
      idleMs: Duration.toMillis(settings.BROWSER_IDLE)
    })
    yield* Effect.addFinalizer(() => Effect.promise(() => pool.close()))
    const take = Effect.tryPromise({ try: () => pool.take(), catch: unstarted })
    return Browsers.of({
      use: (work) =>
        permits.withPermit(
          Effect.acquireUseRelease(
            take,
            (it) => work(it.chromium, () => pool.retire(it)),
            (it) => Effect.promise(() => pool.give(it))
          )
        ),
      refused: proxy.refused,
      usable: () => pool.usable,
      started: () => pool.started
    })
  })

/** The Chromium at `path`: at most BROWSER_PAGES pages at once; started anew after so many pages or so much memory. */
export const layer = (path: string): Layer.Layer<Browsers, never, Guard | Settings> =>
  Layer.effect(Browsers, make(path))
