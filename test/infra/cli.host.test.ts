import { expect, test } from "bun:test"
import { Option, Schema } from "effect"
import { HostName } from "../../src/infra/api/answers.ts"
import { hostNamed } from "../../src/infra/cli/host.ts"

const table: ReadonlyArray<readonly [given: string, host: string]> = [
  ["news.example", "news.example"],
  ["News.Example", "news.example"],
  ["news.example.", "news.example"],
  ["뉴스.example", "xn--vg1b002a.example"],
  ["https://News.example:8080/politics?id=1", "news.example"],
  ["news.example/politics", "news.example"],
  ["[2001:DB8::1]:8080", "[2001:db8::1]"]
]
const isHost = (text: string) => Option.isSome(Schema.decodeUnknownOption(HostName)(text))

test.each(table.map((row) => [...row] as const))("%s names the host %s", (given, host) => {
  expect(hostNamed(given)).toBe(host)
  expect(isHost(host)).toBe(true)
})

test.each(["", "a b", "*.news.example", "user@news.example", "http://", "a..b", "::1"])("%s names no host", (given) => {
  expect(isHost(hostNamed(given))).toBe(false)
})

test("a name that no crawled page could have is refused, not stored beside the one that was meant", () => {
  expect(["news.example.", "News.example", "news..example", ".example", "news.example:80"].filter(isHost)).toEqual([])
})
