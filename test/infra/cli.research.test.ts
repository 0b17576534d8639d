import { describe, expect } from "bun:test"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Result } from "effect"
import { Batches, Discovery } from "../../src/domain/research.ts"
import { parseArguments } from "../../src/infra/cli/arguments.ts"
import { type Operating, operate } from "../../src/infra/cli/operate.ts"
import { Output } from "../../src/infra/cli/output.ts"
import { sitesOf } from "../../src/infra/cli/research.ts"
import { asking, engine, until, worker } from "../support/discovery/engine.ts"
import { live } from "../support/effect.ts"
import { http } from "../support/net.ts"
import { temporaryDir } from "../support/store.ts"

/** A command line on this store: its exit and what it printed. */
const run = (...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const out: Array<string> = []
    const say = (text: string) => Effect.sync(() => void out.push(text))
    const parsed = Result.getOrThrow(parseArguments(words, []))
    if (parsed.tag !== "command") throw new Error("help")
    const ended = yield* Effect.result(
      operate(parsed.command as Operating, []).pipe(Effect.provide(Layer.succeed(Output, { line: say, note: say })))
    )
    return Result.isSuccess(ended)
      ? { exit: ended.success, out: out.join("\n") }
      : { exit: ended.failure.exit, out: ended.failure.message }
  })

const source = asking(() => Effect.succeed([]))
const front = '<link rel="alternate" type="application/rss+xml" href="/rss.xml">'
const site = http((request) => {
  const { pathname } = new URL(request.url)
  if (pathname === "/robots.txt") return new Response("Sitemap: /sitemap-news.xml")
  return pathname === "/"
    ? new Response(front, { headers: { "content-type": "text/html" } })
    : new Response("no", { status: 404 })
})

/** A published dataset about these URLs: its id and path. */
const published = Effect.fnUntraced(function* (...urls: ReadonlyArray<string>) {
  const { out } = yield* run(
    "research",
    "run",
    "--country",
    "SG",
    "--category",
    "news",
    "--methods",
    "crtsh",
    "--json",
    ...urls
  )
  yield* worker
  const { chunks } = yield* until(JSON.parse(out).batch_id, "completed")
  const [entry] = yield* (yield* Batches).entries({ country: "SG", category: "news" })
  // The manifest is written a moment after the dataset is recorded.
  while ((yield* run("research", "list", entry?.dataset_id ?? "")).exit !== "done") yield* Effect.sleep("20 millis")
  return { id: entry?.dataset_id ?? "", path: chunks[0]?.path ?? "" }
})

describe("sources from a dataset", () => {
  live("wait, disabled and without a category, with the feeds and sitemaps that each site names", () =>
    Effect.gen(function* () {
      const { url } = yield* site
      const { id } = yield* published(`${url}/a`, `${url}/b`, "http://127.0.0.1:1/down")
      const first = yield* run("sources", "import", id)
      expect([first.exit, first.out]).toEqual([
        "done",
        "2 sites, 1 feeds, 1 sitemaps: 4 added (disabled: crawler sources enable ID), 0 known already"
      ])
      const sources = JSON.parse((yield* run("sources", "list", "--json")).out)
      expect(
        sources.map((it: { kind: string; url: string }) => `${it.kind} ${it.url.replace(url, "")}`).sort()
      ).toEqual(["feed /rss.xml", "list /", "list http://127.0.0.1:1/", "sitemap /sitemap-news.xml"])
      for (const it of sources) expect(it).toMatchObject({ enabled: false, category: null, country: "SG" })
      const second = yield* run("sources", "import", id, "--enable", "--json")
      expect(JSON.parse(second.out)).toMatchObject({ sites: 2, added: 0, known: 4 })
      const after = JSON.parse((yield* run("sources", "list", "--json")).out)
      expect(after.every((it: { enabled: boolean }) => !it.enabled)).toBe(true)
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  )

  live("are enabled at once where that is asked for", () =>
    Effect.gen(function* () {
      const { url } = yield* site
      const { id } = yield* published(`${url}/a`)
      expect((yield* run("sources", "import", id, "--enable")).exit).toBe("done")
      const sources = JSON.parse((yield* run("sources", "list", "--json")).out)
      expect(sources.map((it: { enabled: boolean }) => it.enabled)).toEqual([true, true, true])
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  )

  live("never come from a dataset whose bytes are not those of its manifest, or that is not there", () => {
    const dir = temporaryDir()
    return Effect.gen(function* () {
      const { id, path } = yield* published("http://127.0.0.1:1/a")
      expect(readFileSync(join(dir, path), "utf8")).toContain("127.0.0.1")
      appendFileSync(join(dir, path), " ")
      const bad = yield* run("sources", "import", id)
      expect([bad.exit, bad.out]).toEqual(["nothing", `${path} does not match its manifest: crawler research verify`])
      const gone = yield* run("sources", "import", "sg-news-2020-01-01-0001")
      expect([gone.exit, gone.out]).toEqual(["nothing", "there is no dataset sg-news-2020-01-01-0001"])
      expect((yield* run("sources", "list")).out).toBe("(none)")
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(dir)))
  })

  live("are looked for by https, but on a port of its own as it was seen", () =>
    Effect.sync(() =>
      expect(sitesOf(["http://a.sg/x", "https://a.sg/y", "http://b.sg:8080/", "https://뉴스.kr/", "no url"])).toEqual([
        "https://a.sg/",
        "http://b.sg:8080/",
        "https://xn--vg1b002a.kr/"
      ])
    )
  )
})

describe("the command line of the research engine", () => {
  live("says what is wrong and starts nothing", () =>
    Effect.gen(function* () {
      const seeds = join(temporaryDir(), "seeds.txt")
      writeFileSync(seeds, "https://a.sg/\n\nftp://b.sg/\n")
      const table: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
        [["--country", "XX", "--category", "news", "https://a.sg"], "data", 'country "XX"'],
        [["--country", "SG", "--category", "../x", "https://a.sg"], "data", 'category "../x"'],
        [["--country", "SG", "--category", "news", "https://a.sg", "ftp://a.sg"], "data", "argument 2: scheme"],
        [["--country", "SG", "--category", "news", "--methods", "whois", "https://a.sg"], "usage", "whois"],
        [["--country", "SG", "--liveness", "a.sg:8443"], "data", "argument 1 "],
        [["--country", "SG", "--liveness", "https://a.sg/x", "a b"], "data", "argument 2 "],
        [["--country", "SG", "--category", "news", "--urls", seeds], "data", `${seeds}:3: scheme`]
      ]
      for (const [words, exit, said] of table) {
        const answer = yield* run("research", "run", ...words)
        expect([answer.exit, answer.out.includes(said)]).toEqual([exit as typeof answer.exit, true])
      }
      expect((yield* run("research", "status")).out).toBe("(none)")
      expect((yield* run("research", "resume", "nope")).out).toBe("there is no batch nope")
    }).pipe(Effect.provideService(Discovery, source), Effect.provide(engine(temporaryDir())))
  )
})
