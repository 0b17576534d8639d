import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { Schema } from "effect"
import { parseRobots, ROBOTS_BYTES_MAX, robotsPath, verdict } from "../../src/domain/robots.ts"
import { law } from "../support/law.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const rules = (text: string, agent = "crawler") => parseRobots(bytes(text), agent)
const allowed = (text: string, path: string, agent = "crawler") =>
  verdict(rules(text, agent), `https://a.kr${path}`).allowed

describe("groups", () => {
  test.each([
    ["no rules at all", "", "/x", true],
    ["everybody is kept out", "User-agent: *\nDisallow: /", "/x", false],
    ["an empty disallow keeps nobody out", "User-agent: *\nDisallow:", "/x", true],
    [
      "a group of our own beats that for everybody",
      "User-agent: *\nDisallow: /\n\nUser-agent: Crawler\nAllow: /",
      "/x",
      true
    ],
    ["even an empty one", "User-agent: *\nDisallow: /\n\nUser-agent: crawler\nSitemap: /s", "/x", true],
    ["another's name that begins like ours is not ours", "User-agent: crawlerbot\nDisallow: /", "/x", true],
    ["a version after our name is not looked at", "User-agent: crawler/2.0\nDisallow: /", "/x", false],
    [
      "groups that name us are merged",
      "User-agent: crawler\nDisallow: /a\n\nUser-agent: crawler\nDisallow: /b",
      "/b",
      false
    ],
    ["agents in a row share a group", "User-agent: other\nUser-agent: crawler\nDisallow: /a", "/a", false],
    ["rules before any agent say nothing", "Disallow: /\nUser-agent: other\nDisallow: /", "/x", true]
  ])("%s", (_, text, path, expected) => expect(allowed(text, path)).toBe(expected))
})

describe("rules", () => {
  const all = (rule: string) => `User-agent: *\n${rule}`
  test.each([
    ["the longest match decides", "Disallow: /\nAllow: /news", "/news/1", true],
    ["whatever the order", "Allow: /news\nDisallow: /news/private", "/news/private", false],
    ["allow wins a tie", "Disallow: /page\nAllow: /page", "/page", true],
    ["a star stands for anything", "Disallow: /*.php", "/a/b.php?x", false],
    ["a dollar ends the path", "Disallow: /*.php$", "/a/b.php?x", true],
    ["a dollar inside is itself", "Disallow: /a$b", "/a$b", false],
    ["stars in a row are one", "Disallow: /a**b", "/axxb", false],
    ["a star at the end changes nothing", "Disallow: /a*", "/abc", false],
    ["a trailing star before the end matches all", "Disallow: /a*$", "/abc", false],
    ["paths have case", "Disallow: /Private", "/private", true],
    ["percent-encoding has none", "Disallow: /%eb%89%b4", "/%EB%89%B4", false],
    ["letters outside ASCII are compared encoded", "Disallow: /뉴스", "/%EB%89%B4%EC%8A%A4/1", false],
    ["queries belong to the path", "Disallow: /*?session=", "/a?session=1", false],
    ["index.html also allows its directory", "Disallow: /\nAllow: /dir/index.html", "/dir/", true],
    ["comments are no part of a rule", "Disallow: /a # not /b", "/a", false],
    ["a slip of the pen is understood", "Dissalow /a", "/a", false],
    ["what is no rule is passed over", "Disallow\n::::\n<html>\nNoindex: /\nDisallow: /a", "/a", false]
  ])("%s", (_, rule, path, expected) => expect(allowed(all(rule), path)).toBe(expected))

  test("the verdict names the line that decided", () => {
    expect(verdict(rules("User-agent: *\nDisallow: /p\nAllow: /p/q"), "https://a.kr/p/1").rule).toBe("disallow: /p")
    expect(verdict(rules("User-agent: *\nDisallow: /p"), "https://a.kr/").rule).toBeNull()
  })
})

describe("files as they come (B196)", () => {
  const text = "User-agent: CRAWLER\nDisallow: /a\nCrawl-delay: 2.5\nSitemap: https://a.kr/s.xml"
  test.each([
    ["line feeds", bytes(text)],
    ["carriage returns only", bytes(text.replaceAll("\n", "\r"))],
    ["both", bytes(text.replaceAll("\n", "\r\n"))],
    ["a UTF-8 mark", bytes(`\ufeff${text}`)],
    ["UTF-16, little end first", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16, big end first", Buffer.from(`\ufeff${text}`, "utf16le").swap16()]
  ])("with %s", (_, body) => {
    const read = parseRobots(body, "crawler")
    expect(verdict(read, "https://a.kr/a").allowed).toBe(false)
    expect(read).toMatchObject({ crawl_delay_ms: 2500, sitemaps: ["https://a.kr/s.xml"], groups: 1 })
  })

  test("a page of HTML has no groups", () => {
    expect(rules("<!DOCTYPE html><html><body>Not found</body></html>")).toMatchObject({ rules: [], groups: 0 })
  })

  test("more than 500 KiB are cut at a line's end, not dropped", () => {
    const filler = "Disallow: /filler/filler\n".repeat(Math.floor(ROBOTS_BYTES_MAX / 25) - 2)
    const head = `User-agent: *\n${filler}Disallow: /inside\n`
    const long = `${head}${"#".repeat(ROBOTS_BYTES_MAX - head.length - 12)}\nDisallow: /half-a-rule\nDisallow: /outside`
    expect(allowed(long, "/inside")).toBe(false)
    expect(allowed(long, "/half")).toBe(true)
    expect(allowed(long, "/outside")).toBe(true)
  })

  test("the longest crawl-delay of our groups counts, nonsense does not", () => {
    const delay = (line: string) => rules(`User-agent: *\n${line}`).crawl_delay_ms
    expect(delay("Crawl-delay: 10\nCrawl-delay: 30")).toBe(30_000)
    expect(delay("Crawl-delay: soon")).toBeNull()
    expect(delay("Crawl-delay: 0")).toBeNull()
    expect(delay("Crawl-delay: 86400")).toBe(3_600_000)
    expect(rules("User-agent: *\nCrawl-delay: 9\nUser-agent: crawler\nDisallow: /").crawl_delay_ms).toBeNull()
  })
})

describe("the part of a URL that is matched", () => {
  test.each([
    ["https://a.kr", "/"],
    ["https://a.kr/", "/"],
    ["https://a.kr/a/b?c=d#e", "/a/b?c=d"],
    ["https://a.kr?c=d", "/?c=d"],
    ["https://a.kr#e/f", "/"],
    ["//a.kr/x", "/x"],
    ["", "/"]
  ])("of %p is %p", (url, path) => expect(robotsPath(url)).toBe(path))
})

const Text = Schema.Array(
  Schema.Literals([
    "User-agent: *\n",
    "user-agent: crawler\r",
    "Disallow: ",
    "Allow: ",
    "/",
    "*",
    "$",
    "a",
    "%",
    "\n",
    ":",
    "é"
  ])
)
law("whatever the file, its line ends do not change what it says", Text, (parts) => {
  const file = parts.join("").replaceAll("\r", "\n")
  const others = ["\r", "\r\n"].map((end) => file.replaceAll("\n", end))
  return ["/", "/a", "/a/%/$", "/aa*"].every((path) =>
    others.every((other) => allowed(other, path) === allowed(file, path))
  )
})

test("a pattern of many stars takes no longer than any other", () => {
  const pattern = `Disallow: /${"*a".repeat(4000)}b`
  expect(allowed(`User-agent: *\n${pattern}`, `/${"a".repeat(2000)}`)).toBe(true)
})

const folder = new URL("../../../shared/data/conformance/robots/", import.meta.url)
describe.skipIf(!existsSync(folder))("the reference's decisions (needs ../shared/data)", () => {
  test("on its unit tests and on live files are ours", () => {
    const unit = JSON.parse(readFileSync(new URL("google_unittest.json", folder), "utf8"))
    for (const it of unit) {
      const found = verdict(parseRobots(Buffer.from(it.robots), it.agent), it.url).allowed
      expect([it.test, it.robots, it.agent, it.url, found]).toEqual([it.test, it.robots, it.agent, it.url, it.allowed])
    }
    const live: Record<string, { robots: string; checks: ReadonlyArray<[string, string, number]> }> = JSON.parse(
      gunzipSync(readFileSync(new URL("real/dev/robots_real.json.gz", folder))).toString()
    )
    const wrong = Object.values(live).flatMap(({ robots, checks }) => {
      const body = Buffer.from(robots, "latin1")
      return checks
        .slice(0, 10)
        .filter(([agent, url, may]) => verdict(parseRobots(body, agent), url).allowed !== (may === 1))
    })
    expect(wrong).toEqual([])
  })
})
