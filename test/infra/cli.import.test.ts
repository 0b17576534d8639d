import { expect, test } from "bun:test"
import { importedSources } from "../../src/infra/cli/importing.ts"

test("a line is a URL, or an object with the flags' names and forms", () => {
  const text = ['{"url":"https://a.example/rss","every":"1d"}', "", "# noted", "https://b.example/rss"].join("\n")
  expect(importedSources("f", text)).toEqual({
    sources: [{ url: "https://a.example/rss", every_ms: 86_400_000 }, { url: "https://b.example/rss" }],
    places: ["f:1", "f:4"],
    problems: []
  })
})

test.each([
  ['{"url":"https://a.example/rss","evry":"1d"}', 'field "evry": expected one of url, name, kind, every,'],
  ['{"url":"https://a.example/rss","every":"5"}', 'every "5": expected a time with its unit, such as 5m'],
  ['{"url":"https://a.example/rss","every_ms":"5"}', 'every_ms "5": expected a whole number of milliseconds'],
  ['{"url":"https://a.example/rss","kind":"blog"}', 'kind "blog": expected one of list, feed, sitemap'],
  ['{"every":"5m"}', "url is missing: expected an http or https URL"],
  ['{"url":', '"{\\"url\\":": expected a URL or a JSON object']
])("%s is left out, with its line, the field and what is allowed", (line, why) => {
  const { places, problems, sources } = importedSources("f", `https://good.example/\n${line}`)
  expect(sources).toEqual([{ url: "https://good.example/" }])
  expect(places).toEqual(["f:1"])
  expect(problems).toEqual([expect.stringContaining(`f:2: left out: ${why}`)])
})
