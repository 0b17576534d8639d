import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import type { CrawlJob } from "../../../src/domain/crawl.ts"
import { FetcherRules } from "../../../src/domain/fetcherrules.ts"
import { Bus } from "../../../src/domain/ports.ts"
import { type PageFailure, Upgrades } from "../../../src/domain/upgrade.ts"
import { live } from "../effect.ts"
import { job } from "../net.ts"

type Services = Bus | FetcherRules | Upgrades

const host = "shell.example"
const jobOf = (at: number): CrawlJob =>
  job(`https://${host}/story/${at}`, {
    id: `key${at}.0`,
    target: { url: `https://${host}/story/${at}`, type: "article", category: "politics" },
    priority: { value: "high", by: "category" }
  })
const failureOf = (at: number, over: Partial<PageFailure> = {}): PageFailure => ({
  raw_id: `raw${at}`,
  job: jobOf(at),
  fetcher: "http",
  reason: "parse",
  at: 1_000_000 + at * 1000,
  ...over
})
const cycle = { host, since: 0, max: 20, spacing_ms: 5000 }

/** The promises of FetcherRules and Upgrades, on any adapter. */
export const upgradesConformance = (name: string, layer: Layer.Layer<Services, unknown>) => {
  const sentence = (text: string, program: () => Effect.Effect<void, unknown, Services>) =>
    live(`${name}: ${text}`, () => Effect.provide(program(), layer))

  sentence("a rule is found by its exact host alone, and is none again after it was unset", () =>
    Effect.gen(function* () {
      const rules = yield* FetcherRules
      expect(yield* rules.of(host)).toBeNull()
      yield* rules.set({ host, fetcher: "browser", reason: "by hand", actor: "operator" })
      expect(yield* rules.of(host)).toMatchObject({ host, fetcher: "browser", reason: "by hand" })
      expect(yield* rules.of(`www.${host}`)).toBeNull()
      expect((yield* rules.list({ limit: 10 })).map((it) => it.host)).toEqual([host])
      expect(yield* rules.unset(host, "operator")).toBe(true)
      expect(yield* rules.of(host)).toBeNull()
      expect(yield* rules.unset(host, "operator")).toBe(false)
    })
  )

  sentence("of fifty workers that raise one host at once, one does, and each failed page is sent again once", () =>
    Effect.gen(function* () {
      const upgrades = yield* Upgrades
      for (let at = 0; at < 7; at += 1) yield* upgrades.note(failureOf(at))
      yield* upgrades.note(failureOf(3))
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => upgrades.upgrade(cycle)),
        { concurrency: 50 }
      )
      expect(answers.filter((it) => it.upgraded)).toEqual([{ upgraded: true, republished: 7 }])
      const backlog = yield* (yield* Bus).backlog
      const high = backlog.find((it) => it.topic === "crawl.high")
      expect((high?.ready ?? 0) + (high?.later ?? 0)).toBe(7)
      expect(yield* (yield* FetcherRules).of(host)).toMatchObject({
        fetcher: "browser",
        reason: "auto_upgrade_validation"
      })
    })
  )

  sentence("a cycle sends at most so many pages, the latest, each URL once, and stragglers within that bound", () =>
    Effect.gen(function* () {
      const upgrades = yield* Upgrades
      for (let at = 0; at < 30; at += 1) yield* upgrades.note(failureOf(at))
      yield* upgrades.note(failureOf(99, { job: jobOf(29) }))
      yield* upgrades.note(failureOf(98, { fetcher: "browser" }))
      const small = { ...cycle, max: 10 }
      expect(yield* upgrades.upgrade(small)).toEqual({ upgraded: true, republished: 10 })
      expect(yield* upgrades.straggler({ ...cycle, max: 11 }, failureOf(29, { raw_id: "again" }))).toBe(false)
      expect(yield* upgrades.straggler({ ...cycle, max: 11 }, failureOf(1))).toBe(true)
      expect(yield* upgrades.straggler({ ...cycle, max: 11 }, failureOf(2))).toBe(false)
      const row = yield* upgrades.authority("key28.r1.raw28")
      expect(row).toEqual({
        job_id: "key28.r1.raw28",
        url: jobOf(28).target.url,
        target_type: "article",
        fetcher: "browser",
        closed: false
      })
      expect(yield* upgrades.authority("key5.r1.raw5")).toBeNull()
    })
  )

  sentence("a browser host is never raised again; an http rule set by hand is, as another version", () =>
    Effect.gen(function* () {
      const upgrades = yield* Upgrades
      const rules = yield* FetcherRules
      yield* upgrades.note(failureOf(1))
      yield* rules.set({ host, fetcher: "browser", reason: null, actor: "operator" })
      expect(yield* upgrades.upgrade(cycle)).toEqual({ upgraded: false, republished: 0 })
      expect(yield* upgrades.straggler(cycle, failureOf(1))).toBe(false)
      yield* rules.set({ host, fetcher: "http", reason: "cheaper", actor: "operator" })
      expect(yield* upgrades.upgrade(cycle)).toEqual({ upgraded: true, republished: 1 })
      expect(yield* upgrades.authority("key1.r3.raw1")).not.toBeNull()
    })
  )

  sentence(
    "switched off, nothing is raised from that moment, and a browser host stays what it is; switched on, it goes on",
    () =>
      Effect.gen(function* () {
        const upgrades = yield* Upgrades
        yield* upgrades.note(failureOf(1))
        expect(yield* upgrades.allowed).toBe(true)
        expect(yield* upgrades.allow(true, "operator")).toBe(false)
        expect(yield* upgrades.allow(false, "operator")).toBe(true)
        expect(yield* upgrades.allow(false, "operator")).toBe(false)
        expect(yield* upgrades.allowed).toBe(false)
        expect(yield* upgrades.upgrade(cycle)).toEqual({ upgraded: false, republished: 0 })
        expect(yield* (yield* FetcherRules).of(host)).toBeNull()
        expect(yield* upgrades.allow(true, "operator")).toBe(true)
        expect(yield* upgrades.upgrade(cycle)).toEqual({ upgraded: true, republished: 1 })
        yield* upgrades.allow(false, "operator")
        expect(yield* upgrades.straggler(cycle, failureOf(2))).toBe(false)
        expect(yield* (yield* FetcherRules).of(host)).toMatchObject({ fetcher: "browser" })
      })
  )

  sentence("a republish is open until it is closed, once and for all", () =>
    Effect.gen(function* () {
      const upgrades = yield* Upgrades
      yield* upgrades.note(failureOf(1))
      yield* upgrades.upgrade(cycle)
      yield* upgrades.close("key1.r1.raw1")
      yield* upgrades.close("key1.r1.raw1")
      yield* upgrades.close("never there")
      expect((yield* upgrades.authority("key1.r1.raw1"))?.closed).toBe(true)
    })
  )
}
