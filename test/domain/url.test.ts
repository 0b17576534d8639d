import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { Result, Schema } from "effect"
import { checkHost } from "../../src/domain/address.ts"
import {
  identityOf,
  learnPattern,
  normaliseUrl,
  parseHttpUrl,
  publicDomain,
  registrableDomain,
  trapReason,
  urlKey
} from "../../src/domain/url.ts"
import { law } from "../support/law.ts"

const data = new URL("../../../shared/data/conformance/", import.meta.url).pathname
const codeOf = (url: string, options = {}) => Result.getOrNull(Result.flip(parseHttpUrl(url, options)))?.code ?? null

describe("URLs that are given to us", () => {
  test.each([
    ["http://example.com@127.0.0.1/", "userinfo_not_allowed"],
    ["http://user:pw@a.com/", "userinfo_not_allowed"],
    ["file:///etc/passwd", "scheme_not_allowed"],
    ["gopher://127.0.0.1:6379/_FLUSHALL", "scheme_not_allowed"],
    ["ftp://a/", "scheme_not_allowed"],
    ["s3://bucket/key", "scheme_not_allowed"],
    ["blob:x", "scheme_not_allowed"],
    ["data:text/html,x", "scheme_not_allowed"],
    ["javascript:alert(1)", "scheme_not_allowed"],
    ["about:blank", "scheme_not_allowed"],
    ["chrome://settings", "scheme_not_allowed"],
    ["ws://a/", "scheme_not_allowed"],
    ["unix:///tmp/s", "scheme_not_allowed"],
    ["http://a.com:22/", "port_not_allowed"],
    ["http://a.com:6379/", "port_not_allowed"],
    ["http://a.com:9092/", "port_not_allowed"],
    ["http://a.com:0/", "port_not_allowed"],
    ["http://a.com:65536/", "url_invalid"],
    ["http://256.256.256.256/", "url_invalid"],
    ["http://1.2.3.4.5/", "url_invalid"],
    ["http://", "url_invalid"],
    ["//a.com/", "url_invalid"],
    ["a.com/x", "url_invalid"],
    ["", "url_invalid"],
    ["http://exa\tmple.com/", "control_character"],
    ["http://example.com/a\nb", "control_character"],
    ["http://a.com/\u0000", "control_character"],
    ["http://a..b/", "host_invalid"],
    [`http://${"a".repeat(64)}.com/`, "host_invalid"],
    [`http://${"a.".repeat(126)}bcd/`, "host_invalid"],
    [`http://a.com/${"x".repeat(8180)}`, "url_too_long"]
  ])("%p is refused with %p", (url, code) => expect(codeOf(url)).toBe(code as never))

  test.each([
    ["http://example.com\\@127.0.0.1/", "example.com", "B047"],
    ["http://127.0.0.1#@example.com/", "127.0.0.1", "B048"],
    ["http://2130706433/", "127.0.0.1", "B001"],
    ["http://127.0.0.1./", "127.0.0.1", "B007"],
    ["http://faß.de/", "xn--fa-hia.de", "B073"],
    ["HTTP://News.Example.COM./", "news.example.com", "upper case and a trailing dot"],
    [" https://h/ ", "h", "blanks at the ends"]
  ])("%p has host %p (%s)", (url, host) => expect(Result.getOrThrow(parseHttpUrl(url)).hostname).toBe(host))

  test("any port goes where the caller says so, and the parts are as sent", () => {
    expect(codeOf("http://127.0.0.1:8700/", { anyPort: true })).toBeNull()
    expect(Result.getOrThrow(parseHttpUrl("https://a.com:8443/p?q=1#f"))).toMatchObject({
      host: "a.com:8443",
      port: 8443,
      path: "/p?q=1"
    })
    expect(Result.getOrThrow(parseHttpUrl("https://a.com")).port).toBe(443)
  })
})

describe("the identity of an address", () => {
  const same = (a: string, b: string) => expect(normaliseUrl(a)).toBe(normaliseUrl(b))

  test("spelling, tracking and order do not matter (bad inputs B077, B078)", () => {
    same("https://h/a?utm_source=x&b=1#f", "https://h/a?b=1")
    same("HTTP://H:80/%7Ea/../b", "http://h/b")
    same("https://h/a?b=2&a=1&fbclid=x&gclid=y", "https://h/a?a=1&b=2")
    same("https://h/%ea%b0%80", "https://h/가")
    same("https://h./a", "https://h/a")
    same("https://h/a?q=a%20b", "https://h/a?q=a+b")
    same("https://h/a;jsessionid=AB12?b=1", "https://h/a?b=1")
    same("https://h/a?b=", "https://h/a?b")
    same("http://faß.de/", "http://xn--fa-hia.de/")
  })

  test("what tells pages apart stays (field case B51)", () => {
    for (const [a, b] of [
      ["https://h/a/", "https://h/a"],
      ["https://h/a?id=1", "https://h/a?id=2"],
      ["https://h/a?id=MQ==", "https://h/a?id=MQ="],
      ["https://h/A", "https://h/a"],
      ["https://h/a%2Fb", "https://h/a/b"],
      ["https://h:8443/a", "https://h/a"],
      ["https://www.h.kr/a", "https://h.kr/a"]
    ] as const) {
      expect(normaliseUrl(a)).not.toBe(normaliseUrl(b))
    }
  })

  law("normalising twice changes nothing", Schema.String, (text) => {
    const once = normaliseUrl(`http://h.kr/${text}`)
    return normaliseUrl(once) === once
  })
  law("nor with parameters", Schema.Array(Schema.Tuple([Schema.String, Schema.String])), (pairs) => {
    const once = normaliseUrl(`http://h.kr/p?${pairs.map((it) => it.join("=")).join("&")}`)
    return normaliseUrl(once) === once
  })

  test("a key has one length and no special characters", () => {
    expect(urlKey("http://h/b")).toMatch(/^[\w-]{43}$/)
    expect(urlKey("http://h/b")).not.toBe(urlKey("http://h/c"))
  })

  test.each([
    ["news.bbc.co.uk", "bbc.co.uk"],
    ["n.news.naver.com", "naver.com"],
    ["a.github.io", "a.github.io"],
    ["127.0.0.1:8700", "127.0.0.1"],
    ["[::1]", "[::1]"],
    ["localhost", "localhost"],
    ["h001.test", "h001.test"],
    ["WWW.Chosun.COM.", "chosun.com"]
  ])("the site of %p is %p", (host, site) => expect(registrableDomain(host)).toBe(site))

  test.each([
    ["https://a.kr/n/1?id=7", "https://a.kr/article/7", null, "https://a.kr/article/7", "canonical"],
    ["https://m.a.kr/n/1", "https://www.a.kr/n/1", null, "https://www.a.kr/n/1", "canonical"],
    ["https://a.kr/n/1", "https://b.kr/n/1", null, "https://a.kr/n/1", "url"],
    ["https://a.kr/n/1", "https://a.kr/", null, "https://a.kr/n/1", "url"],
    ["https://a.kr/n/1", "https://a.kr/news", null, "https://a.kr/n/1", "url"],
    ["https://a.kr/n/1", null, null, "https://a.kr/n/1", "url"],
    ["https://a.kr/n/1", "/n/1?utm_source=x", null, "https://a.kr/n/1", "canonical"],
    ["https://a.kr/n/1", "javascript:x", null, "https://a.kr/n/1", "url"]
  ] as const)("%p with canonical %p", (url, canonical, rulePattern, identity, by) => {
    expect(identityOf({ url, canonical, rulePattern })).toEqual({ identity, by })
  })

  test("a rule's pattern finds the same article under every address of it", () => {
    const rulePattern = "/article/{oid}/{aid} /mnews/article/{oid}/{aid} ?oid={oid}&aid={aid}"
    const urls = [
      "https://n.news.naver.com/article/001/0012345678?sid=101",
      "https://n.news.naver.com/mnews/article/001/0012345678",
      "https://news.naver.com/main/read.naver?mode=LSD&aid=0012345678&oid=001"
    ]
    for (const url of urls) {
      expect(identityOf({ url, canonical: null, rulePattern })).toEqual({
        identity: "aid=0012345678&oid=001",
        by: "rule"
      })
    }
    for (const url of [...urls, "https://m.sports.naver.com/kbaseball/article/001/0012345678"]) {
      expect(identityOf({ url, canonical: null, rulePattern: null }).identity).toBe("aid=0012345678&oid=001")
    }
    expect(identityOf({ url: "https://n.news.naver.com/about", canonical: null, rulePattern }).by).toBe("url")
  })

  test("three slugs of one story teach its id (field case B15)", () => {
    const urls = ["slug-a", "slug-b", "slug-c"].map((it) => `https://a.example/story/ID123/2026/${it}`)
    const pattern = learnPattern(urls)
    expect(pattern).toBe("/story/{id}/**")
    const all = Array.from({ length: 500 }, (_, at) => `https://a.example/story/ID123/2026/variant-${at}`)
    const identities = new Set(all.map((url) => identityOf({ url, canonical: null, rulePattern: pattern }).identity))
    expect(identities.size).toBe(1)
    expect(learnPattern(urls.slice(0, 2))).toBeNull()
    expect(learnPattern(["https://a.kr/x/1234", "https://a.kr/x/1235", "https://a.kr/x/1236"])).toBeNull()
  })
})

describe("traps", () => {
  test.each([
    ["https://a.kr/news/a/news/a/news/a", "repeated_segments"],
    ["https://a.kr/www.b.kr/www.b.kr/www.b.kr/x", "repeated_segments"],
    [`https://a.kr/${"x".repeat(2100)}`, "too_long"],
    [`https://a.kr/${"a1/b2/c3/d4/e5/f6/g7/h8/i9/".repeat(2)}`, "too_deep"],
    ["https://a.kr/2026/10/1/2025/9/2/2024/3/4", "calendar"],
    ["https://a.kr/?amp;amp;p=2", "repeated_entities"],
    ["https://a.kr/list?page=1000000000", "page_number"],
    ["https://a.kr/2011/11/11/11/slug", null],
    ["https://a.kr/list?page=12", null],
    ["https://a.kr/news/world/news", null],
    ["https://n.news.naver.com/mnews/article/001/0012345678", null]
  ])("%p: %p (field case B17, bad input B079)", (url, reason) => expect(trapReason(url)).toBe(reason))
})

describe.skipIf(!existsSync(data))("published vectors (skipped without the data)", () => {
  test("registrable domains are as the public suffix list's own tests want", () => {
    const rows = readFileSync(`${data}psl/tests.txt`, "utf8")
      .split("\n")
      .flatMap((line) => {
        const match = /^(\S+)\s+(\S+)\s*$/.exec(line)
        return match === null || line.startsWith("//") || match[1] === "null"
          ? []
          : [[match[1] ?? "", match[2] ?? ""] as const]
      })
    expect(rows.length).toBe(77)
    expect(rows.filter(([host, domain]) => (publicDomain(host) ?? "null") !== domain)).toEqual([])
  })

  test("of a crawler's table of weird URLs nearly all normalise alike", () => {
    const rows = readFileSync(`${data}url/weirdToNormalizedUrls.csv`, "utf8")
      .split("\n")
      .flatMap((line) => {
        const parts = line.startsWith("#") ? [] : line.split(", ")
        return parts.length === 2 ? [[parts[0] ?? "", parts[1] ?? ""] as const] : []
      })
    const wrong = rows.filter(([url, expected]) => normaliseUrl(url) !== expected).map(([url]) => url)
    // Not URLs by the standard, or a quoted cell.
    expect(wrong.length).toBeLessThanOrEqual(5)
  })
})

const table = new URL("../../../shared/cases/bad-inputs.tsv", import.meta.url).pathname
describe.skipIf(!existsSync(table))("the table of bad inputs (skipped without it)", () => {
  const rows = (existsSync(table) ? readFileSync(table, "utf8") : "")
    .split("\n")
    .map((line) => line.split("\t"))
    .flatMap(([id = "", surface, input = "", expected = ""]) => (surface === "url" ? [{ id, input, expected }] : []))
  const refused = rows.filter(
    ({ input, expected }) => expected.startsWith("DENY") && /^http:\/\/[\w.:[\]-]+\/$/.test(input)
  )
  const answered = rows.filter(({ input, expected }) => /^422 \w+/.test(expected) && /^[a-z0-9]+:\S*$/.test(input))

  test.each(refused.filter(({ input }) => !input.includes(".test/")))(
    "$id $input leads to no public address",
    ({ input }) => {
      const host = Result.getOrNull(parseHttpUrl(input))?.hostname ?? ""
      expect(Result.isFailure(checkHost(host))).toBe(true)
    }
  )
  test.each(answered)("$id $input is refused with its code", ({ input, expected }) => {
    expect(`422 ${codeOf(input)}`).toBe(/^422 \w+/.exec(expected)?.[0] ?? "")
  })
  test("holds rows of both kinds", () => {
    expect(refused.length).toBeGreaterThan(15)
    expect(answered.length).toBeGreaterThan(12)
  })
})
