import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import { parseArguments } from "../../src/infra/cli/arguments.ts"
import { commands } from "../../src/infra/cli/commands.ts"
import { helpText, misuseText } from "../../src/infra/cli/help.ts"
import { editDistance, nearest } from "../../src/infra/cli/nearest.ts"

const stages = ["scheduler", "fetcher", "validator", "parser", "scorer", "router", "sweeper", "api"]
/** A command line as a shell would split it (no quotes needed here). */
const parse = (line: string) =>
  parseArguments(
    line.split(" ").filter((it) => it !== ""),
    stages
  )
const command = (line: string) => {
  const result = parse(line)
  if (Result.isFailure(result)) throw new Error(misuseText(result.failure))
  if (result.success.tag !== "command") throw new Error("help")
  return result.success.command
}
const misuse = (line: string) => {
  const result = parse(line)
  if (Result.isSuccess(result)) throw new Error(`understood: ${line}`)
  return misuseText(result.failure)
}

describe("what is understood", () => {
  const table: ReadonlyArray<readonly [line: string, name: string, words: ReadonlyArray<string>, flags: object]> = [
    ["", "run", [], { stages: null, port: null }],
    ["run", "run", [], { stages: null }],
    [
      "--stages fetcher,parser:2",
      "run",
      [],
      {
        stages: [
          { name: "fetcher", parallelism: null },
          { name: "parser", parallelism: 2 }
        ]
      }
    ],
    ["run --stages=router", "run", [], { stages: [{ name: "router", parallelism: null }] }],
    ["run --port 0", "run", [], { port: 0 }],
    [
      "crawl https://a.example/ https://b.example/ --limit 3",
      "crawl",
      ["https://a.example/", "https://b.example/"],
      { limit: 3, store: false, html: false, out: null }
    ],
    ["crawl --seeds s.txt --delay 250ms --html", "crawl", [], { seeds: "s.txt", delay: 250, html: true }],
    ["crawl --seeds - --delay 100", "crawl", [], { seeds: "-", delay: 100 }],
    [
      "crawl --seeds s --per-host 2 --concurrency 4 --store --strict",
      "crawl",
      [],
      { "per-host": 2, concurrency: 4, store: true, strict: true }
    ],
    ["crawl --limit 1 -- https://a.example/?x=--limit", "crawl", ["https://a.example/?x=--limit"], { limit: 1 }],
    ["extract - --url https://a.example/1", "extract", ["-"], { url: "https://a.example/1" }],
    ["extract --batch m.jsonl", "extract", [], { batch: "m.jsonl" }],
    ["explain https://a.example/ --json", "explain", ["https://a.example/"], { json: true }],
    [
      "sources add https://a.example/rss --every 5m --kind feed --priority high",
      "sources add",
      ["https://a.example/rss"],
      { every: 300_000, kind: "feed", priority: "high" }
    ],
    ["sources add --preset naver-economy", "sources add", [], { preset: "naver-economy" }],
    ["articles list --since 24h --limit 5", "articles list", [], { since: { ago: 86_400_000 }, limit: 5 }],
    ["articles export --since 2026-02-28", "articles export", [], { since: { at: Date.UTC(2026, 1, 28) } }],
    [
      "articles export --since 2026-02-28T09:00:00+09:00",
      "articles export",
      [],
      { since: { at: Date.UTC(2026, 1, 28) } }
    ],
    ["dlq replay a b", "dlq replay", ["a", "b"], { json: false }],
    ["--version", "version", [], { json: false }]
  ]
  test.each(table)("crawler %s", (line, name, words, flags) => {
    const given = command(line)
    expect(given.name).toBe(name as never)
    expect(given.words).toEqual([...words])
    expect(given.flags as object).toMatchObject(flags)
  })
})

describe("what is refused names the input and the form expected, or the nearest valid name", () => {
  const table: ReadonlyArray<readonly [line: string, says: string]> = [
    ["--stages=fetchr", 'unknown stage "fetchr"; did you mean fetcher?'],
    ["--stages fetcher,fetcher", "stage names between commas"],
    ["--stages fetcher:0", "stage names between commas"],
    ["--stages fetcher:65", "stage names between commas"],
    ["--stages", "--stages: a value is missing"],
    ["--port=99999", '--port "99999": expected a whole number from 0 to 65535'],
    ["--port=abc", '--port "abc": expected a whole number from 0 to 65535'],
    ["--stagse fetcher", 'unknown flag "--stagse"; did you mean --stages?'],
    ["crwal https://a.example/", 'unknown command "crwal"; did you mean crawl?'],
    ["https://a.example/", "did you mean crawler crawl https://a.example/?"],
    ["sources ad x", 'unknown command "sources ad"; did you mean sources add?'],
    ["crawl", "give a URL or --seeds FILE"],
    ["crawl https://a.example/ --limit 0", "a whole number from 1 to 1000000"],
    ["crawl https://a.example/ --limit -1", '--limit "-1": expected a whole number'],
    ["crawl https://a.example/ --limit --html", "--limit: a value is missing"],
    ["crawl https://a.example/ --limit 1 --limit 2", "--limit is given twice"],
    ["crawl https://a.example/ --html=yes", "--html=yes: the flag takes no value"],
    ["crawl https://a.example/ --delay 2h", "from 0ms to 1h"],
    ["crawl https://a.example/ -x", 'unknown flag "-x"'],
    ["explain", "URL is missing"],
    ["explain a b", 'unexpected "b" after URL'],
    ["migrate now", 'unexpected "now"'],
    ["extract page.html", "give --url URL"],
    ["extract page.html --batch m --url u", "--batch names its files itself"],
    ["sources add", "give either a URL or --preset NAME"],
    ["sources add u --every 5m --cron x", "give either --every or --cron"],
    ["sources add u --every 5", '--every "5": expected a time'],
    ["articles list --since 2026-02-30", '--since "2026-02-30": expected a date'],
    ["articles list --since yesterday", "expected a date"]
  ]
  test.each(table)("crawler %s", (line, says) => expect(misuse(line)).toContain(says))

  test("every problem is told at once", () => {
    const text = misuse("crawl --limit x --delay y --wat")
    expect(text.split("\n")).toHaveLength(4)
  })
})

test("every command has help with usage and an example that itself parses", () => {
  for (const [name, row] of Object.entries(commands)) {
    expect(helpText(name)).toContain(`Usage: crawler ${name}`)
    for (const example of row.examples) {
      const words = (example.match(/'[^']*'|\S+/g) ?? []).map((it) => it.replace(/^'|'$/g, "")).slice(1)
      expect(Result.isSuccess(parseArguments(words, stages))).toBe(true)
    }
  }
  expect(helpText(null)).toContain("articles export")
  expect(helpText("sources")).toContain("sources import FILE|-")
  expect(helpText("nothing")).toBeNull()
})

test("--help anywhere asks for the help of that command", () => {
  expect(parse("crawl --limit 3 --help")).toEqual(Result.succeed({ tag: "help", of: "crawl" }))
  expect(parse("help sources add")).toEqual(Result.succeed({ tag: "help", of: "sources add" }))
})

test("the distance counts edits and swaps, and far names are no suggestion", () => {
  expect(editDistance("fetchr", "fetcher")).toBe(1)
  expect(editDistance("crwal", "crawl")).toBe(1)
  expect(editDistance("", "abc")).toBe(3)
  expect(nearest("zzzzzz", stages)).toBeNull()
  expect(nearest("valid", stages)).toBe("validator")
})
