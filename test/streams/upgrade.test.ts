import { expect } from "bun:test"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { CrawlJob, FetcherName } from "../../src/domain/crawl.ts"
import { Retryable } from "../../src/domain/errors.ts"
import { FetcherRules } from "../../src/domain/fetcherrules.ts"
import { Bus, Fetcher, Frontier, Pages } from "../../src/domain/ports.ts"
import { seedJob } from "../../src/domain/seed.ts"
import type { Outgoing } from "../../src/domain/topics.ts"
import { parseHttpUrl } from "../../src/domain/url.ts"
import { MemoryLearning } from "../../src/infra/fetcherrules.memory.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { effect } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"
import { world } from "../support/world.ts"

const host = "shell.example"
const storyAt = (at: number) => `https://${host}/news/2026/11/30/story-${at}`
const bare = "<!doctype html><html><head><title>Shell of a site</title></head><body><main></main></body></html>"
const marked =
  '<html><head><title>Shell</title></head><body><div id="root"></div><script src="/a.js"></script></body></html>'

interface Asked {
  readonly url: string
  readonly by: FetcherName
}
type Answer = (job: CrawlJob) => string | Retryable

/** A web whose pages depend on who asks; every question is noted. */
const fetching = (answer: Answer, asked: Array<Asked>, renders = true) =>
  Layer.succeed(
    Fetcher,
    Fetcher.of({
      renders,
      fetch: Effect.fnUntraced(function* (job: CrawlJob) {
        const now = yield* Clock.currentTimeMillis
        const by = job.fetcher
        asked.push({ url: job.target.url, by })
        const text = answer(job)
        if (typeof text !== "string") return yield* text
        const body = new TextEncoder().encode(text)
        const { url } = job.target
        const raw = {
          id: `${job.id}#${asked.length}`,
          url,
          final_url: url,
          host: job.host,
          status: 200,
          content_type: "text/html",
          fetcher: by === "browser" ? "browser" : "http",
          fetched_at: now,
          elapsed_ms: 1,
          bytes: body.length,
          truncated: false,
          hops: [],
          validators: { etag: null, last_modified: null }
        } as const
        return { raw, body }
      })
    })
  )

const seed = (url: string) => {
  const parsed = parseHttpUrl(url)
  if (parsed._tag === "Failure") throw new Error(parsed.failure.message)
  return seedJob(parsed.success, { type: "article", hops: 0, lists: false, category: null, visit: 0 }, 0)
}
const drained = Effect.gen(function* () {
  const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
  for (let turn = 0; turn < 5000 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
  yield* Fiber.join(chain)
})
const messageOf = (job: CrawlJob, headers: Readonly<Record<string, string>>): Outgoing => ({
  id: `outside ${job.id}`,
  topic: "crawl.high",
  key: job.host,
  occurred_at: 0,
  attempt: 0,
  trace_id: "t",
  headers,
  payload: job,
  not_before: 0
})

const run = <A, E>(
  answer: Answer,
  program: Effect.Effect<
    A,
    E,
    Bus | FetcherRules | Frontier | MemoryLearning | Pages | Layer.Success<ReturnType<typeof world>>
  >,
  options: { readonly renders?: boolean; readonly asked?: Array<Asked> } = {}
) => {
  const services = Layer.merge(
    world(() => ""),
    fetching(answer, options.asked ?? [], options.renders)
  )
  return Effect.provide(program, services)
}
const crawl = (urls: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* (yield* Frontier).enqueue(urls.map(seed))
    yield* drained
    return yield* (yield* Pages).articles({ limit: 100 })
  })
const stories = Array.from({ length: 8 }, (_, at) => storyAt(at))
const byScript: Answer = (job) => (job.fetcher === "browser" ? articlePage(`Story told at ${job.target.url}`) : bare)

effect("a host whose articles come empty five times gets a browser, and its failed pages become articles", () => {
  const asked: Array<Asked> = []
  const program = Effect.gen(function* () {
    const articles = yield* crawl(stories)
    expect(articles.map((it) => it.url).sort()).toEqual(stories)
    expect(new Set(articles.map((it) => it.fetcher))).toEqual(new Set(["browser"]))
    expect(yield* (yield* FetcherRules).of(host)).toMatchObject({
      fetcher: "browser",
      reason: "auto_upgrade_validation"
    })
    const { audit, republishes } = yield* MemoryLearning
    expect(audit.map((it) => it.action)).toEqual(["fetcher_rule.auto_upgrade"])
    expect([...republishes.values()].every((it) => it.closed)).toBe(true)
    // Each page by HTTP at most once and by the browser exactly once: nothing is fetched in a circle.
    expect(
      asked
        .filter((it) => it.by === "browser")
        .map((it) => it.url)
        .sort()
    ).toEqual(stories)
    expect(asked.filter((it) => it.by !== "browser").length).toBeGreaterThanOrEqual(5)
  })
  return run(byScript, program, { asked })
})

effect("four failures lead to nothing", () =>
  run(
    byScript,
    Effect.gen(function* () {
      expect(yield* crawl(stories.slice(0, 4))).toEqual([])
      expect(yield* (yield* FetcherRules).of(host)).toBeNull()
      expect((yield* MemoryLearning).failures.size).toBe(4)
    })
  )
)

effect("resets, 429 and 503 never count", () => {
  const codes = ["network", "http_429", "http_5xx"] as const
  let turn = 0
  const answer: Answer = () => {
    turn += 1
    return new Retryable({ code: codes[turn % 3] ?? "network", message: "trouble" })
  }
  const program = Effect.gen(function* () {
    yield* crawl(stories)
    expect(yield* (yield* FetcherRules).of(host)).toBeNull()
    expect((yield* MemoryLearning).failures.size).toBe(0)
  })
  return run(answer, program)
})

effect("a page with markers is fetched by the browser at once, and its host keeps no rule", () => {
  const asked: Array<Asked> = []
  const answer: Answer = (job) => (job.fetcher === "browser" ? articlePage("Story behind a root") : marked)
  const program = Effect.gen(function* () {
    expect((yield* crawl([storyAt(1)])).map((it) => it.fetcher)).toEqual(["browser"])
    expect(asked.map((it) => it.by)).toEqual(["auto", "browser"])
    expect(yield* (yield* FetcherRules).of(host)).toBeNull()
  })
  return run(answer, program, { asked })
})

effect("where the browser fails, the plain page is what there is; without one it is not asked", () => {
  const asked: Array<Asked> = []
  const crash = new Retryable({ code: "browser", message: "crashed" })
  const program = Effect.gen(function* () {
    yield* crawl([storyAt(1)])
    expect((yield* MemoryLearning).failures.size).toBe(1)
  })
  const absent: Array<Asked> = []
  return Effect.gen(function* () {
    yield* run((job) => (job.fetcher === "browser" ? crash : marked), program, { asked })
    expect(asked.map((it) => it.by)).toEqual(["auto", "browser"])
    yield* run(() => marked, program, { asked: absent, renders: false })
    expect(absent.map((it) => it.by)).toEqual(["auto"])
  })
})

effect("a rule decides, whatever the job says of itself", () => {
  const asked: Array<Asked> = []
  const program = Effect.gen(function* () {
    const rules = yield* FetcherRules
    yield* rules.set({ host, fetcher: "http", reason: null, actor: "operator" })
    const { job } = seed(storyAt(1))
    yield* (yield* Bus).publish([messageOf({ ...job, fetcher: "browser" }, {})])
    yield* drained
    yield* rules.set({ host, fetcher: "browser", reason: null, actor: "operator" })
    yield* crawl([storyAt(2)])
    expect(asked.map((it) => it.by)).toEqual(["http", "browser"])
  })
  return run(() => articlePage("Story by rule alone"), program, { asked })
})

effect("a forged, borrowed or replayed force_fetcher is dropped and audited; the job runs by its rule", () => {
  const asked: Array<Asked> = []
  const program = Effect.gen(function* () {
    yield* crawl(stories)
    const rules = yield* FetcherRules
    yield* rules.set({ host, fetcher: "http", reason: "again", actor: "operator" })
    const { audit, republishes } = yield* MemoryLearning
    const [done] = republishes.keys()
    asked.splice(0)
    const { job } = seed(storyAt(0))
    const forged = [
      messageOf({ ...job, id: "invented" }, { force_fetcher: "browser" }),
      messageOf({ ...seed(storyAt(3)).job, id: done ?? "" }, { force_fetcher: "chromedp" }),
      messageOf({ ...job, id: "third" }, { force_fetcher: "rm -rf" })
    ]
    yield* (yield* Bus).publish(forged)
    yield* drained
    expect(asked.slice(0, 3).map((it) => it.by)).toEqual(["http", "http", "http"])
    const refused = audit.filter((it) => it.action === "force_fetcher.rejected").map((it) => it.facts.reason)
    expect(refused.sort()).toEqual(["malformed", "mismatch", "unknown"])
  })
  return run(byScript, program, { asked })
})

effect("a browser's own empty pages change no rule and are alerted once per threshold", () => {
  const program = Effect.gen(function* () {
    yield* (yield* FetcherRules).set({ host, fetcher: "browser", reason: "by hand", actor: "operator" })
    yield* crawl(stories)
    const { audit, republishes } = yield* MemoryLearning
    expect(audit.map((it) => it.action)).toEqual(["fetcher_rule.set", "fetcher_rule.alert"])
    expect(republishes.size).toBe(0)
    expect(yield* (yield* FetcherRules).of(host)).toMatchObject({ fetcher: "browser", reason: "by hand" })
  })
  return run(() => bare, program)
})
