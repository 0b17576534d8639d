import { describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Result } from "effect"
import { Sources } from "../../src/domain/ports.ts"
import { parseArguments } from "../../src/infra/cli/arguments.ts"
import { explanationText } from "../../src/infra/cli/explanation.ts"
import { type Operating, operate } from "../../src/infra/cli/operate.ts"
import { Output } from "../../src/infra/cli/output.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as local from "../../src/infra/control.local.ts"
import * as rules from "../../src/infra/parsingrules.memory.ts"
import * as memory from "../../src/infra/store.memory.ts"
import { live } from "../support/effect.ts"

const settings = Result.getOrThrow(load({}))
const world = local
  .layer("0.1.0")
  .pipe(
    Layer.provideMerge(rules.layer),
    Layer.provideMerge(memory.layer()),
    Layer.provideMerge(Layer.succeed(Settings, settings))
  )

/** Command lines on one store; each answers its exit, its data and its notes. */
const shell = Effect.map(Layer.build(world), (context) => at(context))
const at =
  (context: Context.Context<Layer.Success<typeof world>>) =>
  (...words: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const out: Array<string> = []
      const notes: Array<string> = []
      const output = Layer.succeed(Output, {
        line: (text) => Effect.sync(() => void out.push(text)),
        note: (text) => Effect.sync(() => void notes.push(text))
      })
      const parsed = Result.getOrThrow(parseArguments(words, []))
      if (parsed.tag !== "command") throw new Error("help")
      const ended = yield* Effect.result(
        operate(parsed.command as Operating, []).pipe(Effect.provide(output), Effect.provideContext(context))
      )
      const exit = Result.isSuccess(ended) ? ended.success : ended.failure.exit
      return {
        exit,
        out: out.join("\n"),
        notes: notes.join("\n"),
        message: Result.isFailure(ended) ? ended.failure.message : ""
      }
    })
const tempFile = (name: string, text: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "operate-"))),
      (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
    ),
    (dir) => {
      const path = join(dir, name)
      writeFileSync(path, text)
      return path
    }
  )

describe("sources", () => {
  live("are added once, listed, switched off and removed", () =>
    Effect.gen(function* () {
      const run = yield* shell
      const added = yield* run("sources", "add", "https://a.kr/rss", "--every", "2m", "--category", "economy", "--json")
      const { id, ...source } = JSON.parse(added.out)
      expect(source).toMatchObject({ kind: "feed", every_ms: 120_000, category: "economy", enabled: true })
      expect((yield* run("sources", "add", "https://a.kr/rss?utm_source=x", "--json")).out).toContain(id)
      expect((yield* run("sources", "disable", id)).exit).toBe("done")
      const listed = yield* run("sources", "list")
      expect(listed.out.split("\n")).toHaveLength(2)
      expect(listed.out).toMatch(/feed\s+false\s+120000/)
      expect((yield* run("sources", "add", "https://b.kr/rss")).out).toMatch(/^every_ms\s+300000$/m)
      const timed = yield* run("sources", "add", "https://c.kr/rss", "--cron", "0 6 * * *")
      expect(timed.out).toMatch(/^every_ms\s+-$/m)
      for (const it of (yield* run("sources", "list")).out.matchAll(/^\w{16}/gm)) {
        if (it[0] !== id) yield* run("sources", "remove", it[0])
      }
      expect((yield* run("sources", "remove", id)).exit).toBe("done")
      expect((yield* run("sources", "list")).out).toBe("(none)")
      const gone = yield* run("sources", "show", id)
      expect([gone.exit, gone.message]).toEqual(["nothing", `there is no source ${id}`])
    })
  )

  live("say what their last poll came to, and when the next one is due", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(world)
      const run = at(context)
      const { id } = JSON.parse((yield* run("sources", "add", "https://a.kr/rss", "--json")).out)
      expect((yield* run("sources", "list")).out).toMatch(/ASKED_AT +OUTCOME +FOUND +NEXT_POLL_AT/)
      expect((yield* run("sources", "show", id)).out).toMatch(/asked_at +never/)
      const sources = Context.get(context, Sources)
      const found = { at: Date.UTC(2026, 10, 30), outcome: "found", message: "links to follow: 25, new: 3" }
      yield* sources.ended(id, { ...found, links: 25, fresh: 3 })
      expect((yield* run("sources", "list")).out).toMatch(/2026-11-30T00:00:00.000Z +found +25 \(3 new\) +20/)
      const shown = (yield* run("sources", "show", id)).out
      expect(shown).toMatch(/said +links to follow: 25, new: 3/)
      yield* run("sources", "disable", id)
      expect((yield* run("sources", "show", id)).out).toMatch(/next_poll_at +disabled/)
      expect(JSON.parse((yield* run("sources", "list", "--json")).out)[0].last).toMatchObject(found)
    })
  )

  live("that are known already stay as they are, and the command says what it did not take", () =>
    Effect.gen(function* () {
      const run = yield* shell
      const add = (every: string) => run("sources", "add", "https://a.kr/rss", "--country", "kr", "--every", every)
      expect((yield* add("2m")).notes).toBe("")
      expect((yield* add("2m")).notes).toBe("")
      const changed = yield* add("3m")
      expect(changed.notes).toContain(
        "stays as it was: every_ms 180000 not taken; to change it: crawler sources remove"
      )
      expect(changed.out).toMatch(/every_ms\s+120000/)
    })
  )

  live("cannot be imported from a list without one, and that is said", () =>
    Effect.gen(function* () {
      const run = yield* shell
      const path = yield* tempFile("none.txt", "# nothing yet\n")
      const { exit, message } = yield* run("sources", "import", path)
      expect([exit, message]).toEqual(["nothing", `${path}: no source in it`])
    })
  )

  live("that cannot be polled are left out with their line, and with --strict none is taken", () =>
    Effect.gen(function* () {
      const run = yield* shell
      const list = ["https://a.kr/rss", '{"url":"https://b.kr/rss","cron":"every day"}', "no url"].join("\n")
      const path = yield* tempFile("list.jsonl", list)
      const strict = yield* run("sources", "import", path, "--strict")
      expect([strict.exit, strict.out]).toEqual(["data", ""])
      expect(strict.message).toBe(
        `${path}:2: left out: cron "every day": expected five fields: minute (0-59) hour (0-23) day (1-31) month (1-12) weekday (0-7) (--strict: nothing was taken)`
      )
      expect((yield* run("sources", "list")).out).toBe("(none)")
      const taken = yield* run("sources", "import", path)
      expect([taken.exit, taken.out]).toEqual(["done", "1 added, 0 known already, 2 left out"])
      expect(taken.notes.split("\n").map((it) => it.slice(path.length, path.length + 15))).toEqual([
        ":2: left out: c",
        ":3: left out: u"
      ])
    })
  )

  live("of the preset are Naver's eight economy sections, polled by Seoul's clock", () =>
    Effect.gen(function* () {
      const run = yield* shell
      expect((yield* run("sources", "add", "--preset", "naver-economy")).out).toBe(
        "8 added, 0 known already, 0 left out"
      )
      const sources: Array<{ section: string; zone: string; cron: string }> = JSON.parse(
        (yield* run("sources", "list", "--json")).out
      )
      expect(sources.map((it) => it.section).sort()).toEqual([
        "FINANCE",
        "GENERAL",
        "INDUSTRY",
        "LIVING",
        "REALESTATE",
        "STOCK",
        "VENTURE",
        "WORLD"
      ])
      expect(new Set(sources.map((it) => `${it.zone} ${it.cron}`))).toEqual(new Set(["Asia/Seoul */5 * * * *"]))
      const unknown = yield* run("sources", "add", "--preset", "navr")
      expect([unknown.exit, unknown.message]).toEqual(["usage", '--preset "navr": expected one of naver-economy'])
    })
  )

  live("are imported by the line; a bad line is named and left out, or refuses all with --strict", () =>
    Effect.gen(function* () {
      const run = yield* shell
      const path = yield* tempFile(
        "sources.jsonl",
        '# ours\nhttps://a.kr/list\n{"url":"https://b.kr/rss","cron":"*/5 * * * *","zone":"Asia/Seoul"}\n{"name":"no url"}\nhttp://10.0.0.1/\n'
      )
      const strict = yield* run("sources", "import", path, "--strict")
      expect([strict.exit, strict.message.includes(`${path}:4:`)]).toEqual(["data", true])
      expect((yield* run("sources", "list")).out).toBe("(none)")
      const answer = yield* run("sources", "import", path)
      expect(answer.out).toBe("2 added, 0 known already, 2 left out")
      expect(answer.notes).toContain(`${path}:4:`)
      expect(answer.notes).toContain(`${path}:5: left out: url: address_refused`)
    })
  )
})

live("enqueue says what was taken, known and left out, and why", () =>
  Effect.gen(function* () {
    const run = yield* shell
    const first = yield* run("enqueue", "https://a.kr/1", "https://a.kr/1#top", "http://127.0.0.1/")
    expect([first.exit, first.out]).toEqual(["done", "1 enqueued, 1 known already, 1 left out"])
    expect(first.notes).toContain("argument 3: http://127.0.0.1/ is left out: address_refused")
    const none = yield* run("enqueue", "http://127.0.0.1/", "--json")
    expect([none.exit, JSON.parse(none.out).rejected]).toMatchObject(["nothing", [{ code: "address_refused" }]])
  })
)

live("explain tells people the decision first, and programs the whole chain", () =>
  Effect.gen(function* () {
    const run = yield* shell
    yield* run("sources", "add", "https://a.kr/list", "--category", "gossip")
    const said = yield* run("explain", "https://a.kr/story/1")
    expect(said.out).toContain("priority  low (by category)")
    expect(said.out).toMatch(/category\s+decides low\s+category=gossip/)
    expect(said.out).toContain("history   never seen")
    const json = JSON.parse((yield* run("explain", "https://a.kr/story/1", "--json")).out)
    expect(Object.keys(json).sort()).toEqual([
      "chain",
      "changes",
      "fetcher",
      "history",
      "host",
      "priority",
      "robots",
      "rule",
      "url"
    ])
    expect(json.chain[2]).toMatchObject({ by: "category", verdict: { value: "low", final: true } })
    expect((yield* run("explain", "http://10.0.0.1/")).exit).toBe("data")
  })
)

test("explain tells people of what waits that it is due, and from when", () => {
  const at = "2026-12-01T00:37:14.000Z"
  const said = explanationText({
    url: "https://a.kr/1",
    host: "a.kr",
    priority: { value: "low", by: "default" },
    chain: [],
    changes: [],
    fetcher: { value: "auto", by: "default" },
    rule: null,
    robots: null,
    history: [{ at, event: "waiting", facts: { topic: "crawl.low" } }]
  })
  expect(said).toContain(`  ${at} is due       topic=crawl.low`)
})

live("a parsing rule with a selector that there is not is refused, and those there are are named", () =>
  Effect.gen(function* () {
    const run = yield* shell
    const rule = { source_name: "a", host_pattern: "a.kr", target_type: "page", selectors: { content: { css: "p" } } }
    const { exit, message } = yield* run("parsing-rules", "set", yield* tempFile("rule.json", JSON.stringify(rule)))
    expect(exit).toBe("data")
    expect(message).toContain('["content"]')
    expect(message).toContain("selectors: title, main_content, summary")
  })
)

live("what needs a database ends with a sentence where there is none", () =>
  Effect.gen(function* () {
    const run = yield* shell
    for (const words of [
      ["sql", "select 1"],
      ["dlq", "list"],
      ["hosts", "list"]
    ]) {
      const { exit, message } = yield* run(...words)
      expect([exit, message.includes("no database")]).toEqual(["nothing", true])
    }
    expect((yield* run("dlq", "list", "--topic", "crawl.hihg")).exit).toBe("usage")
  })
)

live("articles of an empty store: an empty table, an empty export, and exit 1 for one that is not there", () =>
  Effect.gen(function* () {
    const run = yield* shell
    expect(yield* run("articles", "list")).toMatchObject({ exit: "done", out: "(none)" })
    expect(yield* run("articles", "export", "--since", "24h")).toMatchObject({
      exit: "done",
      out: "",
      notes: "0 articles"
    })
    expect((yield* run("articles", "show", "https://a.kr/1")).exit).toBe("nothing")
  })
)
