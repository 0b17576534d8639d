import { describe, expect, test } from "bun:test"
import { cookieHeader, keep } from "../../src/domain/cookies.ts"

const now = Date.UTC(2026, 10, 30)
const after = (url: string, ...lines: ReadonlyArray<string>) => keep([], url, lines, now)

describe("cookies of one redirect chain", () => {
  test.each([
    ["go back to the host that set them", "https://a.kr/", "k=v; Path=/", "https://a.kr/x", "k=v"],
    ["do not go to another host", "https://a.kr/", "k=v; Path=/", "https://b.kr/", null],
    ["nor to a host below it", "https://a.kr/", "k=v; Path=/", "https://www.a.kr/", null],
    [
      "go to the whole domain if that was asked",
      "https://www.a.kr/",
      "k=v; Domain=.a.kr; Path=/",
      "https://m.a.kr/",
      "k=v"
    ],
    ["are not taken for a foreign domain", "https://a.kr/", "k=v; Domain=b.kr; Path=/", "https://b.kr/", null],
    ["are not taken for a public suffix", "https://a.co.kr/", "k=v; Domain=co.kr; Path=/", "https://b.co.kr/", null],
    ["stay below their path", "https://a.kr/", "k=v; Path=/news", "https://a.kr/newsletter", null],
    ["have the directory of their page for a path", "https://a.kr/news/1", "k=v", "https://a.kr/news/2", "k=v"],
    ["stay on TLS if they are secure", "https://a.kr/", "k=v; Path=/; Secure", "http://a.kr/", null],
    ["end at once if they are over", "https://a.kr/", "k=v; Path=/; Max-Age=0", "https://a.kr/", null],
    [
      "end with their date",
      "https://a.kr/",
      "k=v; Path=/; Expires=Sun, 29 Nov 2026 00:00:00 GMT",
      "https://a.kr/",
      null
    ],
    ["without a name are none", "https://a.kr/", "=v", "https://a.kr/", null],
    ["with a line break are none", "https://a.kr/", "k=v\r\nX: y", "https://a.kr/", null]
  ])("%s", (_, from, line, to, header) => expect(cookieHeader(after(from, line), to)).toBe(header))

  test("a later one of the same name takes the place of the first", () => {
    const jar = keep(after("https://a.kr/", "k=1; Path=/", "l=2; Path=/"), "https://a.kr/", ["k=3; Path=/"], now)
    expect(cookieHeader(jar, "https://a.kr/")).toBe("l=2; k=3")
  })

  test("no more than fifty are kept", () => {
    const lines = Array.from({ length: 80 }, (_, n) => `k${n}=v; Path=/`)
    expect(after("https://a.kr/", ...lines).length).toBe(50)
  })
})
