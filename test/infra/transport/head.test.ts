import { describe, expect, test } from "bun:test"
import { endOfHead, type Framing, type Method, parseHead } from "../../../src/infra/transport/head.ts"

const says = (...lines: ReadonlyArray<string>) => `${lines.join("\r\n")}\r\n\r\n`
const OK = "HTTP/1.1 200 OK"

describe("the status line", () => {
  const rows: ReadonlyArray<readonly [line: string, status: number | null, persistent?: boolean]> = [
    ["HTTP/1.1 200 OK", 200, true],
    ["HTTP/1.1 200", 200, true],
    ["HTTP/1.1 404 ", 404, true],
    ["HTTP/1.1  200  Well, fine", 200, true],
    ["HTTP/1.1 200 \u00bf\u00e0!", 200, true],
    ["HTTP/1.1 999 Request denied", 999, true],
    ["HTTP/1.0 200 OK", 200, false],
    ["HTTP/2 200", 200, false],
    ["HTTP/1.1 20", null],
    ["HTTP/1.1 2000 OK", null],
    ["HTTP/1.1 abc OK", null],
    ["HTTP/1.1 099 OK", null],
    ["ICY 200 OK", null],
    ["<html>", null]
  ]
  test.each(rows.map((row) => [row[0], row] as const))("%s", (line, [, status, persistent]) => {
    const head = parseHead(says(line, "Content-Length: 1"), "GET")
    expect(head?.status ?? null).toBe(status)
    if (persistent !== undefined) expect(head?.persistent).toBe(persistent)
  })
})

describe("headers", () => {
  const rows: ReadonlyArray<readonly [what: string, lines: ReadonlyArray<string>, name: string, value: string | null]> =
    [
      ["any case", ["ETaG: x"], "etag", "x"],
      ["blanks around", ["etag: \t x y \t "], "etag", "x y"],
      ["no blank at all", ["etag:x"], "etag", "x"],
      ["a blank before the colon", ["etag : x"], "etag", "x"],
      ["quotes and weak tags byte for byte", ['etag: W/"a:b"'], "etag", 'W/"a:b"'],
      ["bytes beyond ASCII", ["etag: \u00eb\u0089"], "etag", "\u00eb\u0089"],
      ["an empty value", ["etag:"], "etag", ""],
      ["two of a kind", ["vary: a", "vary: b"], "vary", "a, b"],
      ["a folded line", ["etag: a", "   b", "\tc"], "etag", "a b c"],
      ["a line without a colon before", ["nonsense", "etag: x"], "etag", "x"],
      ["a name that is none", ["e(tag: x"], "etag", null],
      ["a NUL inside", ["etag: a\u0000b"], "etag", null]
    ]
  test.each(rows.map((row) => [...row] as const))("%s", (_, lines, name, value) => {
    expect(parseHead(says(OK, ...lines), "GET")?.headers.get(name)).toBe(value)
  })

  test("lines may end without CR", () => {
    const head = parseHead("HTTP/1.1 200 OK\netag: x\ncontent-length: 3\n\n", "GET")
    expect([head?.headers.get("etag"), head?.body]).toEqual(["x", 3])
  })

  test("cookies stay apart", () => {
    const head = parseHead(says(OK, "Set-Cookie: a=1; Expires=Mon, 30 Nov 2026 00:00:00 GMT", "Set-Cookie: b=2"), "GET")
    expect(head?.headers.getSetCookie().length).toBe(2)
  })

  test("no byte of a value is too much for them", () => {
    for (let byte = 0; byte < 256; byte += 1) {
      expect(parseHead(says(OK, `x: a${String.fromCharCode(byte)}b`), "GET")?.status).toBe(200)
    }
  })
})

describe("how long the body is, and whether the connection lives on", () => {
  const rows: ReadonlyArray<
    readonly [lines: ReadonlyArray<string>, body: Framing | null, persistent?: boolean, first?: string, method?: Method]
  > = [
    [["Content-Length: 12"], 12, true],
    [["Content-Length: 12", "Content-Length: 12"], 12, true],
    [["Content-Length: 12, 12"], 12, true],
    [["Content-Length: 12", "Content-Length: 13"], null],
    [["Content-Length: -1"], "close", false],
    [["Content-Length: many"], "close", false],
    [["Content-Length:"], "close", false],
    [[], "close", false],
    [["Transfer-Encoding: chunked"], "chunked", true],
    [["Transfer-Encoding: Chunked"], "chunked", true],
    [["Transfer-Encoding: gzip, chunked"], "chunked", true],
    [["Transfer-Encoding: gzip"], "close", false],
    [["Transfer-Encoding: identity", "Content-Length: 3"], 3, false],
    [["Transfer-Encoding: gzip", "Content-Length: 3"], "close", false],
    [["Transfer-Encoding: chunked", "Connection: keep-alive"], "chunked", false, "HTTP/1.0 200 OK"],
    [["Transfer-Encoding: chunked", "Content-Length: 3"], "chunked", false],
    [["Content-Length: 3", "Connection: close"], 3, false],
    [["Content-Length: 3", "Connection: Foo, Close"], 3, false],
    [["Content-Length: 3"], 3, false, "HTTP/1.0 200 OK"],
    [["Content-Length: 3", "Connection: keep-alive"], 3, true, "HTTP/1.0 200 OK"],
    [["Content-Length: 3", "what is this"], 3, false],
    [["Content-Length: 3"], 0, true, "HTTP/1.1 304 Not Modified"],
    [["Transfer-Encoding: chunked"], 0, true, "HTTP/1.1 204 No Content"],
    [["Content-Length: 3"], 0, true, OK, "HEAD"]
  ]
  test.each(rows.map((row) => [row[0].join("; "), row] as const))(
    "%s",
    (_, [lines, body, persistent, first = OK, method = "GET"]) => {
      const head = parseHead(says(first, ...lines), method)
      expect(head?.body ?? null).toBe(body)
      if (persistent !== undefined) expect(head?.persistent).toBe(persistent)
    }
  )
})

test("a head ends with its first empty line", () => {
  const rows: ReadonlyArray<readonly [text: string, end: number]> = [
    ["a\r\n\r\nbody", 5],
    ["a\n\nbody", 3],
    ["a\r\n\nbody", 4],
    ["a\n\r\nbody", 4],
    ["a\r\nb\r\n", -1],
    ["a\r\n\r", -1]
  ]
  expect(rows.map(([text]) => endOfHead(Buffer.from(text), 0))).toEqual(rows.map(([, end]) => end))
})
