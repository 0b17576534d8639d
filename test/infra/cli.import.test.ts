import { expect, test } from "bun:test"
import { importedSources } from "../../src/infra/cli/presets.ts"

test("a line is a URL, or an object with the flags' names and forms", () => {
  const text = ['{"url":"https://a.example/rss","every":"1d"}', "", "# noted", "https://b.example/rss"].join("\n")
  expect(importedSources("f", text)).toEqual({
    sources: [{ url: "https://a.example/rss", every_ms: 86_400_000 }, { url: "https://b.example/rss" }],
    problems: []
  })
})

test.each([
  ['{"url":"https://a.example/rss","evry":"1d"}', "an unknown field"],
  ['{"url":"https://a.example/rss","every":"5"}', "a time without a unit"],
  ['{"url":"https://a.example/rss","every_ms":"5"}', "text for a number"],
  ['{"every":"5m"}', "no URL"],
  ['{"url":', "half a line"]
])("%s is left out and named: %s", (line) => {
  const { sources, problems } = importedSources("f", `https://good.example/\n${line}`)
  expect(sources).toEqual([{ url: "https://good.example/" }])
  expect(problems).toHaveLength(1)
  expect(problems[0]).toStartWith("f:2:")
})
