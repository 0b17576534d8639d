import { describe, expect } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Result } from "effect"
import { Pages, type RawBody } from "../../src/domain/ports.ts"
import { parseArguments } from "../../src/infra/cli/arguments.ts"
import { type Operating, operate } from "../../src/infra/cli/operate.ts"
import { Output } from "../../src/infra/cli/output.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as local from "../../src/infra/control.local.ts"
import { localOrRemote } from "../../src/infra/control.remote.ts"
import { Control } from "../../src/infra/control.ts"
import { Database } from "../../src/infra/database.ts"
import { store } from "../../src/program/store.ts"
import { live } from "../support/effect.ts"
import { articlePage } from "../support/pages.ts"

/** The embedded store in a directory of its own: opening it takes seconds, so one test tells one story. */
const opened = Effect.gen(function* () {
  const dir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "store-"))),
    (it) => Effect.sync(() => rmSync(it, { recursive: true, force: true }))
  )
  const settings = Layer.succeed(Settings, Result.getOrThrow(load({ CRAWLER_DATA_DIR: dir })))
  const control = local.layer("0.1.0").pipe(Layer.provideMerge(store), Layer.provideMerge(settings))
  return { dir, control, context: yield* Layer.build(control) }
})

describe("control over the embedded store", () => {
  live("enqueues, explains, lists hosts and answers SQL", () =>
    Effect.gen(function* () {
      const { context, control, dir } = yield* opened
      const it = yield* Effect.provideContext(Control, context)
      const database = yield* Effect.provideContext(Database, context)
      expect(yield* it.enqueue({ urls: ["https://a.kr/1", "https://a.kr/2"], category: "economy" })).toMatchObject({
        accepted: 2
      })
      expect((yield* it.status({})).backlog.find((row) => row.topic === "crawl.high")).toMatchObject({
        ready: 1,
        later: 1
      })

      const before = yield* it.explain({ url: "https://a.kr/1" })
      expect(before.priority).toEqual({ value: "high", by: "category" })
      expect(before.history.map((event) => event.event).sort()).toEqual(["first_seen", "waiting"])
      yield* database.query(
        "insert into fetcher_rules (host_pattern, fetcher, reason) values ('a.kr', 'browser', 'by hand')"
      )
      yield* database.query(
        `insert into parsing_rules (source_name, host_pattern, path_pattern, target_type, priority, selectors)
         values ('a', 'a.kr', '', 'page', 'high', '{}'), ('b', 'a.kr', '/1', 'page', null, '{}')`
      )
      yield* database.query(
        `insert into host_scoring_state (host, score, signals, window_minutes, calculated_at)
         values ('a.kr', 0.25, '{}', 60, now())`
      )
      const after = yield* it.explain({ url: "https://a.kr/1" })
      expect(after.fetcher).toEqual({ value: "browser", by: "fetcher_rules: by hand" })
      expect(after.rule).toMatchObject({ source_name: "b", path_pattern: "/1" })
      expect(after.priority).toEqual({ value: "normal", by: "score" })
      // The rule that reads the page states no priority; the router goes by the one that does.
      expect(after.chain.at(-1)).toMatchObject({ by: "rule", verdict: { value: "high" }, facts: { path: "" } })

      expect((yield* it["hosts.list"]({})).hosts).toMatchObject([
        { host: "a.kr", urls: 2, articles: 0, last_fetch_at: null }
      ])
      expect((yield* Effect.flip(it["hosts.show"]({ host: "b.kr" }))).code).toBe("not_found")
      yield* database.query(
        `insert into hosts (host, paused_until, breaker_open_until)
         values ('a.kr', now() - interval '1 minute', '2999-01-01T00:00:00Z')`
      )
      // A pause that is over is none; one that lasts is told.
      expect(yield* it["hosts.show"]({ host: "a.kr" })).toMatchObject({
        paused_until: null,
        breaker_open_until: "2999-01-01T00:00:00Z"
      })

      const { rows } = yield* it.sql({
        text: "select 1 as n, 9007199254740993::bigint as big, '\\x01ff'::bytea as bytes, null as none, date '2026-02-28' as day, '{\"a\":[1]}'::jsonb as doc"
      })
      expect(rows).toEqual([
        { n: 1, big: "9007199254740993", bytes: "01ff", none: null, day: "2026-02-28T00:00:00.000Z", doc: { a: [1] } }
      ])
      expect((yield* it.sql({ text: "select ';' as a, $$;$$ as b, E'\\';' as c -- ; begin" })).rows).toEqual([
        { a: ";", b: ";", c: "';" }
      ])
      const wrong = yield* Effect.flip(it.sql({ text: "selec 1" }))
      expect([wrong.code, wrong.message]).toMatchObject(["invalid", expect.stringContaining("syntax error")])
      for (const text of [
        "begin",
        "commit",
        "SET timezone = 'Asia/Seoul'",
        "select 1; select 2",
        "select set_config('search_path', 'x', false)",
        "/* x */ begin",
        "",
        "-- x"
      ]) {
        expect((yield* Effect.flip(it.sql({ text }))).code).toBe("invalid")
      }
      expect((yield* it.sql({ text: "update hosts set rating = 1 where host = 'none'" })).count).toBe(0)

      // The data dir is held by this very test: a second opener is refused as busy, and says by whom.
      const busy = yield* Effect.flip(Effect.provide(Control, Layer.fresh(control)))
      expect(busy).toMatchObject({ exit: 75 })
      expect(localOrRemote(dir, control)).toBeDefined()
    })
  )

  live("shows, replays and drops dead letters", () =>
    Effect.gen(function* () {
      const { context } = yield* opened
      const it = yield* Effect.provideContext(Control, context)
      const database = yield* Effect.provideContext(Database, context)
      const envelope = JSON.stringify({
        id: "job.0",
        topic: "crawl.normal",
        key: "a.kr",
        occurred_at: 1,
        attempt: 6,
        trace_id: "",
        headers: {},
        payload: { target: { url: "https://a.kr/1" } }
      })
      yield* database.query(
        `insert into dead_letters (id, topic, key, stage, code, message, bytes, attempts, at) values
         ('job.0~fetcher', 'crawl.normal', 'a.kr', 'fetcher', 'exhausted', 'm', $1, 6, now()),
         ('bad.0~bus', 'crawl.low', 'b.kr', 'bus', 'decode', 'm', 'AAECAw==', 1, now() - interval '1 hour')`,
        [envelope]
      )
      const { letters } = yield* it["dlq.list"]({})
      expect(letters.map((row) => [row.id, row.url])).toEqual([
        ["job.0~fetcher", "https://a.kr/1"],
        ["bad.0~bus", null]
      ])
      expect((yield* it["dlq.list"]({ topic: "crawl.low" })).letters).toHaveLength(1)
      expect((yield* it["dlq.show"]({ id: "job.0~fetcher" })).bytes).toBe(envelope)
      const replayed = yield* it["dlq.replay"]({ ids: ["job.0~fetcher", "bad.0~bus", "none"] })
      expect(replayed.changed).toBe(1)
      expect(replayed.refused.map((row) => row.id).sort()).toEqual(["bad.0~bus", "none"])
      expect((yield* it.status({})).backlog.find((row) => row.topic === "crawl.normal")).toMatchObject({ ready: 1 })
      expect(yield* it["dlq.drop"]({ ids: ["bad.0~bus", "none"] })).toEqual({
        changed: 1,
        refused: [{ id: "none", why: "there is no such dead letter" }]
      })
      expect((yield* it["dlq.list"]({})).letters).toEqual([])
    })
  )

  live("has a command say which dead letters there are not, and end as with any id that names nothing", () =>
    Effect.gen(function* () {
      const { context } = yield* opened
      const notes: Array<string> = []
      const output = { line: () => Effect.void, note: (text: string) => Effect.sync(() => void notes.push(text)) }
      const exits = yield* Effect.forEach(["drop", "replay"], (verb) => {
        const parsed = Result.getOrThrow(parseArguments(["dlq", verb, "none"], []))
        if (parsed.tag !== "command") throw new Error("help")
        return operate(parsed.command as Operating, []).pipe(
          Effect.provideService(Output, output),
          Effect.provideContext(context)
        )
      })
      expect(exits).toEqual(["nothing", "nothing"])
      expect(notes).toEqual(["none: there is no such dead letter", "none: there is no such dead letter"])
    })
  )

  live("reads stored pages again, and tries a rule on them", () =>
    Effect.gen(function* () {
      const { context } = yield* opened
      const it = yield* Effect.provideContext(Control, context)
      const pages = yield* Effect.provideContext(Pages, context)
      const now = Date.now()
      const stories = Array.from({ length: 3 }, (_, at) => `https://a.kr/news/${at}`)
      const page = (url: string, version: number): RawBody => {
        const body = new TextEncoder().encode(
          articlePage(`Council votes on bridge ${url.slice(-1)}`).replace(
            "<article>",
            "<div class=ad>Buy this</div><article>"
          )
        )
        const raw = { id: `${url.slice(-1)}.${version}`, url, final_url: url, host: "a.kr", status: 200 }
        const rest = { content_type: "text/html", fetcher: "http", elapsed_ms: 1, truncated: false, hops: [] } as const
        const validators = { etag: null, last_modified: null }
        const fetched_at = now - 10_000 + version
        return { body, raw: { ...raw, ...rest, validators, fetched_at, bytes: body.length, expected: "article" } }
      }
      yield* pages.saveRaws([...stories.map((url) => page(url, 1)), ...stories.slice(1).map((url) => page(url, 2))])
      const waiting = Effect.map(
        it.status({}),
        ({ backlog }) => backlog.find((row) => row.topic === "fetched")?.ready ?? 0
      )

      expect(yield* it.reparse({ host: "a.kr" })).toMatchObject({ sent: 3, superseded: 2, truncated: 0 })
      expect(yield* waiting).toBe(3)
      expect(yield* it.reparse({ raw: "1.2" })).toMatchObject({ sent: 1 })
      expect(yield* it.reparse({ raw: "1.1" })).toMatchObject({ sent: 0, superseded: 1 })
      expect(yield* it.reparse({ until: "2020-01-01" })).toMatchObject({ sent: 0 })
      expect(yield* it.reparse({ host: "a.kr", limit: 2 })).toMatchObject({ sent: 2 })
      expect(yield* waiting).toBe(6)
      expect((yield* Effect.flip(it.reparse({ raw: "none" }))).code).toBe("not_found")
      expect((yield* Effect.flip(it.reparse({}))).code).toBe("invalid")

      const rule = { source_name: "a", host_pattern: "a.kr", target_type: "page" } as const
      const good = { ...rule, selectors: { title: { css: "h1" }, main_content: { css: "article p", multi: true } } }
      const tried = yield* it["parsing-rules.test"]({ rule: good })
      expect(tried.pages).toHaveLength(3)
      expect(tried.pages.every((one) => one.holds)).toBe(true)
      expect(tried.pages[0]?.fields.find((one) => one.field === "title")?.ruled).toStartWith("Council votes on bridge")
      const bad = { ...rule, selectors: { title: { css: ".ad" }, main_content: { css: ".ad" } } }
      const fallen = yield* it["parsing-rules.test"]({ rule: bad, raw: "0.1" })
      expect(fallen.pages.map((one) => one.holds)).toEqual([false])
      expect(fallen.pages[0]?.fields.find((one) => one.field === "title")?.ruled).toBe("Buy this")
      const absent = { ...rule, selectors: { title: { css: "h7" }, main_content: { css: "article p", multi: true } } }
      const unfound = yield* it["parsing-rules.test"]({ rule: absent, raw: "0.1" })
      expect(unfound.pages[0]?.fields.find((one) => one.field === "title")?.ruled).toBeNull()
      expect(unfound.reasons[0]).toBe('title: "h7" finds nothing on 1 of 1 pages')
      yield* it["parsing-rules.set"]({ rules: [good] })
      const [stored] = (yield* it["parsing-rules.list"]({})).rules
      expect((yield* it["parsing-rules.test"]({ id: stored?.id ?? "", limit: 1 })).pages).toHaveLength(1)
      const broken = { ...rule, selectors: { title: { css: "h1[" } } }
      expect((yield* Effect.flip(it["parsing-rules.test"]({ rule: broken }))).code).toBe("invalid")
      expect((yield* Effect.flip(it["parsing-rules.test"]({ rule: good, host: "b.kr" }))).code).toBe("not_found")
    })
  )
})
