import { expect } from "bun:test"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { AiJobs, Model } from "../../src/domain/ai/ports.ts"
import { subjectOf } from "../../src/domain/learning/asking.ts"
import type { Proposal } from "../../src/domain/learning/proposal.ts"
import { Frontier, Pages } from "../../src/domain/ports.ts"
import { ParsingRules, type RulingInput } from "../../src/domain/ruling.ts"
import * as ai from "../../src/infra/jobs.memory.ts"
import * as ledger from "../../src/infra/ledger.memory.ts"
import * as pages from "../../src/infra/pages.memory.ts"
import * as rules from "../../src/infra/parsingrules.memory.ts"
import * as prompts from "../../src/infra/prompts.embedded.ts"
import * as reader from "../../src/infra/reader.inline.ts"
import * as urls from "../../src/infra/urls.memory.ts"
import { pipeline } from "../../src/streams/topology.ts"
import { worker } from "../../src/streams/worker.ts"
import { aiPolicy, aiWorld, newJob } from "../support/ai.ts"
import { rawBody } from "../support/conformance/pages.ts"
import { effect } from "../support/effect.ts"
import { seed } from "../support/pipeline.ts"
import { settings, world } from "../support/world.ts"

const host = "news.example"
const place = (css: string) => ({ css, attribute: null })
const good: Proposal = {
  title: place("h1.headline"),
  main_content: place("div.story"),
  published_at: null,
  author: null
}
const bad: Proposal = { ...good, main_content: place("div.comments") }
const learning = { enabled: true, pages: 8, driftPages: 20 }

const storyAt = (at: number, box = "story"): string => {
  const text = Array.from(
    { length: 6 },
    (_, p) =>
      `<p>Paragraph ${p} of story ${at}: the council of district ${at * 7} voted on plan ${at + p} and told its people.</p>`
  ).join("")
  return `<!doctype html><html lang="en"><head><title>The council voted on plan ${at} today | Example News</title>
<meta property="og:type" content="article"><meta property="og:title" content="The council voted on plan ${at} today"></head><body>
<h1 class="headline">The council voted on plan ${at} today</h1><div class="${box}">${text}</div>
<div class="comments"><p>Readers of all districts say that this is what they have always said and will say again.</p></div></body></html>`
}
const raws = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const url = `https://${host}/news/2026/story-${at}`
    const more = { url, final_url: url, host, content_type: "text/html; charset=utf-8", expected: "article" as const }
    return rawBody(`raw${at}`, new TextEncoder().encode(storyAt(at)), { ...more, fetched_at: at })
  })

const own: RulingInput = {
  source_name: "own",
  host_pattern: host,
  target_type: "page",
  selectors: { title: { css: "h1.headline" }, main_content: { css: "div.story" } }
}

/** A model that proposes one rule after the other; what it was told is kept. */
const proposing = (script: ReadonlyArray<Proposal>, told: Array<string> = []) =>
  Layer.succeed(
    Model,
    Model.of({
      name: "stub",
      ask: ({ user }) =>
        Effect.sync(() => {
          told.push(user)
          const text = JSON.stringify(script[told.length - 1] ?? script.at(-1))
          return {
            answer: { text, finish: "stop", refusal: null },
            model: "stub-1",
            input_tokens: 100,
            output_tokens: 50
          }
        })
    })
  )

const story = <A, E>(
  script: ReadonlyArray<Proposal>,
  count: number,
  program: (told: Array<string>) => Effect.Effect<A, E, AiJobs | ParsingRules>,
  more: Partial<typeof learning> = {},
  before: Effect.Effect<unknown, unknown, ParsingRules> = Effect.void
) => {
  const told: Array<string> = []
  const stored = pages.layer().pipe(Layer.provide(urls.layer()))
  const all = Layer.mergeAll(aiWorld([], { learning: { ...learning, ...more } }), proposing(script, told), stored)
  return Effect.gen(function* () {
    yield* Effect.orDie(before)
    yield* (yield* Pages).saveRaws(raws(count))
    const fiber = yield* Effect.forkChild(worker)
    yield* (yield* AiJobs).enqueue([
      newJob(subjectOf(host, { tag: "missing", day: "1970-01-01" }), { type: "PARSING_RULE" })
    ])
    yield* TestClock.adjust("1 second")
    yield* program(told)
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(all.pipe(Layer.provide(settings()))))
}

const job = Effect.flatMap(AiJobs, (it) => it.find("1"))
const rulesNow = Effect.map(
  Effect.flatMap(ParsingRules, (it) => it.list),
  (all) => all.map((it) => [it.origin, it.version, it.enabled])
)

effect("a rule that reads pages it was not made from is enabled", () =>
  story([good], 13, (told) =>
    Effect.gen(function* () {
      expect((yield* job)?.status).toBe("SUCCESS")
      expect(yield* rulesNow).toEqual([["learned", 1, true]])
      expect(told.length).toBe(1)
      expect(Object.keys(JSON.parse(told[0] ?? "{}"))).toEqual(["page1", "page2", "page3", "feedback"])
    })
  )
)

effect("a bad rule stays disabled, the model is told why, and its next one is enabled", () =>
  story([bad, good], 13, (told) =>
    Effect.gen(function* () {
      expect([(yield* job)?.status, (yield* job)?.last_error_code]).toEqual(["RETRY_WAIT", "rule_refused"])
      expect(yield* rulesNow).toEqual([["learned", 1, false]])
      yield* TestClock.adjust("31 seconds")
      expect((yield* job)?.status).toBe("SUCCESS")
      expect(yield* rulesNow).toEqual([
        ["learned", 1, false],
        ["learned", 2, true]
      ])
      expect(JSON.parse(told[1] ?? "{}").feedback).toContain("main_content: wrong on 10 of 10 pages")
    })
  )
)

effect("a model that knows no better is asked three times, and no rule is enabled", () =>
  story([bad], 13, (told) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      expect([(yield* job)?.status, (yield* job)?.last_error_code, told.length]).toEqual(["FAILED", "rule_refused", 3])
      expect((yield* rulesNow).every(([, , enabled]) => enabled === false)).toBe(true)
    })
  )
)

effect("a learned rule that holds waits for the operator where one of his is in force", () =>
  story(
    [good],
    13,
    () =>
      Effect.gen(function* () {
        expect((yield* job)?.status).toBe("SUCCESS")
        expect(yield* rulesNow).toEqual([
          ["operator", 1, true],
          ["learned", 2, false]
        ])
      }),
    {},
    Effect.flatMap(ParsingRules, (it) => it.put([own], "test"))
  )
)

effect("too few stored pages make no rule, and cost no call", () =>
  story([good], 7, (told) =>
    Effect.gen(function* () {
      expect([(yield* job)?.status, (yield* job)?.last_error_code, told.length]).toEqual(["FAILED", "input_missing", 0])
      expect(yield* rulesNow).toEqual([])
    })
  )
)

effect("where learning is switched off a job stays where it is", () =>
  story(
    [good],
    13,
    (told) =>
      Effect.gen(function* () {
        expect([(yield* job)?.status, told.length]).toEqual(["PENDING", 0])
      }),
    { enabled: false }
  )
)

/** Crawls pages of one host with learning on; `box` is the class its texts stand in, page by page. */
const crawling = <A, E>(
  count: number,
  box: (at: number) => string,
  before: Effect.Effect<unknown, unknown, ParsingRules>,
  after: Effect.Effect<A, E, AiJobs | ParsingRules>
) => {
  const memory = new ai.AiMemory()
  const desk = Layer.mergeAll(
    ai.layerOf(memory),
    ledger.layerOf(memory),
    prompts.layer,
    aiPolicy({ enqueues: false, learning })
  )
  // The reader of the world knows no rules; this one asks the same store.
  const ruled = Layer.fresh(reader.layer).pipe(Layer.provideMerge(rules.layer), Layer.provide(settings()))
  const web = (url: string) => {
    const at = Number(/story-(\d+)$/.exec(url)?.[1] ?? 0)
    return storyAt(at, box(at))
  }
  return Effect.gen(function* () {
    yield* Effect.orDie(before)
    for (let at = 0; at < count; at += 1) {
      yield* (yield* Frontier).enqueue([seed(`https://${host}/news/2026/story-${at}`)])
      const chain = yield* Effect.forkChild(Stream.runDrain(pipeline))
      for (let turn = 0; turn < 50 && chain.pollUnsafe() === undefined; turn += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.join(chain)
    }
    return yield* after
  }).pipe(Effect.provide(Layer.merge(world(web), ruled).pipe(Layer.provideMerge(Layer.provide(desk, settings())))))
}

const asked = Effect.flatMap(AiJobs, (it) => it.list({ limit: 10 })).pipe(
  Effect.map((all) => all.map((it) => [it.type, it.article_id]))
)

effect("a host without a rule is asked about once, after enough of its articles", () =>
  crawling(
    20,
    () => "story",
    Effect.void,
    Effect.gen(function* () {
      expect(yield* asked).toEqual([["PARSING_RULE", `${host} missing:1970-01-01`]])
    })
  )
)

const learnt = Effect.gen(function* () {
  const rules = yield* ParsingRules
  const selectors = { title: { css: "h1.headline" }, main_content: { css: "div.story" } }
  const rule = yield* rules.propose({ source_name: host, host_pattern: host, selectors }, "test", {})
  yield* rules.enable(rule.id, true, "test")
})

effect("a learned rule whose pages agree stays", () =>
  crawling(
    25,
    () => "story",
    learnt,
    Effect.gen(function* () {
      expect(yield* asked).toEqual([])
      expect(yield* rulesNow).toEqual([["learned", 1, true]])
    })
  )
)

effect("a learned rule that drifted is disabled, and another is asked for", () =>
  crawling(
    17,
    (at) => (at < 10 ? "story" : "story-body-new"),
    learnt,
    Effect.gen(function* () {
      expect(yield* asked).toEqual([["PARSING_RULE", `${host} failed:1`]])
      expect(yield* rulesNow).toEqual([["learned", 1, false]])
    })
  )
)

effect("an operator's rule that no longer finds its text is never disabled; a rule is asked for", () =>
  crawling(
    10,
    () => "story-body-new",
    Effect.flatMap(ParsingRules, (it) => it.put([own], "test")),
    Effect.gen(function* () {
      expect(yield* asked).toEqual([["PARSING_RULE", `${host} failed:1`]])
      expect(yield* rulesNow).toEqual([["operator", 1, true]])
    })
  )
)
