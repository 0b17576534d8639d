import { describe, expect } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { announce, holder } from "../../src/infra/address-file.ts"
import * as health from "../../src/infra/api/health.ts"
import { Listening, layer as server } from "../../src/infra/api/server.ts"
import { ownToken } from "../../src/infra/api/tokens.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as local from "../../src/infra/control.local.ts"
import { client, localOrRemote } from "../../src/infra/control.remote.ts"
import { Control } from "../../src/infra/control.ts"
import { Refusal } from "../../src/infra/exit.ts"
import * as memory from "../../src/infra/store.memory.ts"
import { effect, live } from "../support/effect.ts"

const token = "a-token-made-for-this-very-run"
const settings = Result.getOrThrow(load({}))
const control = local
  .layer("0.1.0")
  .pipe(Layer.provideMerge(memory.layer()), Layer.provideMerge(Layer.succeed(Settings, settings)))
const running = server({
  host: "127.0.0.1",
  port: 0,
  version: "0.1.0",
  bodyBytesMax: 1_048_576,
  tokens: { admin: [token], read: [] },
  api: true
}).pipe(Layer.provideMerge(Layer.mergeAll(health.layer, control)))

const tempDir = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "control-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)
const held = Layer.effect(
  Control,
  Effect.fail(new Refusal({ exit: "busy", message: "CRAWLER_DATA_DIR ./data is in use by process 7" }))
)

describe("control over HTTP", () => {
  live("answers what the local one answers, with its types", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(running)
      const { address } = yield* Effect.provideContext(Listening, context)
      const here = yield* Effect.provideContext(Control, context)
      const there = client({ address, token, pid: process.pid })
      const added = yield* there["sources.add"]({ url: "https://a.kr/rss", every_ms: 60_000 })
      expect(yield* there["sources.show"]({ id: added.id })).toEqual(yield* here["sources.show"]({ id: added.id }))
      expect(yield* there["sources.update"]({ id: added.id, enabled: false })).toMatchObject({ enabled: false })
      const urls = ["https://a.kr/1?q=%ED%95%9C&x=1", "http://10.0.0.1/"]
      expect(yield* there.enqueue({ urls })).toMatchObject({ accepted: 1, rejected: [{ code: "address_refused" }] })
      expect(yield* there.explain({ url: urls[0]! })).toEqual(yield* here.explain({ url: urls[0]! }))
      expect(yield* there["articles.list"]({ limit: 3, html: true })).toEqual({ articles: [], next: null })
      expect((yield* there.status({})).backlog.find((it) => it.topic === "crawl.high")).toMatchObject({ ready: 1 })
    })
  )

  live("keeps the kind of a failure: nothing there, no form, no right, no answer", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(running)
      const { address } = yield* Effect.provideContext(Listening, context)
      const there = client({ address, token, pid: 1 })
      const code = <A>(work: Effect.Effect<A, { readonly code: string }>) =>
        Effect.map(Effect.flip(work), (it) => it.code)
      expect(yield* code(there["sources.show"]({ id: "none" }))).toBe("not_found")
      expect(yield* code(there["sources.show"]({ id: "../admin" }))).toBe("invalid")
      expect(yield* code(there["sources.add"]({ url: "https://a.kr/", cron: "x" }))).toBe("invalid")
      expect(yield* code(there["sources.add"]({ url: "https://a.kr/", max_pages: 3 }))).toBe("invalid")
      expect(yield* code(there.sql({ text: "select 1" }))).toBe("unsupported")
      expect(yield* code(client({ address, token: "wrong", pid: 1 }).status({}))).toBe("denied")
      expect(yield* code(client({ address: "http://127.0.0.1:1", token, pid: 1 }).status({}))).toBe("unavailable")
    })
  )
})

describe("a command beside a running crawler", () => {
  live("goes through the holder's API, and over the store itself where nobody holds it", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const context = yield* Layer.build(running)
      const { address } = yield* Effect.provideContext(Listening, context)
      const alone = yield* Effect.provide(
        Effect.flatMap(Control, (it) => it["sources.list"]({})),
        localOrRemote(dir, control)
      )
      expect(alone.sources).toHaveLength(0)
      const odd = Effect.flatMap(Control, (it) => it["articles.list"]({ host: "a.kr:8080" }))
      expect(yield* Effect.flip(Effect.provide(odd, localOrRemote(dir, control)))).toMatchObject({
        code: "invalid",
        field: "host",
        message: 'host "a.kr:8080": Expected a host in lower case and punycode, without a port'
      })
      yield* announce(dir, { address, token, pid: process.pid })
      const add = Effect.flatMap(Control, (it) => it["sources.add"]({ url: "https://beside.kr/rss" }))
      yield* Effect.provide(add, localOrRemote(dir, held))
      const list = Effect.flatMap(Control, (it) => it["sources.list"]({}))
      expect((yield* Effect.provideContext(list, context)).sources).toHaveLength(1)
      // The holder has gone without a goodbye: its file is stale, and another process may have its port.
      yield* announce(dir, { address, token: "the-token-of-an-earlier-run", pid: 1 })
      expect((yield* Effect.provide(list, localOrRemote(dir, Layer.fresh(control)))).sources).toHaveLength(0)
    })
  )

  effect("is told who holds the data dir when that process cannot be asked", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const asked = yield* Effect.forkChild(Effect.flip(Effect.provide(Control, localOrRemote(dir, held))))
      yield* TestClock.adjust("20 seconds")
      const error = yield* Fiber.join(asked)
      expect(error.exit).toBe("busy")
      expect(error.message).toContain("in use by process 7 and cannot be asked")
    })
  )

  live("is refused as before when the store cannot be opened for another reason", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const full = Layer.effect(Control, Effect.fail(new Refusal({ exit: "disk", message: "no space" })))
      expect((yield* Effect.flip(Effect.provide(Control, localOrRemote(dir, full)))).exit).toBe("disk")
    })
  )
})

describe("the address file", () => {
  live("is readable by its owner alone and gone when the process stops", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const path = join(dir, "api.json")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* announce(dir, { address: "http://127.0.0.1:1", token, pid: 5 })
          expect(statSync(path).mode & 0o777).toBe(0o600)
          expect(Option.getOrNull(yield* holder(dir))).toEqual({ address: "http://127.0.0.1:1", token, pid: 5 })
          expect(readdirSync(dir)).toEqual(["api.json"])
        })
      )
      expect(readdirSync(dir)).toEqual([])
    })
  )

  live("of a later holder survives the earlier one's end; nonsense is no holder", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const later = { address: "http://127.0.0.1:2", token: "the-later-token-of-this-test", pid: 6 }
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* announce(dir, { address: "http://127.0.0.1:1", token, pid: 5 })
          writeFileSync(join(dir, "api.json"), JSON.stringify(later))
        })
      )
      expect(Option.getOrNull(yield* holder(dir))).toEqual(later)
      writeFileSync(join(dir, "api.json"), "{")
      expect(Option.isNone(yield* holder(dir))).toBe(true)
    })
  )

  live("has a token of its own beside it, made once, readable by its owner alone", () =>
    Effect.gen(function* () {
      const dir = join(yield* tempDir, "fresh")
      const first = yield* ownToken(dir)
      expect(first.token).toMatch(/^[\w-]{43}$/)
      expect(statSync(first.path).mode & 0o777).toBe(0o600)
      expect(yield* ownToken(dir)).toEqual(first)
    })
  )
})
